// SPDX-License-Identifier: Apache-2.0
#include "datasets/read/gapbs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <string_view>
#include <vector>

#include "datasets/read/dense_ids.hpp"
#include "datasets/read/memory_stream.hpp"
#include "datasets/read/symmetry.hpp"

namespace bfslab {

namespace {

static_assert(std::endian::native == std::endian::little, "files are little-endian");

// Numbers at a time: a header that announces more than the file holds must not use the memory.
constexpr std::size_t kStep = std::size_t{1} << 20;

constexpr std::string_view kWeighted = "if its neighbours have weights, its name must end in .wsg";

class Binary {
 public:
  Binary(ByteStream& bytes, const std::string& file) : bytes_(bytes), file_(file) {}

  template <typename T>
  void read(std::span<T> out, std::string_view what) {
    const std::span<char> raw(reinterpret_cast<char*>(out.data()), out.size_bytes());
    const std::size_t count = bytes_.read(raw);
    at_ += count;
    if (count < raw.size()) {
      throw InputError(fmt::format("{}: {} after {} bytes, within its {}; fetch it again", file_,
                                   at_ == 0 ? "is empty" : "is cut off", at_, what));
    }
  }
  template <typename T>
  T number(std::string_view what) {
    T value{};
    read(std::span(&value, 1), what);
    return value;
  }
  // `back` bytes before the current position.
  [[noreturn]] void refuse(std::uint64_t back, const std::string& reason) const {
    throw InputError(fmt::format("{}: byte {}: {}", file_, at_ - back, reason));
  }
  void expect_end() {
    char more = 0;
    if (bytes_.read(std::span(&more, 1)) > 0) {
      refuse(0,
             fmt::format("the file continues after the end that its counts imply; {}", kWeighted));
    }
  }

 private:
  ByteStream& bytes_;
  const std::string& file_;
  std::uint64_t at_ = 0;
};

// Returns the name of the graph's file, which in an archive is the member's.
std::string own_name(const ByteStream& bytes, const std::string& file) {
  constexpr std::string_view kMember = "tar member ";
  const std::string packing = bytes.packing();
  const std::size_t at = packing.find(kMember);
  return at == std::string::npos ? file : packing.substr(at + kMember.size());
}

// Returns whether the file's name is that of a graph with weights. The file itself does not show
// it.
bool has_weights(std::string_view file) {
  const std::size_t at = file.rfind(".wsg");
  return at != std::string_view::npos && file.find('/', at) == std::string_view::npos &&
         (at + 4 == file.size() || file[at + 4] == '.');
}

struct Header {
  bool directed = false;
  std::size_t words = 1;  // of 32 bits, for each neighbour: its id, and perhaps its weight
  std::uint64_t entries = 0;
  vertex_t vertices = 0;
};

Header read_header(Binary& in) {
  Header header;
  const auto directed = in.number<std::uint8_t>("header");
  if (directed > 1) {
    in.refuse(1, fmt::format("found {}, expected 0 (undirected) or 1 (directed)", directed));
  }
  header.directed = directed == 1;
  const auto entries = in.number<std::int64_t>("header");
  if (entries < 0) in.refuse(8, fmt::format("{} entries", entries));
  header.entries = static_cast<std::uint64_t>(entries);
  const auto vertices = in.number<std::int64_t>("header");
  // Its neighbours are int32.
  if (vertices < 1 || vertices > std::numeric_limits<std::int32_t>::max()) {
    in.refuse(8, fmt::format("{} vertices, expected 1 to 2^31 - 1", vertices));
  }
  header.vertices = static_cast<vertex_t>(vertices);
  return header;
}

// [vertices + 1]
std::vector<std::uint64_t> read_offsets(Binary& in, const Header& header) {
  std::vector<std::uint64_t> offsets;
  const std::size_t count = std::size_t{header.vertices} + 1;
  std::uint64_t last = 0;
  while (offsets.size() < count) {
    const std::size_t begin = offsets.size();
    offsets.resize(std::min(count, begin + kStep));
    in.read(std::span(offsets).subspan(begin), "offsets");
    for (std::size_t i = begin; i < offsets.size(); ++i) {
      const std::uint64_t back = (offsets.size() - i) * sizeof(std::uint64_t);
      if (i == 0 && offsets[0] != 0) in.refuse(back, "the first offset is not 0");
      if (offsets[i] < last || offsets[i] > header.entries) {
        in.refuse(back, fmt::format("the offset {} of vertex {} is not from {} to {}", offsets[i],
                                    i, last, header.entries));
      }
      last = offsets[i];
    }
  }
  if (last != header.entries) {
    in.refuse(sizeof(std::uint64_t), fmt::format("the last offset is {}, but the header announces "
                                                 "{} entries",
                                                 last, header.entries));
  }
  return offsets;
}

// visit(vertex, neighbour) in the order of the file; visit.step() after every kStep of them.
template <typename Visit>
void read_neighbors(Binary& in, const Header& header, const std::vector<std::uint64_t>& offsets,
                    Visit&& visit) {
  std::vector<std::uint32_t> step;
  vertex_t vertex = 0;
  std::uint64_t count = 0;
  for (std::uint64_t begin = 0; begin < header.entries; begin += count) {
    count = std::min<std::uint64_t>(kStep, header.entries - begin);
    step.resize(count * header.words);
    in.read(std::span(step), "neighbours");
    for (std::size_t i = 0; i < count; ++i) {
      while (offsets[vertex + std::size_t{1}] <= begin + i) ++vertex;
      const std::uint32_t neighbor = step[i * header.words];
      if (neighbor >= header.vertices) {
        in.refuse(
            (step.size() - i * header.words) * sizeof(std::uint32_t),
            fmt::format("the neighbour {} of vertex {} is beyond the header's {} vertices; {}",
                        static_cast<std::int32_t>(neighbor), vertex, header.vertices,
                        header.words == 1 ? kWeighted : "fetch the file again"));
      }
      visit(vertex, neighbor);
    }
    visit.step();
  }
}

// Collects the edges, and a sum by which they can be compared.
struct Collect {
  bool directed;
  std::uint64_t sum = 0;
  std::vector<Edge> edges;
  std::vector<EdgePiece> pieces;

