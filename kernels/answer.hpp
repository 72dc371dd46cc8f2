// SPDX-License-Identifier: Apache-2.0
// Answers of a traversal, in parts. An engine on one device has one part; an engine of several GPUs
// or ranks has one for each owner of vertices, in the memory where it lies.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <vector>

#include "datasets/graph/types.hpp"

namespace bfslab {

enum class Answer { levels, parents, both };

inline bool wants_levels(Answer answer) { return answer != Answer::parents; }
inline bool wants_parents(Answer answer) { return answer != Answer::levels; }

enum class MemorySpace { host, device };

// The vertices that a part holds. Entry i of the part belongs to the owner's local id i. Vertices
// are ids of the graph in 64 bits, since a distributed graph may have more than vertex_t counts.
struct PartIds {
  std::uint64_t count = 0;
  std::uint64_t first = 0;
  std::uint64_t stride = 1;             // entry i is vertex first + i * stride
  const std::uint64_t* list = nullptr;  // [count], in host memory: entry i is vertex list[i]

  [[nodiscard]] std::uint64_t operator[](std::uint64_t i) const {
    return list != nullptr ? list[i] : first + i * stride;
  }

  // Vertices first, first + 1, ..., first + count - 1.
  static PartIds range(std::uint64_t first, std::uint64_t count) { return {count, first, 1}; }
  // Every vertex v < vertices with v % owners == owner; owner < owners.
  static PartIds round_robin(std::uint64_t owner, std::uint64_t owners, std::uint64_t vertices) {
    return {vertices > owner ? (vertices - owner - 1) / owners + 1 : 0, owner, owners};
  }
  // Any others, as of an owner chosen by a hash. `list`: [count], lives as long as the answer.
  static PartIds listed(const std::uint64_t* list, std::uint64_t count) {
    return {count, 0, 1, list};
  }
};

// A pointer is null where that half was not asked for. Both are readable by the process that is
// shown the answer.
struct AnswerPart {
  PartIds ids;
  MemorySpace space = MemorySpace::host;
  int device = 0;                     // which of the process's devices, where `space` is device
  unsigned rank = 0;                  // whose part it is
  const level_t* levels = nullptr;    // [ids.count] hops, kUnreached where there is no path
  const vertex_t* parents = nullptr;  // [ids.count] ids of the graph, kNoVertex where unreached;
                                      // the source is its own
};

// The last traversal's answer, valid until the next call on the engine. Every vertex of the graph
// is in exactly one part, and all parts have the same halves. With several
// processes each process sees the parts that it holds, and none sees all of them:
// Engine::check_in_place judges them.
struct AnswerView {
  std::uint64_t vertex_count = 0;
  std::vector<AnswerPart> parts;
};

// An answer in one memory, in the order of the vertices: what both checks read.
struct WholeAnswer {
  MemorySpace space = MemorySpace::host;
  vertex_t vertex_count = 0;
  const level_t* levels = nullptr;    // [vertex_count], or null: not asked for
  const vertex_t* parents = nullptr;  // likewise
  int device = 0;                     // where `space` is device
};

// An answer whose parts are not those of its graph: a fault of its engine, whatever the levels are.
class MalformedAnswer : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

AnswerView in_one_part(const WholeAnswer& answer);

// Returns the view of an answer in host memory: the halves that were asked for, whatever else the
// engine keeps. `levels`, `parents`: [vertices], or null where that half is not asked for.
inline AnswerView answer_on_host(Answer asked, vertex_t vertices, const level_t* levels,
                                 const vertex_t* parents) {
  return in_one_part({.space = MemorySpace::host,
                      .vertex_count = vertices,
                      .levels = wants_levels(asked) ? levels : nullptr,
                      .parents = wants_parents(asked) ? parents : nullptr});
}

// The answer itself where it is one part that holds all vertices in their order; else empty.
std::optional<WholeAnswer> as_whole(const AnswerView& answer);

// Throws MalformedAnswer where the answer is of another number of vertices or
// a part lacks a half that was asked for. Whether its parts hold every vertex once is seen by who
// gathers them (harness/check/host_answer.hpp).
void require_halves(const AnswerView& answer, std::uint64_t vertices, Answer asked);

}  // namespace bfslab
