// SPDX-License-Identifier: Apache-2.0
// A member's computation between two exchanges of Algorithm 3 (graph500-romeo, section 3.4.2),
// behind one interface, so that the search (search.cpp) is the same whatever runs it: a thread in
// host memory (cpu_work.cpp) or a GPU in its own (gpu_work.cpp).
//
// Bitmaps are spans of words in the memory of the communicator that the search exchanges them by.
// On a GPU, calls queue their work in the order of the member's stream and return; what they return
// to the host is there, and so is all that counts() has been asked for.
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

// A parent on its way to the owner of its child, where the child has this number.
struct Predecessor {
  local_t vertex;
  vertex_t parent;
};

// A search's source, as far as this member has to do with it.
struct Start {
  vertex_t source = 0;            // its own parent
  std::optional<local_t> in_row;  // its number in the row's range
  std::optional<local_t> in_column;
  std::optional<local_t> owned;  // among the vertices that this member owns
};

// Counts of a level on this member: the vertices that it owns and that the level found, and their
// edges in the whole graph if these were asked for.
struct Counts {
  Word vertices = 0;
  Word edges = 0;
  Word checked = 0;                // entries of the block that were looked at
  std::optional<Word> lanes = {};  // on GPUs, top-down (LevelCounts)
  std::optional<Word> claims = {};
};

struct WorkSettings {
  Answer answer = Answer::levels;
  bool each_level = false;  // predecessors() is asked in each level, or once at the end
};

class LocalWork : public Interface {
 public:
  virtual void reset(const Start& start) = 0;
  // Out from In and Vis, and where parents are wanted, the tail by which each vertex was found.
  virtual void explore(bool bottom_up, bool counts_checked) = 0;
  // In of the column's range; Out of the row's; and of the row's, before the scan, this member's
  // Out, which exclusive_scan() turns into the prefix.
  virtual std::span<Word> in() = 0;
  virtual std::span<Word> out() = 0;
  virtual std::span<Word> begin_scan() = 0;
  // Lines 17 and 19: what is assigned to this member; Out gets the prefix.
  virtual void end_scan() = 0;
  // WritePred(): the parents of what was assigned in this level or in all, a list for each member
  // of the row. They stay as they are until the next call on the row's communicator has returned.
  virtual std::vector<Bytes> predecessors() = 0;
  virtual void take_predecessors(Bytes list) = 0;
  // Line 23 and the levels of owned vertices, from the row's Out.
  virtual void update(level_t level, bool counts_edges) = 0;
  // Returns the counts of the level whose update() was the last call, exchanges aside.
  virtual Counts counts() = 0;
  // A member on its own makes its Out its In.
  virtual void make_out_in() = 0;
  // Edges of the vertices that this member owns: of the source; of those that the last level found;
  // of all that were reached.
  virtual Word source_edges(local_t owned) = 0;
  virtual Word frontier_edges() = 0;
  [[nodiscard]] virtual Word reached_entries() const = 0;
  // Erases what an earlier search reached and this one did not. Then the answer is complete.
  virtual void finish() = 0;

  // Returns whether calls return before their work is done. If so, wait() waits for it.
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

// A member's block where its work will be done.
struct BlockWork {
  // How many edges of the block leave each vertex of the column's range, and enter each of the
  // row's.
  std::vector<local_t> leaving, entering;
  BlockSize size;
  // Makes that work, once: the block goes with it. `member`: this one's number.
  std::function<std::unique_ptr<LocalWork>(VertexFacts facts, unsigned member,
                                           const WorkSettings& settings)>
      work;
};

// In host memory, on the calling thread.
BlockWork make_cpu_block(std::vector<LocalEdge> edges, const BlockPlan& plan);

}  // namespace bfslab::distributed::grid2d
