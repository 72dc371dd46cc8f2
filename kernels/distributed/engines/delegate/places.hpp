// SPDX-License-Identifier: Apache-2.0
// Places of a member's normal vertices on its GPU: their numbers among those that have edges. Half
// of a Kronecker graph's vertices have none. What a search keeps of normal vertices it keeps by
// place, and only an answer has all vertices, by id (answer.cuh).
//
// Places ascend with ids. The place after the last is that of a source without edges. Of a directed
// graph all vertices have places, since one without edges of its own may be found.
//
// Memory: half a byte an owned vertex, and 4 bytes for each delegate of these. In exchange rows
// without edges need no offset.
#pragma once

#include <cstdint>

#include "kernels/cuda/traversal/ranked_bits.hpp"
#include "kernels/distributed/subgraphs/device_subgraphs.hpp"

namespace bfslab::distributed::delegate {

struct Places {
  cuda::RankedBits normals;                             // with a place, by local id
  cuda::RankedBits own_delegates;                       // by local id
  cuda::DeviceBuffer<local_vertex_t> delegate_numbers;  // of these, in the order of ids

  // With the one of a source without edges.
  [[nodiscard]] local_vertex_t count() const { return normals.count + 1; }
  [[nodiscard]] std::uint64_t bytes() const {
    return cuda::bytes_of(normals, own_delegates, delegate_numbers);
  }
};

// Gives the normal vertices of `graph` places: its rows of nn and nd and its columns of dn are then
// places, and its columns of nn say who of `members` owns their ends, and these' places or ids
// there (NormalEnd), where `me` has the graph. Returns when all is there. Memory meanwhile: the
// offsets of nn or nd once more.
Places take_places(DeviceSubgraphs& graph, unsigned me, unsigned members,
                   const cuda::Stream& stream);

// ids[place] = the vertex; `ids` is [places.count()], of which the last is left alone.
void ids_of_places(const Places& places, std::uint32_t owned, local_vertex_t* ids,
                   const cuda::Stream& stream);

}  // namespace bfslab::distributed::delegate
