// SPDX-License-Identifier: Apache-2.0
// Answers of a traversal, in parts. An engine on one device has one part. An engine of several GPUs
// or ranks has one part per owner of vertices, in the owner's memory.
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
// are 64-bit ids of the graph, since a distributed graph may exceed vertex_t.
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
  // Any others, as of an owner chosen by a hash. `list`: [count], must outlive the answer.
  static PartIds listed(const std::uint64_t* list, std::uint64_t count) {
    return {count, 0, 1, list};
  }
};

// A pointer is null if that half was not requested. The process that gets the answer can read both.
struct AnswerPart {
  PartIds ids;
  MemorySpace space = MemorySpace::host;
  int device = 0;                     // which of the process's devices, if `space` is device
  unsigned rank = 0;                  // the part's owner
  const level_t* levels = nullptr;    // [ids.count] hops, kUnreached if there is no path
  const vertex_t* parents = nullptr;  // [ids.count] ids of the graph, kNoVertex if unreached;
                                      // the source is its own
};

// The last traversal's answer, valid until the next call on the engine. Every vertex of the graph
// is in exactly one part, and all parts have the same halves. With several processes each process
// sees only its own parts, which Engine::check_in_place judges.
struct AnswerView {
  std::uint64_t vertex_count = 0;
  std::vector<AnswerPart> parts;
};

// An answer in one memory, in the order of the vertices: the input of both checks.
struct WholeAnswer {
  MemorySpace space = MemorySpace::host;
  vertex_t vertex_count = 0;
  const level_t* levels = nullptr;    // [vertex_count], or null: not requested
  const vertex_t* parents = nullptr;  // likewise
  int device = 0;                     // if `space` is device
};

// An answer whose parts do not match its graph: a fault of its engine, whatever the levels are.
class MalformedAnswer : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

AnswerView in_one_part(const WholeAnswer& answer);

// Returns the view of an answer in host memory with only the requested halves. `levels`, `parents`:
// [vertices], or null if that half is not requested.
inline AnswerView answer_on_host(Answer asked, vertex_t vertices, const level_t* levels,
                                 const vertex_t* parents) {
  return in_one_part({.space = MemorySpace::host,
                      .vertex_count = vertices,
                      .levels = wants_levels(asked) ? levels : nullptr,
                      .parents = wants_parents(asked) ? parents : nullptr});
}

// Returns the answer itself if it is one part that holds all vertices in order; otherwise nothing.
std::optional<WholeAnswer> as_whole(const AnswerView& answer);

// Throws MalformedAnswer if the answer has another number of vertices or a part lacks a requested
// half. harness/check/host_answer.hpp checks that the parts hold every vertex once.
void require_halves(const AnswerView& answer, std::uint64_t vertices, Answer asked);

}  // namespace bfslab
