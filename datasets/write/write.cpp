// SPDX-License-Identifier: Apache-2.0
#include "datasets/write/write.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <memory>
#include <system_error>

#include "datasets/cache/csr_file.hpp"

namespace bfslab {

namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& reason) {
  throw InputError(fmt::format("{}: cannot be written: {}", path, reason));
}

// Plain or gzip text into a file beside the final one; removed unless committed.
class TextFile {
 public:
  TextFile(std::string path, bool compressed)
      : path_(std::move(path)), temporary_(path_ + ".tmp-XXXXXX") {
    const int descriptor = mkostemp(temporary_.data(), O_CLOEXEC);
    if (descriptor < 0) refuse(path_, std::strerror(errno));
    fchmod(descriptor, 0644);
    // "T" is zlib's transparent mode: the bytes as they are.
    file_ = gzdopen(descriptor, compressed ? "wb6" : "wbT");
    if (file_ == nullptr) {
      close(descriptor);
      unlink(temporary_.c_str());
      refuse(path_, std::strerror(errno));
    }
    gzbuffer(file_, 1U << 20);
  }
  TextFile(const TextFile&) = delete;
  TextFile& operator=(const TextFile&) = delete;
  ~TextFile() {
    if (file_ != nullptr) gzclose(file_);
    if (!committed_) unlink(temporary_.c_str());
  }
  fmt::memory_buffer& text() { return text_; }
  void flush(std::size_t at_least) {
    if (text_.size() < at_least || text_.size() == 0) return;
    if (gzwrite(file_, text_.data(), static_cast<unsigned>(text_.size())) <= 0) {
      refuse(path_, std::strerror(errno));
    }
    text_.clear();
  }
  void commit() {
    flush(0);
    if (gzclose(std::exchange(file_, nullptr)) != Z_OK) refuse(path_, std::strerror(errno));
    std::error_code error;
    std::filesystem::rename(temporary_, path_, error);
    if (error) refuse(path_, error.message());
    committed_ = true;
  }

 private:
  std::string path_;
  std::string temporary_;
  gzFile file_ = nullptr;
  fmt::memory_buffer text_;
  bool committed_ = false;
};

void write_snap(const CsrGraph& graph, const std::string& path) {
  constexpr std::size_t kFlush = std::size_t{1} << 20;
  const bool symmetric = graph.symmetric();
  const auto listed = [&](vertex_t u, vertex_t v) { return !symmetric || u <= v; };
  edge_t edges = 0;
  for (vertex_t u = 0; u < graph.vertex_count(); ++u) {
    for (const vertex_t v : graph.neighbors(u)) edges += listed(u, v) ? 1 : 0;
  }

  TextFile file(path, path.ends_with(".gz"));
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

// What an edge list is but for its lines: FIRST is the id of the first vertex.
struct ListForm {
  const char* ending;
  char separator;
  std::uint64_t first;
};
constexpr ListForm kLists[] = {{".el", ' ', 0}, {".mtx", ' ', 1}};

// Every adjacency entry on a line of its own, by the ids of the loaded graph.
void write_list(const CsrGraph& graph, const std::string& path, const ListForm& form) {
  constexpr std::size_t kFlush = std::size_t{1} << 20;
  TextFile file(path, false);
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

}  // namespace

void check_writable_ending(const std::string& path) {
  for (const char* ending : {".txt", ".txt.gz", ".csr", ".el", ".mtx"}) {
    if (path.ends_with(ending)) return;
  }
  throw InputError(fmt::format(
      "{}: the ending does not determine the format; expected .txt, .txt.gz (SNAP text), .el (edge "
      "list), .mtx (Matrix Market) or .csr (binary)",
      path));
}

void write_graph(const CsrGraph& graph, const std::string& path, int threads) {
  check_writable_ending(path);
  for (const ListForm& form : kLists) {
    if (path.ends_with(form.ending)) return write_list(graph, path, form);
  }
  if (!path.ends_with(kCsrEnding)) return write_snap(graph, path);
  try {
    write_csr_file(graph, path, "graph convert", threads);
  } catch (const std::system_error& error) {
    refuse(path, error.what());
  }
}

}  // namespace bfslab
