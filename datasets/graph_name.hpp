// How a graph is named in a spec or on the command line, and how a name becomes a CsrGraph.
//
//   kronecker:scale=20                        a generator and its parameters
//   soc-Epinions1                             the catalogue's graph of that name
//   com-lj-standin                            the generated stand-in for com-lj
//   snap:soc-Epinions1, konect:NAME, ...      a distributor's file, found in the data folders
//   file:some/where/graph.txt.gz              a file by path; format by ending, or format=snap
//   snap:wiki-Vote,symmetrize=false,relabel=degree   build options may follow any of them
//   union:(kronecker:scale=10)+3*(path:vertices=100)   generated graphs side by side
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "datasets/build/build.hpp"
#include "datasets/graph/csr_graph.hpp"

namespace bfslab {

// One parameter of a generator or of the build, as data: parser, schema and `list graphs` read it.
struct GraphParameter {
  enum class Kind { integer, real, choice };
  std::string name;
  Kind kind = Kind::integer;
  std::vector<std::string> choices;  // for choice
  double minimum = 0;
  double maximum = 0;
  std::string default_value;  // empty: required
  std::string doc;
};

struct GraphKind {
  std::string name;  // "kronecker", "snap", "file", ...
  std::string doc;
  bool takes_path = false;  // the first item is a name or a path, not key=value
  std::vector<GraphParameter> parameters;
  std::string form = "...";  // how what follows the colon is spelled: "NAME", "PATH"
};

const std::vector<GraphKind>& graph_kinds();
// Parameters that every kind takes: symmetrize, self_loops, duplicates, relabel, relabel_seed.
const std::vector<GraphParameter>& build_parameters();

struct GraphName {
  std::string kind;
  std::string path;                                         // for kinds that take one
  std::vector<std::pair<std::string, std::string>> values;  // every parameter, defaults filled in
  BuildOptions build;
  std::string canonical;  // two names mean the same graph if and only if these are equal
  // The catalogue's entry whose stand-in was named ("com-lj-standin"), or empty.
  std::string stand_in_for;

  // Throws InputError naming the offending part, what was expected, and the nearest valid spelling.
  static GraphName parse(std::string_view text);
  [[nodiscard]] const std::string& value(std::string_view parameter) const;
};

// n and m as far as the name implies them without reading anything; zero if unknown.
struct GraphSize {
  std::uint64_t vertices = 0;
  std::uint64_t edges = 0;  // directed entries, an upper bound
};
GraphSize predict_size(const GraphName& name);

struct LoadOptions {
  std::vector<std::string> data_folders;  // searched in order for named files
  std::string cache_folder;               // empty: no cache
  int threads = 0;
  bool transpose = false;  // also build the transpose of a directed graph
  // Copy a cached graph from the page cache into huge pages, where traversals run faster; without
  // it the cache file is used where it is mapped.
  bool huge_pages = true;
  std::function<void(const std::string&)> notice;  // a damaged cache, a rebuilt file, ...
  BuildElsewhere build_elsewhere = {};             // asked for generated graphs not in the cache
};

// What a graph of this name would be made from now: its generator's version, or its file with size
// and time of modification. While it stays the same, so does the graph. Reads no file. Throws
// InputError when a file is missing.
std::string graph_stamp(const GraphName& name, const LoadOptions& options);

// From the cache when it holds the graph, else read or generated, built, and cached.
// Throws InputError when a file is missing or malformed.
CsrGraph load_graph(const GraphName& name, const LoadOptions& options);

}  // namespace bfslab
