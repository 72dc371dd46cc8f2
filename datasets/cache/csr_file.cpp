// SPDX-License-Identifier: Apache-2.0
#include "datasets/cache/csr_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <vector>

#include "datasets/build/build.hpp"
#include "datasets/build/team.hpp"
#include "datasets/build/tree_hash.hpp"
#include "datasets/cache/block_checksum.hpp"
#include "datasets/graph/buffer.hpp"

namespace bfslab {

namespace {

static_assert(std::endian::native == std::endian::little,
              "the CSR file is written as it is in memory");

constexpr std::size_t kPage = 4096;
constexpr std::array<char, 8> kMagic = {'b', 'f', 's', 'l', 'a', 'b', '.', 'c'};
constexpr std::uint32_t kVersion = 3;
constexpr std::uint32_t kByteOrder = 0x01020304;

struct Header {
  std::array<char, 8> magic = kMagic;
  std::uint32_t version = kVersion;
  std::uint32_t byte_order = kByteOrder;
  std::uint64_t vertices = 0;
  std::uint64_t entries = 0;
  std::uint64_t input_counts = 0;  // vertices or 0
  std::uint64_t labels = 0;        // vertices or 0
  std::uint64_t symmetric = 0;
  std::uint64_t facts_bytes = 0;
  std::uint64_t file_bytes = 0;
  BlockChecksum block_checksum_kind = bfslab::block_checksum_kind();
  std::uint32_t unused = 0;
  std::uint64_t block_checksum = 0;  // of all arrays
  std::uint64_t first_label = 0;     // where there are no labels
  std::array<char, 64> checksum{};   // SHA-256 of facts and this header, this field zeroed
};
static_assert(sizeof(Header) <= kPage);

std::size_t paged(std::size_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

// Where each part begins.
struct Places {
  std::size_t facts, row_offsets, columns, input_counts, labels, end;

  explicit Places(const Header& header)
      : facts(kPage),
        row_offsets(facts + paged(header.facts_bytes)),
        columns(row_offsets + paged((header.vertices + 1) * sizeof(edge_t))),
        input_counts(columns + paged(header.entries * sizeof(vertex_t))),
        labels(input_counts + paged(header.input_counts * sizeof(std::uint32_t))),
        end(labels + paged(header.labels * sizeof(std::uint64_t))) {}
};

// Strings one after another, each preceded by its length.
std::string pack(const std::vector<std::string>& strings) {
  std::string out;
  for (const std::string& s : strings) {
    const auto size = static_cast<std::uint32_t>(s.size());
    out.append(reinterpret_cast<const char*>(&size), sizeof(size));
    out += s;
  }
  return out;
}

std::vector<std::string> unpack(std::string_view bytes) {
  std::vector<std::string> strings;
  while (bytes.size() >= sizeof(std::uint32_t)) {
    std::uint32_t size = 0;
    std::memcpy(&size, bytes.data(), sizeof(size));
    bytes.remove_prefix(sizeof(size));
    strings.emplace_back(bytes.substr(0, size));
    bytes.remove_prefix(std::min<std::size_t>(size, bytes.size()));
  }
  return strings;
}

std::array<char, 64> checksum_of(Header header, std::string_view facts) {
  header.checksum = {};
  const std::array<std::span<const std::byte>, 1> parts = {std::as_bytes(std::span(facts))};
  const std::string hex = tree_hash(std::as_bytes(std::span(&header, 1)), parts, 1);
  std::array<char, 64> digits{};
  std::copy_n(hex.begin(), digits.size(), digits.begin());
  return digits;
}

std::uint64_t checksum_of(const CsrArrays& arrays, int threads) {
  const std::array<std::span<const std::byte>, 4> parts = {
      std::as_bytes(arrays.row_offsets), std::as_bytes(arrays.columns),
      std::as_bytes(arrays.input_edges), std::as_bytes(arrays.labels)};
  return block_checksum(parts, threads);
}

// A read-only mapping of a whole file, prefetched where all of it will be read.
class MappedFile {
 public:
  MappedFile(const std::string& path, bool fetch_ahead) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat status {};
    if (file >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode)) {
      size_ = static_cast<std::size_t>(status.st_size);
      if (size_ >= kPage) address_ = mmap(nullptr, size_, PROT_READ, MAP_SHARED, file, 0);
    }
    const int error = errno;
    if (file >= 0) close(file);
    if (file < 0) throw CsrFileError(std::strerror(error));
    if (size_ < kPage || address_ == MAP_FAILED) {
      address_ = nullptr;
      throw CsrFileError("too short, or no regular file");
    }
    if (fetch_ahead) madvise(address_, size_, MADV_WILLNEED);
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile() {
    if (address_ != nullptr) munmap(address_, size_);
  }
  [[nodiscard]] std::size_t size() const { return size_; }
  // Takes pages out of this process's resident memory; they come back if they are read again.
  void release(std::size_t begin, std::size_t end) const {
    madvise(static_cast<char*>(address_) + begin, end - begin, MADV_DONTNEED);
  }
  template <typename T>
  [[nodiscard]] std::span<const T> array(std::size_t at, std::size_t count) const {
    return {reinterpret_cast<const T*>(static_cast<const char*>(address_) + at), count};
  }

 private:
  void* address_ = nullptr;
  std::size_t size_ = 0;
};

Header checked_header(const MappedFile& file) {
  Header header;
  std::memcpy(&header, file.array<char>(0, sizeof(Header)).data(), sizeof(Header));
  if (header.magic != kMagic) throw CsrFileError("not a bfslab CSR file");
  if (header.byte_order != kByteOrder)
    throw CsrFileError("written by a machine with another byte order");
  if (header.version != kVersion) {
    throw CsrFileError(
        fmt::format("written in version {} of the format, this is {}", header.version, kVersion));
  }
  if (header.block_checksum_kind != block_checksum_kind()) {
    throw CsrFileError("written by a build with another checksum (with or without xxhash)");
  }
  // Bounded one by one first, so that the sum below cannot wrap around.
  const std::uint64_t size = file.size();
  if (header.vertices >= size || header.entries >= size || header.facts_bytes >= size ||
      (header.input_counts != 0 && header.input_counts != header.vertices) ||
      (header.labels != 0 && header.labels != header.vertices) || Places(header).end != size ||
      header.file_bytes != size) {
    throw CsrFileError(
        fmt::format("cut off or damaged: {} bytes, {} expected", size, header.file_bytes));
  }
  return header;
}

// name, hash, source, then keys and values of the provenance.
std::vector<std::string> checked_facts(const MappedFile& file, const Header& header) {
  const auto facts = file.array<char>(Places(header).facts, header.facts_bytes);
  const std::string_view text(facts.data(), facts.size());
  if (checksum_of(header, text) != header.checksum) {
    throw CsrFileError("damaged: the checksum of its facts differs");
  }
  std::vector<std::string> strings = unpack(text);
  if (strings.size() < 3 || strings.size() % 2 == 0)
    throw CsrFileError("damaged: facts are missing");
  return strings;
}

struct Copies {
  Buffer<edge_t> row_offsets;
  Buffer<vertex_t> columns;
  std::shared_ptr<const void> rest;  // the mapping, for the parts that traversals do not touch
};

template <typename T>
void copy_in_parallel(std::span<const T> from, Buffer<T>& to, int threads) {
  to = Buffer<T>(from.size());
  constexpr std::size_t kStep = std::size_t{1} << 19;
#pragma omp parallel for schedule(static) num_threads(threads)
  for (std::size_t i = 0; i < from.size(); i += kStep) {
    const auto part = from.subspan(i, std::min(kStep, from.size() - i));
    std::copy(part.begin(), part.end(), to.begin() + i);
  }
}

// Closes the file, and removes it unless it was kept.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& final_path) : path_(final_path + ".tmp-XXXXXX") {
    file_ = mkostemp(path_.data(), O_CLOEXEC);
    if (file_ < 0) fail("create");
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (file_ >= 0) close(file_);
    if (!path_.empty()) unlink(path_.c_str());
  }
  void write(std::size_t at, std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      const ssize_t written =
          pwrite(file_, bytes.data(), std::min(bytes.size(), std::size_t{1} << 30),
                 static_cast<off_t>(at));
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) fail("write");
      at += static_cast<std::size_t>(written);
      bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
  }
  void keep_as(const std::string& path, std::size_t size) {
    if (ftruncate(file_, static_cast<off_t>(size)) != 0) fail("write");
    if (fchmod(file_, 0644) != 0 || fsync(file_) != 0) fail("write");
    if (rename(path_.c_str(), path.c_str()) != 0) fail("rename");
    path_.clear();
  }

 private:
  [[noreturn]] void fail(const char* what) const {
    throw std::system_error(
        errno, std::generic_category(),
        fmt::format("cannot {} {}{}", what, path_,
                    errno == EFBIG ? ", since it would exceed the limit on the size of a "
                                     "file (ulimit -f)"
                                   : ""));
  }
  std::string path_;
  int file_ = -1;
};

}  // namespace

