// What a name that users type means to a downloader: addresses, and what lies there.
#pragma once

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
};

struct RemoteGraph {
  std::string label;  // as users typed it
  GraphName name;
  std::vector<RemoteFile> files;  // official first, then alternatives; any one will do
  std::string published;          // "75879 vertices, 508837 edge lines"; empty: unknown
  std::string note;               // the catalogue's
};

// Whether a graph of that name is a file that somebody may distribute: no generator's, and no file
// by path.
bool is_remote(const GraphName& name);

// From the catalogue where the graph is there, else by its distributor's naming rule; without files
// where no address is known. Throws InputError when !is_remote(name).
RemoteGraph find_remote(std::string label, const GraphName& name);

// What users ask `graph fetch` for: a group of the catalogue's (all of its members but those that
// are generated), or a graph's name. Throws InputError for what is neither, or never a download.
std::vector<RemoteGraph> find_remotes(const std::string& text);

}  // namespace bfslab
