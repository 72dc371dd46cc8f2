// SPDX-License-Identifier: Apache-2.0
// The binary graphs of the GAP benchmark suite (.sg, written by its `converter`), little-endian and
// without gaps: bool directed; int64 entries, vertices, offsets[vertices + 1]; int32
// neighbours[entries]; and offsets and neighbours once more, reversed, where it is directed. In a
// .wsg an int32 weight follows each neighbour; the file's name alone says so.
#pragma once

#include <string>

#include "datasets/graph/edge_list.hpp"
#include "datasets/read/byte_stream.hpp"
#include "datasets/read/file_head.hpp"

namespace bfslab {

// Ids as given, weights ignored. An undirected file must hold the reverse of each entry; each edge
// is then in the list once. A directed file's second half must be the reverse of its first. Offsets
// must ascend from 0 to the number of entries, neighbours be below the number of vertices, and the
// file end where its counts say. Throws InputError "FILE: byte B: reason".
EdgeList parse_gapbs(ByteStream& bytes, const std::string& file, int threads);

Reading read_as_gapbs(const FileHead& head);

}  // namespace bfslab