CsrFacts read_csr_facts(const std::string& path) {
  const MappedFile file(path, /*fetch_ahead=*/false);
  const Header header = checked_header(file);
  const std::vector<std::string> strings = checked_facts(file, header);
  return {
      {strings[0], strings[1]}, strings[2], header.vertices, header.entries, header.symmetric != 0};
}

CsrFile read_csr_file(const std::string& path, bool huge_pages, int threads) {
  const auto file = std::make_shared<const MappedFile>(path, /*fetch_ahead=*/true);
  const Header header = checked_header(*file);
  const Places places(header);
  CsrArrays arrays{file->array<edge_t>(places.row_offsets, header.vertices + 1),
                   file->array<vertex_t>(places.columns, header.entries),
                   file->array<std::uint32_t>(places.input_counts, header.input_counts),
                   file->array<std::uint64_t>(places.labels, header.labels),
                   file,
                   header.first_label};
  const std::vector<std::string> strings = checked_facts(*file, header);
  const GraphIdentity identity{strings[0], strings[1]};
  Provenance provenance;
  for (std::size_t i = 3; i < strings.size(); i += 2) {
    provenance.emplace_back(strings[i], strings[i + 1]);
  }

  if (huge_pages) {
    auto copies = std::make_shared<Copies>();
    copies->rest = file;
    copy_in_parallel(arrays.row_offsets, copies->row_offsets, team(threads));
    copy_in_parallel(arrays.columns, copies->columns, team(threads));
    arrays.row_offsets = copies->row_offsets.span();
    arrays.columns = copies->columns.span();
    arrays.owner = copies;
    file->release(places.row_offsets, places.input_counts);
  }
  if (checksum_of(arrays, threads) != header.block_checksum) {
    throw CsrFileError("damaged: the checksum of the graph differs");
  }
  CsrGraph graph(arrays, header.symmetric != 0, identity, std::move(provenance));
  return {std::move(graph), strings[2]};
}

