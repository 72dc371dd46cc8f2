// SPDX-License-Identifier: Apache-2.0
#include "datasets/write/program_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <span>

#include "datasets/write/output_file.hpp"

namespace bfslab {

namespace {

constexpr const char* kText = ".dfq";
constexpr const char* kNarrow = ".arrays32";
constexpr const char* kWide = ".arrays64";

static_assert(sizeof(edge_t) == sizeof(std::int64_t) && sizeof(vertex_t) == sizeof(std::int32_t));

void write_text(const CsrGraph& graph, const std::string& path) {
  constexpr std::size_t kFlush = std::size_t{1} << 20;
  OutputFile file(path, false);
  auto out = std::back_inserter(file.text());
  fmt::format_to(out, "{} {} 0\n", graph.vertex_count(), graph.edge_count());
  const auto offsets = graph.row_offsets();
  for (vertex_t u = 0; u < graph.vertex_count(); ++u) {
    fmt::format_to(out, FMT_STRING("{} {}\n"), offsets[u], graph.degree(u));
    file.flush(kFlush);
  }
  for (const vertex_t v : graph.columns()) {
    fmt::format_to(out, FMT_STRING("{} 1\n"), v);
    file.flush(kFlush);
  }
  file.commit();
}

void write_wide(OutputFile& file, std::span<const vertex_t> columns) {
  constexpr std::size_t kBlock = std::size_t{1} << 17;
  std::vector<std::int64_t> block;
  for (std::size_t first = 0; first < columns.size(); first += kBlock) {
    const auto part = columns.subspan(first, std::min(kBlock, columns.size() - first));
    block.assign(part.begin(), part.end());
    file.write(std::as_bytes(std::span(block)));
  }
}

void write_arrays(const CsrGraph& graph, const std::string& path) {
  const std::vector<std::string> names = program_files(path);
  OutputFile offsets(names[0], false);
  offsets.write(std::as_bytes(graph.row_offsets()));
  offsets.commit();
  OutputFile columns(names[1], false);
  if (path.ends_with(kWide)) {
    write_wide(columns, graph.columns());
  } else {
    columns.write(std::as_bytes(graph.columns()));
  }
  columns.commit();
}

}  // namespace

bool is_program_form(const std::string& ending) {
  return ending == kText || ending == kNarrow || ending == kWide;
}

std::vector<std::string> program_files(const std::string& path) {
  if (path.ends_with(kText)) return {path};
  return {path + ".offsets", path + ".columns"};
}

void write_program_files(const CsrGraph& graph, const std::string& path) {
  if (graph.vertex_count() > static_cast<vertex_t>(std::numeric_limits<std::int32_t>::max())) {
    throw InputError(
        fmt::format("{}: cannot be written: a graph of {} vertices, and the programs "
                    "that read this form have ids below 2^31",
                    path, graph.vertex_count()));
  }
  path.ends_with(kText) ? write_text(graph, path) : write_arrays(graph, path);
}

}  // namespace bfslab
