// SPDX-License-Identifier: Apache-2.0
#include "datasets/name/named_kinds.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "datasets/text/plain_name.hpp"

namespace bfslab {

const std::vector<NamedKind>& named_kinds() {
  static const std::vector<NamedKind> kinds = {
      // https://snap.stanford.edu/data/index.html: edge lists as gzipped text.
      {"snap", "NAME", "snap", "an edge list of SNAP, snap.stanford.edu",
       "https://snap.stanford.edu/data/", ".txt.gz"},
      // http://konect.cc/networks: one archive per network, with its edges in out.NAME.
      {"konect", "NAME", "konect", "a network of KONECT, konect.cc",
       "http://konect.cc/files/download.tsv.", ".tar.bz2", "out.*"},
      // https://sparse.tamu.edu/about: NAME/NAME.mtx, sometimes with right-hand sides beside it.
      {"suitesparse", "GROUP/NAME", "matrix-market",
       "a matrix of the SuiteSparse collection, sparse.tamu.edu", "https://sparse.tamu.edu/MM/",
       ".tar.gz", "{}.mtx"},
      // http://www.diag.uniroma1.it/challenge9/download.shtml; by families, see addresses.cpp.
      {"dimacs9", "NAME", "dimacs9", "a road network of the 9th DIMACS challenge",
       "http://www.diag.uniroma1.it/challenge9/data/", ".gr.gz"},
      {"dimacs10", "NAME", "metis", "a graph of the 10th DIMACS challenge, in METIS form"},
      {"law", "NAME", "arcs", "a web graph of LAW, decoded to a list of arcs"},
      {"local", "NAME", "", "a file that no distributor's rule names; its ending names the format"},
  };
  return kinds;
}

const NamedKind* find_named_kind(std::string_view kind) {
  const auto& kinds = named_kinds();
  const auto found =
      std::find_if(kinds.begin(), kinds.end(), [&](const NamedKind& k) { return k.name == kind; });
  return found == kinds.end() ? nullptr : &*found;
}

std::string wrong_named_path(const NamedKind& kind, std::string_view path) {
  const bool in_group = kind.form.find('/') != std::string::npos;
  const std::size_t slash = path.find('/');
  const bool sound = in_group ? slash != std::string_view::npos &&
                                    is_plain_name(path.substr(0, slash)) &&
                                    is_plain_name(path.substr(slash + 1))
                              : is_plain_name(path);
  if (sound) return {};
  return fmt::format("found \"{}\", expected {}:{} of letters, digits and - _ . + @", path,
                     kind.name, kind.form);
}

}  // namespace bfslab
