// SPDX-License-Identifier: Apache-2.0
#include "datasets/write/gapbs.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <span>

#include "datasets/build/build.hpp"
#include "datasets/write/output_file.hpp"

namespace bfslab {

namespace {

template <typename T>
void write_number(OutputFile& file, T value) {
  file.write(std::as_bytes(std::span(&value, 1)));
}

// The file's offsets and neighbours are what a CsrGraph holds: signed, but below 2^63 and 2^31.
static_assert(sizeof(edge_t) == sizeof(std::int64_t) && sizeof(vertex_t) == sizeof(std::int32_t));
void write_rows(OutputFile& file, const CsrGraph& graph) {
  file.write(std::as_bytes(graph.row_offsets()));
  file.write(std::as_bytes(graph.columns()));
}

}  // namespace

void write_gapbs(const CsrGraph& graph, const std::string& path, int threads) {
  const vertex_t n = graph.vertex_count();
  if (n < 1 || n > static_cast<vertex_t>(std::numeric_limits<std::int32_t>::max())) {
    throw InputError(
        fmt::format("{}: cannot be written: a graph of {} vertices, and this format has "
                    "1 to 2^31 - 1; choose another ending",
                    path, n));
  }
  const bool directed = !graph.symmetric();
  OutputFile file(path, false);
  write_number(file, static_cast<std::uint8_t>(directed ? 1 : 0));
  write_number(file, static_cast<std::int64_t>(graph.edge_count()));
  write_number(file, std::int64_t{n});
  write_rows(file, graph);
  if (directed) {
    if (graph.incoming() != nullptr) {
      write_rows(file, *graph.incoming());
    } else {
      write_rows(file, *build_transpose(graph, threads));
    }
  }
  file.commit();
}

}  // namespace bfslab
