// SPDX-License-Identifier: Apache-2.0
// The four subgraphs of a member (subgraphs.hpp) in the memory of its GPU: the same rows, columns
// and widths.
//
// How they are made there: in two passes over the tuples, which are made on the GPU where they are
// a Kronecker or R-MAT generator's, and else on the host and sent in portions. The first sends
// every directed entry to the owner of its tail, which sorts and thins them out and keeps nothing
// but the out-degrees; where duplicates stay, each member counts the tails among its own tuples
// instead, and only the counts travel. With these the delegates are agreed upon, and the second
// pass sends every entry straight to where the edge distributor puts it (placement.hpp): to be
// sorted, freed of duplicates, which all go the same way, and cut into the CSRs. No member
// holds the edge list, or the rows of its vertices beside the subgraphs.
//
// Cost an entry and pass: its tuple is made once for counting and once for each round, 8 bytes
// travel, and the sort reads and writes 16 bytes for every 8 bits that rows and columns have. A
// round has at most 2^31 - 1 entries on a member, or as many as its memory takes, and is a range of
// rows.
//
// Peak memory: during a round 16 bytes for each of its entries, 8 for each that a portion of tuples
// sends away (a portion makes at most 2^27), and the columns of the rounds before; at the end the
// columns of all subgraphs and those of the largest once more, if it took several rounds. Beside
// that 12 bits a vertex of the whole graph, or 4 bytes in a first pass that only counts, 20 bytes
// an owned vertex and 40 a delegate. One GPU at scale 25 with 16 edges a vertex: 23 GB, or in more
// rounds less.
#pragma once

#include <cstdint>

#include "kernels/cuda/device/memory.hpp"
#include "kernels/cuda/device/stream.hpp"
#include "kernels/distributed/communicator/communicator.hpp"
#include "kernels/distributed/communicator/device_communicator.hpp"
#include "kernels/distributed/communicator/team.hpp"
#include "kernels/distributed/edges/edge_share.hpp"
#include "kernels/distributed/subgraphs/making.hpp"
#include "kernels/distributed/subgraphs/subgraphs.hpp"

namespace bfslab::distributed {

// Offsets are in one of the two buffers, as Offsets has them.
template <typename Column>
struct DeviceSubgraph {
  cuda::DeviceBuffer<std::uint32_t> narrow;  // [rows + 1], or empty
  cuda::DeviceBuffer<std::uint64_t> wide;    // likewise
  cuda::DeviceBuffer<Column> columns;

  [[nodiscard]] std::uint64_t bytes() const { return cuda::bytes_of(narrow, wide, columns); }
};

struct DeviceSubgraphs : Separation {
  DeviceSubgraph<global_vertex_t> nn;
  DeviceSubgraph<local_vertex_t> nd, dn, dd;

  // As allocated: `stored_bytes()` says the same.
  [[nodiscard]] std::uint64_t bytes() const { return cuda::bytes_of(nn, nd, dn, dd); }
};

// Makes the same as make_subgraphs(), word for word, on the member's GPU. `data`: over the members
// of `member.all`, by device pointers (device_communicator.hpp). Collective; returns when all is
// there. Throws OutOfDeviceMemory, and Unsupported on all members alike: where make_subgraphs()
// does, where a local and a global id have more than 64 bits together (up to 2^32 vertices on one
// member, 2^36 on many), above 2,048 members, and where a row has 2^31 entries. `times`: of what
// went before it.
DeviceSubgraphs make_device_subgraphs(Member& member, const EdgeShare& share,
                                      std::uint64_t threshold, DelegateOrder order,
                                      const MemberGpu& gpu, Communicator& data,
                                      const MakingLimits& limits = {}, SetupTimes times = {},
                                      DdKeepers dd_keepers = DdKeepers::vertices);

}  // namespace bfslab::distributed
