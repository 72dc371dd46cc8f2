// SPDX-License-Identifier: Apache-2.0
#include "datasets/write/vertex_texts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>

#include "datasets/write/output_file.hpp"

namespace bfslab {

namespace {

constexpr std::size_t kFlush = std::size_t{1} << 20;

void write_ligra(const CsrGraph& graph, OutputFile& file) {
  const auto out = std::back_inserter(file.text());
  fmt::format_to(out, "AdjacencyGraph\n{}\n{}\n", graph.vertex_count(), graph.edge_count());
  for (const edge_t offset : graph.row_offsets().first(graph.vertex_count())) {
    fmt::format_to(out, FMT_STRING("{}\n"), offset);
    file.flush(kFlush);
  }
  for (const vertex_t v : graph.columns()) {
    fmt::format_to(out, FMT_STRING("{}\n"), v);
    file.flush(kFlush);
  }
}

// Throws InputError for what the format cannot say.
void require_metis(const CsrGraph& graph, const std::string& path) {
  const auto refuse = [&](const std::string& why) {
    return InputError(
        fmt::format("{}: cannot be written: {}; choose .adj, .gr, .mtx, .sg or .csr", path, why));
  };
  if (!graph.symmetric()) throw refuse("METIS has no directed graphs");
  for (vertex_t v = 0; v < graph.vertex_count(); ++v) {
    const auto row = graph.neighbors(v);
    if (std::ranges::binary_search(row, v)) {
      throw refuse(fmt::format("METIS has no self-loops, and vertex {} has one", v));
    }
    if (const auto twice = std::ranges::adjacent_find(row); twice != row.end()) {
      throw refuse(fmt::format("METIS has no multiple edges, and {} to {} is one", v, *twice));
    }
  }
}

void write_metis(const CsrGraph& graph, OutputFile& file) {
  const auto out = std::back_inserter(file.text());
  fmt::format_to(out, "{} {}\n", graph.vertex_count(), graph.edge_count() / 2);
  for (vertex_t u = 0; u < graph.vertex_count(); ++u) {
    const char* separator = "";
    for (const vertex_t v : graph.neighbors(u)) {
      fmt::format_to(out, FMT_STRING("{}{}"), separator, std::uint64_t{v} + 1);
      separator = " ";
    }
    file.text().push_back('\n');
    file.flush(kFlush);
  }
}

void write_dimacs9(const CsrGraph& graph, OutputFile& file) {
  const auto out = std::back_inserter(file.text());
  fmt::format_to(out, "c {}\np sp {} {}\n", graph.identity().name, graph.vertex_count(),
                 graph.edge_count());
  for (vertex_t u = 0; u < graph.vertex_count(); ++u) {
    for (const vertex_t v : graph.neighbors(u)) {
      fmt::format_to(out, FMT_STRING("a {} {} 1\n"), std::uint64_t{u} + 1, std::uint64_t{v} + 1);
    }
    file.flush(kFlush);
  }
}

}  // namespace

bool is_vertex_text(const std::string& path) {
  return path.ends_with(".adj") || path.ends_with(".graph") || path.ends_with(".gr");
}

void write_vertex_text(const CsrGraph& graph, const std::string& path) {
  if (path.ends_with(".graph")) require_metis(graph, path);
  OutputFile file(path, false);
  if (path.ends_with(".adj")) {
    write_ligra(graph, file);
  } else if (path.ends_with(".graph")) {
    write_metis(graph, file);
  } else {
    write_dimacs9(graph, file);
  }
  file.commit();
}

}  // namespace bfslab
