// SPDX-License-Identifier: Apache-2.0
// Messages between the processes of one worker (ranks), besides those of their engines. All calls
// are collective unless a comment states otherwise; with one process they do nothing of note.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/observe/load_meter.hpp"
#include "harness/record/rows.hpp"
#include "harness/run/line_pipe.hpp"
#include "kernels/distributed/communicator/processes.hpp"

namespace bfslab {

// Lets rank 0 read a line from `pipe`, and sends it to all ranks. Returns false on all ranks once
// the other side has closed.
bool read_line(distributed::Processes& processes, LinePipe* pipe, std::string& line);

// Replaces `text` on all ranks by that of rank 0.
void share_text(distributed::Processes& processes, std::string& text);

// Returns an empty text if `value` is the same on all ranks. Otherwise names, on all ranks, the
// first rank whose value differs from rank 0's: "rank 1 is of build X, and rank 0 of build Y".
// `what`: "of build".
std::string disagreement(distributed::Processes& processes, std::string_view what,
                         std::string_view value);

// Returns the ranks of this host and their launcher.
Company company_on_host(distributed::Processes& processes);

// Returns the value of each rank, by rank.
template <typename Plain>
std::vector<Plain> gather(distributed::Processes& processes, const Plain& own) {
  const std::vector<distributed::Bytes> out(processes.size(), std::as_bytes(std::span(&own, 1)));
  std::vector<distributed::Chunk> received;
  const std::vector<distributed::Bytes> in = processes.all_to_all(out, received);
  std::vector<Plain> all(processes.size(), own);
  for (unsigned rank = 0; rank < all.size(); ++rank) {
    if (in[rank].size() == sizeof(Plain)) std::memcpy(&all[rank], in[rank].data(), sizeof(Plain));
  }
  return all;
}

std::uint64_t sum(distributed::Processes& processes, std::uint64_t value);
// Requires values >= 0.
double maximum(distributed::Processes& processes, double value);

// Writes the reason to the worker's log and ends all ranks. Not collective.
[[noreturn]] void end_all_ranks(const distributed::Processes& processes, Status status,
                                const std::string& reason);

}  // namespace bfslab
