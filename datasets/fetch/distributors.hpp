// Who distributes graphs under their own names, and where such a graph is: for names that the
// catalogue does not have. One row per distributor.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bfslab {

// What a distributor's naming rule says about a graph.
struct DistributedFile {
  std::string address;  // "https://snap.stanford.edu/data/ca-GrQc.txt.gz"
  std::string member;   // of the archive found there, as a glob pattern: "out.*"; empty: no archive
};

// How graphs of `kind` are named by users: "konect:NAME", "suitesparse:GROUP/NAME"; empty for a
// kind that no distributor stands for.
std::string_view distributor_spelling(std::string_view kind);
std::vector<std::string_view> distributor_spellings();

// Where the distributor that `kind` stands for keeps `path` ("ca-GrQc", "DIMACS10/delaunay_n13").
// Throws InputError for an unknown kind, and for a path that is not a name of that distributor.
DistributedFile locate_distributed(std::string_view kind, std::string_view path);

// HOST/PATH of an http(s) address: the layout of mirrors and data folders. Throws InputError
// when the address could lead out of such a folder, or has no host or no path.
std::string below_mirror(std::string_view address);

}  // namespace bfslab
