// Who distributes graphs, and where a graph of theirs lies. One row a distributor.
#pragma once

#include <string>
#include <string_view>

namespace bfslab {

// Where a named graph lies, relative to anything that is laid out as distributors' hosts are.
struct RemoteFile {
  std::string name;  // as in snap:NAME
  std::string host;  // "snap.stanford.edu"
  std::string path;  // "data/NAME.txt.gz"

  [[nodiscard]] std::string address() const { return "https://" + host + "/" + path; }
  // HOST/PATH: how mirrors and data folders lay files out.
  [[nodiscard]] std::string below_mirror() const { return host + "/" + path; }
};

// `name` is "snap:ca-GrQc" or "ca-GrQc". Throws InputError for a kind that nobody distributes, and
// for a name that could not be a file's.
RemoteFile locate_graph(std::string_view name);

}  // namespace bfslab
