// SPDX-License-Identifier: Apache-2.0
// A member's computation between two exchanges of Algorithm 3 (graph500-romeo, section 3.4.2)
// behind one interface, so that the search (search.cpp) is the same for a CPU thread with host
// memory (cpu_work.cpp) and for a GPU with its own (gpu_work.cpp).
//
// Bitmaps are spans of words in the memory of the communicator that exchanges them. On a GPU, calls
// enqueue work in the order of the member's stream and return. Host results, including those of
// counts(), are complete when a call returns.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "kernels/answer.hpp"
#include "kernels/distributed/communicator/communicator.hpp"
#include "kernels/distributed/engines/grid2d/block.hpp"
#include "kernels/distributed/engines/grid2d/grid.hpp"
#include "kernels/engine.hpp"
#include "kernels/interface.hpp"

namespace bfslab::distributed::grid2d {

// A parent sent to the owner of its child; `vertex` is the child's number at the owner.
struct Predecessor {
  local_t vertex;
  vertex_t parent;
};

// The source of a search as this member sees it.
struct Start {
  vertex_t source = 0;            // its own parent
  std::optional<local_t> in_row;  // its number in the row's range
  std::optional<local_t> in_column;
  std::optional<local_t> owned;  // among the vertices that this member owns
};

// Counts of a level on this member: the owned vertices that the level found, and their edges in the
// whole graph if requested.
struct Counts {
  Word vertices = 0;
  Word edges = 0;
  Word checked = 0;                // entries of the block that were read
  std::optional<Word> lanes = {};  // on GPUs, top-down (LevelCounts)
  std::optional<Word> claims = {};
};

struct WorkSettings {
  Answer answer = Answer::levels;
  bool each_level = false;  // call predecessors() in each level, not once at the end
};

class LocalWork : public Interface {
 public:
  virtual void reset(const Start& start) = 0;
  // Computes Out from In and Vis and, if parents are wanted, the tail of each found vertex.
  virtual void explore(bool bottom_up, bool counts_checked) = 0;
  // in(): In of the column's range. out(): Out of the row's range. begin_scan(): a copy of this
  // member's Out, which exclusive_scan() turns into the prefix.
  virtual std::span<Word> in() = 0;
  virtual std::span<Word> out() = 0;
  virtual std::span<Word> begin_scan() = 0;
  // Lines 17 and 19: computes this member's assigned finds and adds the prefix to Out.
  virtual void end_scan() = 0;
  // WritePred(): returns the parents of assigned finds, of this level or of all, a list per member
  // of the row. Lists stay valid until the next call on the row's communicator has returned.
  virtual std::vector<Bytes> predecessors() = 0;
  virtual void take_predecessors(Bytes list) = 0;
  // Line 23: updates Vis, and the levels of owned vertices, from the row's Out.
  virtual void update(level_t level, bool counts_edges) = 0;
  // Returns the counts of the level. REQUIRES: the last call, exchanges aside, was update().
  virtual Counts counts() = 0;
  // Makes Out the next In; for a single member.
  virtual void make_out_in() = 0;
  // Return the edges of vertices that this member owns: of the source, of the last level's finds,
  // and of all reached vertices.
  virtual Word source_edges(local_t owned) = 0;
  virtual Word frontier_edges() = 0;
  [[nodiscard]] virtual Word reached_entries() const = 0;
  // Erases answers of the previous search that this one did not reach, which completes the answer.
  virtual void finish() = 0;

  // Returns true if calls return before their work is done; wait() waits for it.
  [[nodiscard]] virtual bool queues() const { return false; }
  virtual void wait() {}

  [[nodiscard]] virtual std::optional<double> gpu_ms() const { return std::nullopt; }
  [[nodiscard]] virtual AnswerPart answer() const = 0;
  [[nodiscard]] virtual MemoryUse memory() const = 0;
};

// The sizes of a block that describe() reports.
struct BlockSize {
  std::uint64_t entries = 0, csr_bytes = 0, csc_bytes = 0;
};

// A member's block, in the memory of the device that does its work.
struct BlockWork {
  // The number of the block's edges that leave each vertex of the column's range, and that enter
  // each vertex of the row's range.
  std::vector<local_t> leaving, entering;
  BlockSize size;
  // Makes the work, once: it takes over the block. `member` is this member's number.
  std::function<std::unique_ptr<LocalWork>(VertexFacts facts, unsigned member,
                                           const WorkSettings& settings)>
      work;
};

// Makes the block in host memory, on the calling thread.
BlockWork make_cpu_block(std::vector<LocalEdge> edges, const BlockPlan& plan);

}  // namespace bfslab::distributed::grid2d