void write_csr_file(const CsrGraph& graph, const std::string& path, const std::string& source,
                    int threads) {
  std::vector<std::string> strings = {graph.identity().name, graph.identity().content_hash, source};
  for (const auto& [key, value] : graph.provenance()) {
    strings.push_back(key);
    strings.push_back(value);
  }
  const std::string facts = pack(strings);
  const std::array<edge_t, 1> no_rows = {0};  // a default-constructed graph has not even one offset
  CsrArrays arrays{
      graph.row_offsets().empty() ? std::span<const edge_t>(no_rows) : graph.row_offsets(),
      graph.columns(),
      graph.input_edges(),
      graph.labels(),
      nullptr,
      graph.first_label()};
  Header header;
  header.vertices = graph.vertex_count();
  header.entries = graph.edge_count();
  header.input_counts = graph.input_edges().size();
  header.labels = graph.labels().size();
  header.first_label = graph.first_label();
  header.symmetric = graph.symmetric() ? 1 : 0;
  header.facts_bytes = facts.size();
  const Places places(header);
  header.file_bytes = places.end;
  header.block_checksum = checksum_of(arrays, threads);
  header.checksum = checksum_of(header, facts);

  TemporaryFile file(path);
  file.write(0, std::as_bytes(std::span(&header, 1)));
  file.write(places.facts, std::as_bytes(std::span(facts)));
  file.write(places.row_offsets, std::as_bytes(arrays.row_offsets));
  file.write(places.columns, std::as_bytes(arrays.columns));
  file.write(places.input_counts, std::as_bytes(arrays.input_edges));
  file.write(places.labels, std::as_bytes(arrays.labels));
  file.keep_as(path, places.end);
}

}  // namespace bfslab
