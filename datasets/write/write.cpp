// SPDX-License-Identifier: Apache-2.0
#include "datasets/write/write.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <system_error>
#include <vector>

#include "datasets/cache/csr_file.hpp"
#include "datasets/write/gapbs.hpp"
#include "datasets/write/output_file.hpp"
#include "datasets/write/program_files.hpp"
#include "datasets/write/vertex_texts.hpp"

namespace bfslab {

namespace {

void write_snap(const CsrGraph& graph, const std::string& path) {
  constexpr std::size_t kFlush = std::size_t{1} << 20;
  const bool symmetric = graph.symmetric();
  const auto listed = [&](vertex_t u, vertex_t v) { return !symmetric || u <= v; };
  edge_t edges = 0;
  for (vertex_t u = 0; u < graph.vertex_count(); ++u) {
    for (const vertex_t v : graph.neighbors(u)) edges += listed(u, v) ? 1 : 0;
  }

  OutputFile file(path, path.ends_with(".gz"));
  auto out = std::back_inserter(file.text());
  fmt::format_to(out, "# {} graph: {}\n# Nodes: {} Edges: {}\n# FromNodeId\tToNodeId\n",
                 symmetric ? "Undirected" : "Directed", graph.identity().name, graph.vertex_count(),
                 edges);
  for (vertex_t u = 0; u < graph.vertex_count(); ++u) {
    for (const vertex_t v : graph.neighbors(u)) {
      if (listed(u, v)) fmt::format_to(out, FMT_STRING("{}\t{}\n"), graph.label(u), graph.label(v));
    }
    file.flush(kFlush);
  }
  file.commit();
}

// Throws InputError if two vertices have one label, as in a graph of two sets.
void check_labels(const CsrGraph& graph, const std::string& path) {
  std::vector<std::uint64_t> labels(graph.labels().begin(), graph.labels().end());
  if (std::adjacent_find(labels.begin(), labels.end(), std::greater_equal<>()) == labels.end()) {
    return;  // they ascend, as usual
  }
  std::sort(labels.begin(), labels.end());
  const auto twice = std::adjacent_find(labels.begin(), labels.end());
  if (twice == labels.end()) return;
  throw InputError(
      fmt::format("{}: cannot be written: this text names vertices by the ids of their file, and "
                  "both sets of {} "
                  "have the id {}; choose .mtx, .el, .sg or .csr, which number them anew",
                  path, graph.identity().name, *twice));
}

// The form of an edge list apart from its edges. FIRST is the id of the first vertex.
struct ListForm {
  const char* ending;
  char separator;
  std::uint64_t first;
};
constexpr ListForm kLists[] = {{".el", ' ', 0}, {".mtx", ' ', 1}};

// Writes one adjacency entry per line, by the ids of the loaded graph.
void write_list(const CsrGraph& graph, const std::string& path, const ListForm& form) {
  constexpr std::size_t kFlush = std::size_t{1} << 20;
  OutputFile file(path, false);
  auto out = std::back_inserter(file.text());
  if (form.ending == std::string_view(".mtx")) {
    fmt::format_to(out, "%%MatrixMarket matrix coordinate pattern general\n% {}\n{} {} {}\n",
                   graph.identity().name, graph.vertex_count(), graph.vertex_count(),
                   graph.edge_count());
  }
  for (vertex_t u = 0; u < graph.vertex_count(); ++u) {
    for (const vertex_t v : graph.neighbors(u)) {
      fmt::format_to(out, FMT_STRING("{}{}{}\n"), u + form.first, form.separator, v + form.first);
    }
    file.flush(kFlush);
  }
  file.commit();
}

std::string ending_of(const std::string& path) {
  const std::size_t dot = path.rfind('.');
  return dot == std::string::npos ? std::string() : path.substr(dot);
}

bool lists_edges_only(const std::string& path) {
  return path.ends_with(".txt") || path.ends_with(".txt.gz") || path.ends_with(".el");
}

}  // namespace

void check_writable_ending(const std::string& path) {
  for (const char* ending : {".txt", ".txt.gz", ".csr", ".el", ".mtx", ".sg"}) {
    if (path.ends_with(ending)) return;
  }
  if (is_vertex_text(path) || is_program_form(ending_of(path))) return;
  throw InputError(fmt::format(
      "{}: the ending does not determine the format; expected .txt, .txt.gz (SNAP text), .el (edge "
      "list), .mtx (Matrix Market), .sg (GAP's binary), .csr (bfslab's binary), .adj (Ligra), "
      ".graph (METIS), .gr (DIMACS), .arrays32, .arrays64 (beg_pos and csr arrays) or .dfq",
      path));
}

void check_readable(const CsrGraph& graph, const std::string& path) {
  if (graph.vertex_count() == 0 && !path.ends_with(kCsrEnding)) {
    throw InputError(fmt::format(
        "{}: cannot be written: a graph of 0 vertices, and only .csr is read without any", path));
  }
  if (graph.edge_count() == 0 && lists_edges_only(path)) {
    throw InputError(
        fmt::format("{}: cannot be written: a graph without edges, and this form lists edges only; "
                    "choose .mtx, .sg or .csr",
                    path));
  }
}

vertex_t vertices_lost(const CsrGraph& graph, const std::string& path) {
  if (!lists_edges_only(path)) return 0;
  std::vector<bool> named(graph.vertex_count());
  for (vertex_t u = 0; u < graph.vertex_count(); ++u) {
    for (const vertex_t v : graph.neighbors(u)) named[u] = named[v] = true;
  }
  return static_cast<vertex_t>(std::count(named.begin(), named.end(), false));
}

std::vector<std::string> files_of(const std::string& path) {
  return is_program_form(ending_of(path)) ? program_files(path) : std::vector<std::string>{path};
}

void write_graph(const CsrGraph& graph, const std::string& path, int threads) {
  check_writable_ending(path);
  for (const ListForm& form : kLists) {
    if (path.ends_with(form.ending)) return write_list(graph, path, form);
  }
  if (is_vertex_text(path)) return write_vertex_text(graph, path);
  if (is_program_form(ending_of(path))) return write_program_files(graph, path);
  if (path.ends_with(kGapbsEnding)) return write_gapbs(graph, path, threads);
  if (!path.ends_with(kCsrEnding)) {
    check_labels(graph, path);
    return write_snap(graph, path);
  }
  try {
    write_csr_file(graph, path, "graph convert", threads);
  } catch (const std::system_error& error) {
    throw InputError(fmt::format("{}: cannot be written: {}", path, error.what()));
  }
}

}  // namespace bfslab
