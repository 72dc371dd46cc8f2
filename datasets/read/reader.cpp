#include "datasets/read/reader.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "datasets/read/arcs.hpp"
#include "datasets/read/csr.hpp"
#include "datasets/read/dimacs9.hpp"
#include "datasets/read/gapbs.hpp"
#include "datasets/read/konect.hpp"
#include "datasets/read/matrix_market.hpp"
#include "datasets/read/metis.hpp"
#include "datasets/read/snap.hpp"

namespace bfslab {

namespace {

// Plain first: if a folder holds a file in several packings, the first one found is taken.
const std::vector<std::string> kPackings = {"",     ".gz",     ".bz2",     ".zst",
                                            ".tar", ".tar.gz", ".tar.bz2", ".tar.zst"};

std::vector<std::string> packed(const std::string& ending) {
  std::vector<std::string> endings;
  for (const std::string& packing : kPackings) endings.push_back(ending + packing);
  return endings;
}

bool fits(const GraphFormat& format, std::string_view path) {
  if (std::any_of(format.endings.begin(), format.endings.end(),
                  [&](const std::string& ending) { return path.ends_with(ending); })) {
    return true;
  }
  const std::string_view file = path.substr(path.rfind('/') + 1);  // npos + 1 is 0
  return std::any_of(format.prefixes.begin(), format.prefixes.end(),
                     [&](const std::string& prefix) { return file.starts_with(prefix); });
}

}  // namespace

const std::vector<GraphFormat>& graph_formats() {
  static const std::vector<GraphFormat> table = {
      {"snap",
       packed(".txt"),
       {},
       {"*.txt"},
       "SNAP: one edge per line, two ids separated by blanks or tabs; # starts a comment",
       parse_snap},
      {"konect",
       packed(".konect"),
       {"out.", "download.tsv."},
       {"out.*"},
       "KONECT: % sym, asym or bip, then one edge per line, with weight and time",
       parse_konect},
      {"matrix-market",
       packed(".mtx"),
       {},
       {"*.mtx"},
       "MatrixMarket coordinate form: a square matrix, or a bipartite graph of a rectangular one",
       parse_matrix_market},
      {"metis",
       packed(".graph"),
       {},
       {"*.graph"},
       "METIS: one line of neighbours per vertex; weights are ignored",
       parse_metis},
      {"dimacs9",
       packed(".gr"),
       {},
       {"*.gr"},
       "9th DIMACS challenge: p sp VERTICES ARCS, then a FROM TO LENGTH",
       parse_dimacs9},
      {"gapbs",
       packed(".sg"),
       {},
       {"*.sg"},
       "the GAP benchmark suite's binary graphs",
       parse_gapbs},
      {"arcs",
       packed(".arcs.tsv"),
       {},
       {"*.arcs.tsv"},
       "one arc per line, FROM<TAB>TO from 0, ids as given",
       parse_arcs},
      {"csr", {".csr"}, {}, {}, "the binary form that `graph convert` writes", nullptr, read_csr},
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

const GraphFormat& find_format(const std::string& path, std::string_view wanted) {
  std::string known;
  for (const GraphFormat& format : graph_formats()) {
    if (format.name == wanted) return format;
    if (wanted == "auto" && fits(format, path)) return format;
    known += (known.empty() ? "" : ", ") + format.endings.front();
    for (const std::string& prefix : format.prefixes) known += fmt::format(", {}*", prefix);
  }
  throw InputError(fmt::format(
      "graph \"file:{}\": the ending does not determine the format (known: {}, and these "
      "with .gz, .bz2, .zst or .tar of any); add ,format=NAME",
      path, known));
}

}  // namespace bfslab
