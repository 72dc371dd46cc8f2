// SPDX-License-Identifier: Apache-2.0
#include "tests/benchmarks/graph_files.hpp"

#include <fmt/format.h>
#include <stdlib.h>
#include <zlib.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <vector>

#include "datasets/generate/generator.hpp"
#include "datasets/load_graph.hpp"
#include "datasets/write/write.hpp"
#include "tests/datasets/packed.hpp"
#include "tests/test_data.hpp"

namespace bfslab::bench {

namespace {

struct Scratch {
  Scratch() : path((std::filesystem::temp_directory_path() / "bfslab-XXXXXX").string()) {
    if (mkdtemp(path.data()) == nullptr) throw std::runtime_error("no temporary folder");
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  std::string path;
};

// One line per tuple after a header; `first` is the lowest id.
void write_tuples(const EdgeSource& source, std::ofstream& out, const std::string& format) {
  const edge_t n = source.vertex_count();
  const unsigned first = format == "snap" || format == "arcs" ? 0 : 1;
  if (format == "snap") out << fmt::format("# Nodes: {} Edges: {}\n", n, source.size());
  if (format == "konect")
    out << fmt::format("% asym unweighted\n% {} {} {}\n", source.size(), n, n);
  if (format == "matrix-market") {
    out << fmt::format("%%MatrixMarket matrix coordinate pattern general\n{} {} {}\n", n, n,
                       source.size());
  }
  if (format == "dimacs9") out << fmt::format("p sp {} {}\n", n, source.size());
  const char separator = format == "snap" || format == "arcs" ? '\t' : ' ';
  std::vector<Edge> batch(1 << 16);
  fmt::memory_buffer text;
  for (edge_t at = 0; at < source.size(); at += batch.size()) {
    batch.resize(std::min<edge_t>(batch.size(), source.size() - at));
    source.fill(at, batch);
    text.clear();
    for (const Edge edge : batch) {
      if (format == "dimacs9") {
        fmt::format_to(std::back_inserter(text), "a {} {} 1\n", edge.from + first, edge.to + first);
      } else {
        fmt::format_to(std::back_inserter(text), "{}{}{}\n", edge.from + first, separator,
                       edge.to + first);
      }
    }
    out.write(text.data(), static_cast<std::streamsize>(text.size()));
  }
}

void write_metis(const CsrGraph& graph, std::ofstream& out) {
  out << fmt::format("{} {}\n", graph.vertex_count(), graph.edge_count() / 2);
  fmt::memory_buffer line;
  for (vertex_t v = 0; v < graph.vertex_count(); ++v) {
    line.clear();
    for (const vertex_t u : graph.neighbors(v)) {
      fmt::format_to(std::back_inserter(line), "{} ", u + 1);
    }
    line.push_back('\n');
    out.write(line.data(), static_cast<std::streamsize>(line.size()));
  }
}

// A byte for "directed", the numbers of entries and of vertices, offsets and neighbours.
void write_gapbs(const CsrGraph& graph, std::ofstream& out) {
  const auto put = [&](const auto* data, std::size_t count) {
    out.write(reinterpret_cast<const char*>(data),
              static_cast<std::streamsize>(count * sizeof(*data)));
  };
  const char directed = 0;
  const std::array<std::int64_t, 2> counts = {static_cast<std::int64_t>(graph.edge_count()),
                                              static_cast<std::int64_t>(graph.vertex_count())};
  put(&directed, 1);
  put(counts.data(), 2);
  put(graph.row_offsets().data(), graph.row_offsets().size());
  put(graph.columns().data(), graph.columns().size());
}

std::string ending(const std::string& format) {
  if (format == "matrix-market") return ".mtx";
  if (format == "metis") return ".graph";
  if (format == "dimacs9") return ".gr";
  if (format == "gapbs") return ".sg";
  if (format == "arcs") return ".arcs.tsv";
  if (format == "csr") return ".csr";
  return ".txt";
}

void write_file(const std::string& path, const std::string& format, int scale) {
  const GraphName name = GraphName::parse(fmt::format("kronecker:scale={}", scale));
  if (format == "csr") return write_graph(load_graph(name, {}), path, 0);
  std::ofstream out(path, std::ios::binary);
  if (format == "metis") {
    write_metis(load_graph(name, {}), out);
  } else if (format == "gapbs") {
    write_gapbs(load_graph(name, {}), out);
  } else {
    write_tuples(*find_generator(name.kind)->make(name), out, format);
  }
  if (!out.flush()) throw std::runtime_error(path + " could not be written");
}

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

const std::string& scratch_folder() {
  static const Scratch scratch;
  return scratch.path;
}

std::string graph_file(const std::string& format, const std::string& packing, int scale) {
  const std::string stem =
      (format == "konect" ? "out.kronecker" : "kronecker") + std::to_string(scale);
  const std::string plain =
      scratch_folder() + '/' + stem + (format == "konect" ? "" : ending(format));
  if (!std::filesystem::exists(plain)) write_file(plain, format, scale);
  if (packing.empty()) return plain;
  const std::string packed = plain + packing;
  if (std::filesystem::exists(packed)) return packed;
  if (packing == ".zst" && !tests::has_zstd()) return {};
  if (packing == ".bz2" && !tests::has_archives()) return {};
  const std::string text = bytes_of(plain);
  std::ofstream(packed, std::ios::binary) << (packing == ".gz"    ? tests::gzip_of(text)
                                              : packing == ".zst" ? tests::zstd_of(text)
                                                                  : tests::bzip2_of(text));
  return packed;
}

std::string real_snap_file(const std::string& name) {
  const std::string packed =
      tests::test_data_folder() + "/mirror/snap.stanford.edu/data/" + name + ".txt.gz";
  if (!std::filesystem::exists(packed)) return {};
  const std::string plain = scratch_folder() + '/' + name + ".txt";
  if (std::filesystem::exists(plain)) return plain;
  gzFile in = gzopen(packed.c_str(), "rb");
  std::ofstream out(plain, std::ios::binary);
  std::vector<char> block(1 << 20);
  for (int size = 0; (size = gzread(in, block.data(), static_cast<unsigned>(block.size()))) > 0;) {
    out.write(block.data(), size);
  }
  gzclose(in);
  return plain;
}

}  // namespace bfslab::bench
