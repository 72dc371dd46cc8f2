// SPDX-License-Identifier: Apache-2.0
#include "datasets/read/reader.hpp"

#include <algorithm>

#include "datasets/read/adjacency.hpp"
#include "datasets/read/arcs.hpp"
#include "datasets/read/csr.hpp"
#include "datasets/read/dimacs9.hpp"
#include "datasets/read/edges.hpp"
#include "datasets/read/gapbs.hpp"
#include "datasets/read/graphalytics.hpp"
#include "datasets/read/konect.hpp"
#include "datasets/read/konect_kind.hpp"
#include "datasets/read/matrix_market.hpp"
#include "datasets/read/metis.hpp"
#include "datasets/read/snap.hpp"

namespace bfslab {

namespace {

// Plain first: if a folder holds a file in several packings, the first one found is taken.
const std::vector<std::string> kPackings = {"",     ".gz",     ".bz2",     ".zst",
                                            ".tar", ".tar.gz", ".tar.bz2", ".tar.zst"};

// The plain ones first, in the order given: the first one that a folder holds is taken.
std::vector<std::string> packed(const std::vector<std::string>& plain) {
  std::vector<std::string> endings;
  for (const std::string& packing : kPackings) {
    for (const std::string& ending : plain) endings.push_back(ending + packing);
  }
  return endings;
}

// How many characters at the end of the file's name the format goes by; 0: none.
std::size_t ending_of(const GraphFormat& format, std::string_view path) {
  std::size_t longest = 0;
  for (const std::string& ending : format.endings) {
    if (path.ends_with(ending)) longest = std::max(longest, ending.size());
  }
  return longest;
}

// The same of its beginning.
std::size_t prefix_of(const GraphFormat& format, std::string_view path) {
  std::size_t longest = 0;
  const std::string_view file = path.substr(path.rfind('/') + 1);  // npos + 1 is 0
  for (const std::string& prefix : format.prefixes) {
    if (file.starts_with(prefix)) longest = std::max(longest, prefix.size());
  }
  return longest;
}

}  // namespace

const std::vector<GraphFormat>& graph_formats() {
  static const std::vector<GraphFormat> table = {
      {.name = "edges",
       .doc = "an edge list: two ids a line between blanks, commas, semicolons or bars; # or % "
              "starts a comment; a row of names may come first",
       .endings = packed({".txt", ".el", ".wel", ".edges", ".edgelist", ".csv", ".tsv", ".out",
                          ".edges.txt", ".edges.tsv"}),
       .members = {"*.txt", "*.el", "*.wel", "*.edges", "*.edgelist", "*.csv", "*.tsv"},
       .comments = "#%",
       .reading = read_as_edges,
       .parse = parse_edges},
      {.name = "snap",
       .doc = "SNAP: one edge per line, two ids separated by blanks or tabs; # starts a comment",
       .endings = packed({".txt"}),
       .members = {"*.txt"},
       .comments = "#",
       .parse = parse_snap},
      {.name = "konect",
       .doc = "KONECT: % sym, asym or bip, then one edge per line, with weight and time",
       .endings = packed({".konect"}),
       .prefixes = {"out.", "download.tsv."},
       .members = {"out.*"},
       .openings = {"% sym", "% asym", "% bip"},
       .opens = opens_konect,
       .comments = "%#",
       .parse = parse_konect},
      {.name = "matrix-market",
       .doc =
           "MatrixMarket coordinate form: a square matrix, or a bipartite graph of a rectangular "
           "one",
       .endings = packed({".mtx"}),
       .members = {"*.mtx"},
       .openings = {"%%matrixmarket"},
       .opens = opens_matrix_market,
       .comments = "%#",
       .parse = parse_matrix_market},
      {.name = "metis",
       .doc = "METIS: one line of neighbours per vertex; weights are ignored",
       .endings = packed({".graph"}),
       .members = {"*.graph"},
       .comments = "%",
       .reading = read_as_metis,
       .parse = parse_metis},
      {.name = "dimacs9",
       .doc = "9th DIMACS challenge: p sp VERTICES ARCS, then a FROM TO LENGTH",
       .endings = packed({".gr"}),
       .members = {"*.gr"},
       .openings = {"p sp"},
       .comments = "c",
       .parse = parse_dimacs9},
      {.name = "gapbs",
       .doc = "the GAP benchmark suite's binary graphs",
       .endings = packed({".sg", ".wsg"}),
       .members = {"*.sg", "*.wsg"},
       .reading = read_as_gapbs,
       .parse = parse_gapbs},
      {.name = "adjacency",
       .doc = "Ligra's text: AdjacencyGraph, the counts, an offset a vertex, the neighbours",
       .endings = packed({".adj"}),
       .members = {"*.adj"},
       .openings = {"adjacencygraph", "weightedadjacencygraph"},
       .parse = parse_adjacency},
      {.name = "graphalytics",
       .doc = "LDBC Graphalytics: NAME.v with an id a line, NAME.e with an edge a line",
       .endings = packed({".e", ".v"}),
       .from_path = read_graphalytics,
       .companions = graphalytics_companions},
      {.name = "arcs",
       .doc = "one arc per line, FROM<TAB>TO from 0, ids as given",
       .endings = packed({".arcs.tsv"}),
       .members = {"*.arcs.tsv"},
       .comments = "#",
       .parse = parse_arcs},
      {.name = "csr",
       .doc = "the binary form that `graph convert` writes",
       .endings = {".csr"},
       .from_path = read_csr},
  };
  return table;
}

EdgeList GraphFormat::read(const std::string& path, int threads, const std::string& member) const {
  if (parse == nullptr) return from_path(path, threads);
  const auto bytes = open_bytes(path, member.empty() ? members : std::vector<std::string>{member});
  EdgeList list = parse(*bytes, path, threads);
  const std::string packing = bytes->packing();
  if (!packing.empty()) list.provenance.emplace_back("packing", packing);
  return list;
}

const GraphFormat* format_named(std::string_view name) {
  const auto& formats = graph_formats();
  const auto found = std::find_if(formats.begin(), formats.end(),
                                  [&](const GraphFormat& format) { return format.name == name; });
  return found == formats.end() ? nullptr : &*found;
}

const GraphFormat* format_by_name(std::string_view path) {
  for (const auto claim : {ending_of, prefix_of}) {  // out.csr is no file of KONECT
    const GraphFormat* best = nullptr;
    std::size_t longest = 0;
    for (const GraphFormat& format : graph_formats()) {
      const std::size_t length = claim(format, path);
      if (length <= longest) continue;
      best = &format;
      longest = length;
    }
    if (best != nullptr) return best;
  }
  return nullptr;
}

}  // namespace bfslab