  void operator()(vertex_t from, vertex_t to) {
    sum += directed ? entry_hash(from, to) : symmetry_term(from, to);
    if (directed || from <= to) edges.push_back({from, to});
  }
  void step() {
    EdgePiece piece;
    piece.narrow = Buffer<Edge>(edges.size());
    std::copy(edges.begin(), edges.end(), piece.narrow.begin());
    pieces.push_back(std::move(piece));
    edges.clear();
  }
};

struct Reverse {
  std::uint64_t sum = 0;
  void operator()(vertex_t to, vertex_t from) { sum += entry_hash(from, to); }
  void step() {}
};

}  // namespace

EdgeList parse_gapbs(ByteStream& bytes, const std::string& file, int threads) {
  Binary in(bytes, file);
  Header header = read_header(in);
  header.words = has_weights(own_name(bytes, file)) ? 2 : 1;
  Collect collect{.directed = header.directed, .edges = {}, .pieces = {}};
  read_neighbors(in, header, read_offsets(in, header), collect);
  if (!header.directed) in.expect_end();
  if (header.directed) {
    Reverse reverse;
    read_neighbors(in, header, read_offsets(in, header), reverse);
    if (reverse.sum != collect.sum) {
      throw InputError(fmt::format(
          "{}: its incoming neighbours are not the reverse of its outgoing ones", file));
    }
  } else if (collect.sum != 0) {
    throw InputError(
        fmt::format("{}: is marked as undirected but lacks the reverse of some entries", file));
  }
  if (header.directed) in.expect_end();
  EdgeList list = gather(std::move(collect.pieces), header.vertices, threads);
  list.undirected = !header.directed;
  list.provenance.emplace_back("format", "gapbs");
  list.provenance.emplace_back("edge_lines", std::to_string(header.entries));
  if (header.words > 1) list.provenance.emplace_back("ignored", "weights");
  return list;
}

Reading read_as_gapbs(const FileHead& head) {
  try {
    MemoryStream bytes(head.text);
    const std::string no_file;
    Binary in(bytes, no_file);
    const Header header = read_header(in);
    std::uint64_t last = 0;
    constexpr std::size_t kHeaderBytes = 1 + 2 * sizeof(std::uint64_t);
    const std::uint64_t shown = (head.text.size() - kHeaderBytes) / sizeof(std::uint64_t);
    for (std::uint64_t i = 0; i < std::min(header.vertices + std::uint64_t{1}, shown); ++i) {
      const auto offset = in.number<std::uint64_t>("offsets");
      if (offset < last || offset > header.entries || (i == 0 && offset != 0)) return {};
      last = offset;
    }
    return fmt::format("a binary graph of the GAP benchmark suite with {} vertices",
                       header.vertices);
  } catch (const InputError&) {
    return {};
  }
}

}  // namespace bfslab
