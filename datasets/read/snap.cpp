#include "datasets/read/snap.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <vector>

#include "datasets/build/team.hpp"
#include "datasets/read/dense_ids.hpp"
#include "datasets/read/file_bytes.hpp"

namespace bfslab {

namespace {

bool is_blank(char c) { return c == ' ' || c == '\t'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string shown(std::string_view token) {
  std::string out;
  for (const char c : token.substr(0, 24)) {
    const auto byte = static_cast<unsigned char>(c);
    out += byte >= 0x20 && byte < 0x7f ? std::string(1, c) : fmt::format("\\x{:02x}", byte);
  }
  return out + (token.size() > 24 ? "..." : "");
}

// What is wrong with one line; the line's number is known only after all chunks are counted.
struct Fault {
  std::size_t line_in_chunk;
  std::string reason;
};

// One line's tokens, front to back. A carriage return is a blank only at the end: in the middle it
// would join the lines of a file that has no other line ends into one edge with many columns.
class Line {
 public:
  explicit Line(std::string_view text) : at_(text.data()), end_(at_ + text.size()) {
    while (end_ != at_ && (is_blank(end_[-1]) || end_[-1] == '\r')) --end_;
    skip();
  }

  [[nodiscard]] bool done() const { return at_ == end_; }
  [[nodiscard]] bool comment() const { return at_ != end_ && *at_ == '#'; }
  std::string_view token() {
    const char* begin = at_;
    while (at_ != end_ && !is_blank(*at_)) ++at_;
    const std::string_view found(begin, static_cast<std::size_t>(at_ - begin));
    skip();
    return found;
  }

 private:
  void skip() {
    while (at_ != end_ && is_blank(*at_)) ++at_;
  }
  const char* at_;
  const char* end_;
};

// nullopt and a reason unless the token is a whole number below 2^64.
std::optional<std::uint64_t> parse_id(std::string_view token, std::string& reason) {
  std::uint64_t id = 0;
  for (const char c : token) {
    if (!is_digit(c)) {
      const bool negative = token.size() > 1 && token[0] == '-' && is_digit(token[1]);
      reason = fmt::format("found \"{}\", expected a vertex id{}", shown(token),
                           negative ? ", which is never negative" : "");
      return std::nullopt;
    }
    const auto digit = static_cast<std::uint64_t>(c - '0');
    if (id > (std::numeric_limits<std::uint64_t>::max() - digit) / 10) {
      reason = fmt::format("the vertex id {} does not fit 64 bits", shown(token));
      return std::nullopt;
    }
    id = id * 10 + digit;
  }
  return id;
}

bool is_number(std::string_view token) {
  return token.find_first_not_of("0123456789+-.eE") == std::string_view::npos;
}

std::string columns_text(std::size_t columns) {
  return fmt::format("{} column{}", columns, columns == 1 ? "" : "s");
}

// Calls visit(line) for every line of `text`, without its line end.
template <typename Visit>
void for_each_line(std::string_view text, Visit&& visit) {
  while (!text.empty()) {
    const auto* end = static_cast<const char*>(std::memchr(text.data(), '\n', text.size()));
    const std::size_t length =
        end == nullptr ? text.size() : static_cast<std::size_t>(end - text.data());
    if (!visit(text.substr(0, length))) return;
    text.remove_prefix(std::min(length + 1, text.size()));
  }
}

struct Header {
  std::optional<std::uint64_t> nodes;
  std::optional<std::uint64_t> edges;
  bool undirected = false;
};

std::optional<std::uint64_t> number_after(std::string_view text, std::string_view word) {
  const std::size_t at = text.find(word);
  if (at == std::string_view::npos) return std::nullopt;
  Line rest(text.substr(at + word.size()));
  if (rest.done()) return std::nullopt;
  std::string reason;
  return parse_id(rest.token(), reason);
}

// The comments before the first edge: "# Nodes: 7115 Edges: 103689", "# Undirected graph: ...".
// Returns the columns of the first edge's line, too.
std::pair<Header, std::size_t> read_header(std::string_view text) {
  Header header;
  std::size_t columns = 0;
  for_each_line(text, [&](std::string_view raw) {
    Line line(raw);
    if (line.done()) return true;
    if (!line.comment()) {
      for (; !line.done(); line.token()) ++columns;
      return false;
    }
    if (raw.find("Undirected graph") != std::string_view::npos) header.undirected = true;
    const auto nodes = number_after(raw, "Nodes:");
    const auto edges = number_after(raw, "Edges:");
    if (nodes && edges) {
      header.nodes = nodes;
      header.edges = edges;
    }
    return true;
  });
  return {header, columns};
}

struct Chunk {
  std::string_view text;
  std::size_t lines = 0;
  std::size_t edges = 0;
  std::size_t first_line = 0;
  std::size_t first_edge = 0;
  std::optional<Fault> fault;
};

std::vector<Chunk> cut(std::string_view text, int threads) {
  constexpr std::size_t kLeast = std::size_t{1} << 16;
  const std::size_t step =
      std::max(kLeast, text.size() / (static_cast<std::size_t>(threads) * 8) + 1);
  std::vector<Chunk> chunks;
  while (!text.empty()) {
    std::size_t end = step < text.size() ? text.find('\n', step) : std::string_view::npos;
    end = end == std::string_view::npos ? text.size() : end + 1;
    chunks.push_back({.text = text.substr(0, end), .fault = {}});
    text.remove_prefix(end);
  }
  return chunks;
}

std::optional<RawEdge> parse_edge(Line& line, std::size_t columns, std::string& reason) {
  std::array<std::uint64_t, 2> ids{};
  std::size_t found = 0;
  for (; !line.done(); ++found) {
    const std::string_view token = line.token();
    if (found < 2) {
      const auto id = parse_id(token, reason);
      if (!id) return std::nullopt;
      ids[found] = *id;
    } else if (!is_number(token)) {
      reason = fmt::format("found \"{}\" in column {}, expected a number", shown(token), found + 1);
      return std::nullopt;
    }
  }
  if (found != columns || found < 2) {
    reason = found < 2 ? std::string("found one column, expected two vertex ids")
                       : fmt::format("found {}, expected {} as in the first edge's line",
                                     columns_text(found), columns_text(columns));
    return std::nullopt;
  }
  return RawEdge{ids[0], ids[1]};
}

void parse_chunk(Chunk& chunk, std::size_t columns, RawEdge* out) {
  std::size_t number = 0;
  std::string reason;
  for_each_line(chunk.text, [&](std::string_view raw) {
    ++number;
    Line line(raw);
    if (line.done() || line.comment()) return true;
    const auto edge = parse_edge(line, columns, reason);
    if (!edge) {
      chunk.fault = Fault{number, reason};
      return false;
    }
    *out++ = *edge;
    return true;
  });
}

}  // namespace

EdgeList parse_snap(std::string_view text, const std::string& file, int threads) {
  const int width = team(threads);
  const auto [header, first_columns] = read_header(text);
  const std::size_t columns = first_columns;  // threads cannot share a structured binding
  std::vector<Chunk> chunks = cut(text, width);
#pragma omp parallel for schedule(dynamic, 1) num_threads(width)
  for (Chunk& chunk : chunks) {
    for_each_line(chunk.text, [&](std::string_view raw) {
      const Line line(raw);
      ++chunk.lines;
      if (!line.done() && !line.comment()) ++chunk.edges;
      return true;
    });
  }
  std::size_t lines = 0;
  std::size_t edges = 0;
  for (Chunk& chunk : chunks) {
    chunk.first_line = std::exchange(lines, lines + chunk.lines);
    chunk.first_edge = std::exchange(edges, edges + chunk.edges);
  }
  if (edges == 0) {
    throw InputError(fmt::format("{}: holds no edge; expected lines of two vertex ids", file));
  }

  Buffer<RawEdge> raw(edges);
#pragma omp parallel for schedule(dynamic, 1) num_threads(width)
  for (Chunk& chunk : chunks) parse_chunk(chunk, columns, raw.data() + chunk.first_edge);
  for (const Chunk& chunk : chunks) {
    if (chunk.fault) {
      throw InputError(fmt::format("{}:{}: {}", file, chunk.first_line + chunk.fault->line_in_chunk,
                                   chunk.fault->reason));
    }
  }
  if (header.edges && *header.edges > edges) {
    throw InputError(
        fmt::format("{}:{}: the file ends after {} edges, its header promises {}; fetch it again",
                    file, lines, edges, *header.edges));
  }

  EdgeList list = renumber_densely(std::move(raw), file, width);
  list.undirected = header.undirected;
  list.provenance.emplace_back("format", "snap");
  list.provenance.emplace_back("edge_lines", std::to_string(edges));
  const auto warn = [&](const std::string& warning) {
    list.provenance.emplace_back("warning", warning);
  };
  if (header.edges && *header.edges != edges) {
    warn(fmt::format("the header promises {} edges, the file lists {}", *header.edges, edges));
  }
  if (header.nodes && *header.nodes != list.vertex_count) {
    warn(fmt::format("the header promises {} vertices, the edges name {}", *header.nodes,
                     list.vertex_count));
  }
  if (columns > 2) warn(fmt::format("{} beyond the ids ignored", columns_text(columns - 2)));
  if (text.back() != '\n') warn("the last line has no line end: the file may be cut off");
  return list;
}

EdgeList read_snap(const std::string& path, int threads) {
  const FileBytes bytes = read_file_bytes(path);
  return parse_snap(bytes.text, path, threads);
}

}  // namespace bfslab
