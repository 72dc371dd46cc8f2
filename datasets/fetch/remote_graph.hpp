// SPDX-License-Identifier: Apache-2.0
// Maps a name that users type to addresses and to the files that are found there.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/name/graph_name.hpp"

namespace bfslab {

struct RemoteFile {
  std::string address;
  std::string member;         // of an archive, as a glob; empty: no archive, or nothing is known
  std::string sha256;         // of the plain text; empty: none is known for this form of the graph
  std::string packed_sha256;  // of the file as its distributor packs it; empty: unknown
  // Size limit from the published number of edges, with a wide margin: 128 bytes per edge (ids,
  // weight and time, in either direction) and 64 MiB. 0: nothing is published.
  std::uint64_t max_bytes = 0;
};

struct RemoteGraph {
  std::string label;  // as users typed it
  GraphName name;
  std::vector<RemoteFile> files;  // official first, then alternatives; any one will do
  std::string published;          // "75879 vertices, 508837 edge lines"; empty: unknown
};

// Returns whether the name stands for a file that may be distributed: neither a generated graph
// nor a file named by its path.
bool is_remote(const GraphName& name);

// From the catalogue if it has the graph, else by its distributor's naming rule; without files
// where no address is known. Throws InputError when !is_remote(name).
RemoteGraph find_remote(std::string label, const GraphName& name);

// Resolves an argument of `graph fetch`: a group of the catalogue (all of its members but the
// generated ones), or a graph. Throws InputError for a name that is neither, or is never a
// download.
std::vector<RemoteGraph> find_remotes(const std::string& text);

}  // namespace bfslab
