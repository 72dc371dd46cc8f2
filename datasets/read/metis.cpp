// SPDX-License-Identifier: Apache-2.0
#include "datasets/read/metis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <optional>
#include <utility>
#include <vector>

#include "datasets/build/team.hpp"
#include "datasets/read/format_parts.hpp"
#include "datasets/read/line_words.hpp"
#include "datasets/read/memory_stream.hpp"
#include "datasets/read/symmetry.hpp"

namespace bfslab {

namespace {

struct Header {
  std::uint64_t vertices = 0;
  std::uint64_t edges = 0;
  std::size_t leading = 0;  // numbers before a vertex's neighbours: its size and weights
  bool edge_weights = false;
  std::string format = "0";
};

struct Fault {
  std::size_t line = 0;  // within the block, from 1
  std::string reason;
};

// The vertices' lines of one block of text. Which vertices they are is known once all blocks before
// it are counted.
struct Rows {
  std::size_t index = 0;
  std::size_t lines = 0;                 // comments included
  std::vector<std::uint32_t> degrees;    // [rows]
  std::vector<std::uint32_t> row_lines;  // [rows] only where the block has comments: their lines
  Buffer<vertex_t> neighbors;            // of all rows
  std::optional<Fault> fault;            // a line that would be wrong anywhere in the file
  std::size_t filled = 0;                // rows up to the last that is not blank
  std::size_t first_blank = 0;           // rows before the first blank one
  // Set when all blocks have been read.
  std::uint64_t first_row = 0;
  std::uint64_t first_line = 0;

  [[nodiscard]] std::uint64_t line_of(std::size_t row) const {
    return first_line + (row_lines.empty() ? row + 1 : row_lines[row]);
  }
};

Header read_header(TextLines& text) {
  std::string_view line;
  while (text.next_line(line)) {
    LineWords words(line);
    if (words.done() || words.front() == '%') continue;
    Header header;
    header.vertices = next_number(text, words, "the number of vertices");
    header.edges = next_number(text, words, "the number of edges");
    if (!words.done()) {
      header.format = words.next();
      if (header.format.size() > 3 || header.format.find_first_not_of("01") != std::string::npos) {
        refuse_line(text, text.lines_read(),
                    fmt::format("found \"{}\", expected a format of up to three digits 0 or 1",
                                shown(header.format)));
      }
    }
    const std::string digits = std::string(3 - header.format.size(), '0') + header.format;
    header.edge_weights = digits[2] == '1';
    std::uint64_t constraints = digits[1] == '1' ? 1 : 0;
    if (!words.done()) {
      const std::uint64_t given = next_number(text, words, "the number of vertex weights");
      constexpr std::uint64_t kMaxWeights = 1024;  // a file with more is damaged, not weighted
      if (given > kMaxWeights || (constraints == 0 && given > 1)) {
        refuse_line(
            text, text.lines_read(),
            fmt::format("{} weights per vertex, but the format is {}", given, header.format));
      }
      if (constraints > 0) constraints = given;
    }
    if (!words.done()) {
      refuse_line(text, text.lines_read(),
                  fmt::format("found \"{}\" after the header's numbers", shown(words.next())));
    }
    header.leading = constraints + (digits[0] == '1' ? 1 : 0);
    if (header.vertices >= kNoVertex) {
      throw InputError(fmt::format("{}: has {} vertices; at most 2^32 - 2 are supported",
                                   text.file(), header.vertices));
    }
    return header;
  }
  throw InputError(
      fmt::format("{}: holds no header \"VERTICES EDGES\"; is it empty?", text.file()));
}

// A number of the usual form: only digits, and too few to overflow.
bool plain_number(std::string_view word, std::uint64_t& number) {
  if (word.empty() || word.size() > 18) return false;
  number = 0;
  for (const char c : word) {
    const auto digit = static_cast<unsigned>(static_cast<unsigned char>(c)) - '0';
    if (digit > 9) return false;
    number = number * 10 + digit;
  }
  return true;
}

// Parses blocks; one a thread, for its scratch.
class RowParser {
 public:
  explicit RowParser(const Header& header) : header_(header) {}

  Rows parse(const TextBlock& block) {
    Rows rows;
    rows.index = block.index;
    neighbors_.clear();
    std::vector<std::uint32_t> row_lines;
    bool any_blank = false;
    std::string_view text = block.text;
    std::string reason;
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      const std::string_view line = text.substr(0, end);
      text.remove_prefix(std::min(end + 1, text.size()));
      ++rows.lines;
      LineWords words(line);
      if (words.front() == '%') continue;
      const std::size_t before = neighbors_.size();
      if (words.done()) {
        if (!std::exchange(any_blank, true)) rows.first_blank = rows.degrees.size();
      } else {
        if (!read_row(words, reason)) {
          rows.fault = Fault{rows.lines, reason};
          return rows;
        }
        rows.filled = rows.degrees.size() + 1;
      }
      rows.degrees.push_back(static_cast<std::uint32_t>(neighbors_.size() - before));
      row_lines.push_back(static_cast<std::uint32_t>(rows.lines));
    }
    if (!any_blank) rows.first_blank = rows.degrees.size();
    if (rows.degrees.size() != rows.lines) rows.row_lines = std::move(row_lines);
    rows.neighbors = Buffer<vertex_t>(neighbors_.size());
    std::copy(neighbors_.begin(), neighbors_.end(), rows.neighbors.begin());
    return rows;
  }

 private:
  static bool pass_weight(std::string_view word, std::string_view expected, std::string& reason) {
    if (!word.empty() && is_text(word)) return true;
    reason = fmt::format("found {}, expected {}",
                         word.empty() ? "nothing" : fmt::format("\"{}\"", shown(word)), expected);
    return false;
  }
  bool read_row(LineWords& words, std::string& reason) {
    for (std::size_t k = 0; k < header_.leading; ++k) {
      if (!pass_weight(words.next(), "a vertex weight", reason)) return false;
    }
    while (!words.done()) {
      const std::string_view word = words.next();
      std::uint64_t id = 0;
      if (!plain_number(word, id)) {
        const auto number = parse_number(word, "a vertex id", reason);
        if (!number) return false;
        id = *number;
      }
      if (id == 0 || id > header_.vertices) {
        reason = id == 0 ? "the vertex id 0 is below 1, where ids begin"
                         : fmt::format("the vertex id {} is beyond the header's {} vertices", id,
                                       header_.vertices);
        return false;
      }
      neighbors_.push_back(static_cast<vertex_t>(id - 1));
      if (header_.edge_weights && !pass_weight(words.next(), "an edge weight", reason)) {
        return false;
      }
    }
    return true;
  }

  const Header& header_;
  std::vector<vertex_t> neighbors_;
};

// After the vertices' lines there may be blank ones, but not without an end.
constexpr std::uint64_t kMaxBlankLines = std::uint64_t{1} << 20;

bool too_many(std::uint64_t entries, const Header& header) {
  return entries / 2 >= header.edges && entries - header.edges > header.edges;
}

// Returns the maximum length of a line of this file: a vertex cannot have more neighbours than the
// graph has edges.
std::uint64_t longest_line(const Header& header) {
  constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 30;
  constexpr std::uint64_t kNumber = 21;  // 64 bits in digits, and a blank
  const std::uint64_t entry = (header.edge_weights ? 2 : 1) * kNumber;
  const std::uint64_t entries = std::min(header.edges, kMaxBytes / entry);
  return std::min(kMaxBytes, (std::uint64_t{1} << 20) + header.leading * kNumber + entries * entry);
}

// All blocks in the order of the file; after a fault, and after more than the header announces, no
// more are taken, and the earlier ones have been taken by then.
std::vector<Rows> parse_rows(TextLines& text, const Header& header, int threads) {
  std::vector<Rows> blocks;
  std::exception_ptr failure;
  std::atomic<bool> stop = false;
  std::atomic<std::uint64_t> rows_read = 0;
  std::atomic<std::uint64_t> entries_read = 0;
#pragma omp parallel num_threads(threads)
  {
    RowParser parser(header);
    std::vector<char> buffer;
    TextBlock block;
    try {
      while (!stop.load(std::memory_order_relaxed) && text.next_block(block, buffer)) {
        Rows rows = parser.parse(block);
        rows_read += rows.degrees.size();
        entries_read += rows.neighbors.size();
        if (rows.fault || rows_read > header.vertices + kMaxBlankLines ||
            too_many(entries_read, header)) {
          stop = true;
        }
#pragma omp critical(bfslab_parse_rows)
        blocks.push_back(std::move(rows));
      }
    } catch (...) {
      stop = true;
#pragma omp critical(bfslab_parse_rows)
      if (!failure) failure = std::current_exception();
    }
  }
  std::sort(blocks.begin(), blocks.end(),
            [](const Rows& a, const Rows& b) { return a.index < b.index; });
  std::uint64_t row = 0;
  std::uint64_t line = text.lines_read();
  for (Rows& rows : blocks) {
    rows.first_row = row;
    rows.first_line = line;
    if (rows.fault) refuse_line(text, line + rows.fault->line, rows.fault->reason);
    row += rows.degrees.size();
    line += rows.lines;
  }
  if (failure) std::rethrow_exception(failure);
  return blocks;
}

// Every vertex has its line, and after the last one there are only blank lines.
void check_rows(const TextLines& text, const Header& header, const std::vector<Rows>& blocks) {
  std::uint64_t entries = 0;
  std::uint64_t row = 0;
  std::uint64_t line = text.lines_read();
  for (const Rows& rows : blocks) {
    if (rows.filled > 0 && rows.first_row + rows.filled > header.vertices) {
      const std::size_t extra =
          rows.first_row >= header.vertices ? 0 : header.vertices - rows.first_row;
      refuse_line(text, rows.line_of(extra),
                  fmt::format("a line after those of the header's {} vertices", header.vertices));
    }
    if (header.leading > 0 && rows.first_blank < rows.degrees.size() &&
        rows.first_row + rows.first_blank < header.vertices) {
      refuse_line(text, rows.line_of(rows.first_blank), "found nothing, expected a vertex weight");
    }
    entries += rows.neighbors.size();
    row += rows.degrees.size();
    line += rows.lines;
  }
  if (row > header.vertices + kMaxBlankLines) {
    refuse_line(text, line,
                fmt::format("more than {} blank lines after those of the header's {} vertices",
                            kMaxBlankLines, header.vertices));
  }
  if (row < header.vertices && !too_many(entries, header)) {
    refuse_line(
        text, line,
        fmt::format("the file ends after the lines of {} vertices, but its header announces {}; "
                    "fetch it again",
                    row, header.vertices));
  }
  if (header.edges > entries || entries != 2 * header.edges) {
    refuse_line(text, line,
                fmt::format("{}{} neighbours are listed, but the header announces {} edges, each "
                            "listed by both of its vertices",
                            text.at_end() ? "" : "at least ", entries, header.edges));
  }
}

// visit(row of the block, vertex, neighbour) for every entry.
template <typename Visit>
void for_each_entry(const Rows& rows, const Visit& visit) {
  const vertex_t* next = rows.neighbors.begin();
  for (std::size_t r = 0; r < rows.degrees.size(); ++r) {
    const auto vertex = static_cast<vertex_t>(rows.first_row + r);
    for (std::uint32_t k = 0; k < rows.degrees[r]; ++k) visit(r, vertex, *next++);
  }
}

// The list is known to be asymmetric: names the first line that lists an edge without its reverse.
[[noreturn]] void refuse_asymmetry(const TextLines& text, const std::vector<Rows>& blocks) {
  std::vector<std::pair<vertex_t, vertex_t>> entries;
  for (const Rows& rows : blocks) {
    for_each_entry(rows, [&](std::size_t, vertex_t u, vertex_t v) { entries.emplace_back(u, v); });
  }
  std::sort(entries.begin(), entries.end());
  const auto listed = [&](vertex_t u, vertex_t v) {
    const auto range = std::equal_range(entries.begin(), entries.end(), std::pair{u, v});
    return range.second - range.first;
  };
  for (const Rows& rows : blocks) {
    for_each_entry(rows, [&](std::size_t row, vertex_t u, vertex_t v) {
      const auto here = listed(u, v);
      const auto there = listed(v, u);
      if (here > there) {
        refuse_line(
            text, rows.line_of(row),
            fmt::format("vertex {} lists {} {}, which lists {} {}", u + std::uint64_t{1},
                        v + std::uint64_t{1}, here == 1 ? "once" : fmt::format("{} times", here),
                        u + std::uint64_t{1},
                        there == 0 ? "not at all" : fmt::format("{} times", there)));
      }
    });
  }
  throw InputError(
      fmt::format("{}: not every edge is listed by both of its vertices", text.file()));
}

// Checks that the entries come in pairs, and returns how many of each block are from the smaller
// id.
std::vector<std::size_t> check_pairs(const TextLines& text, const std::vector<Rows>& blocks,
                                     int threads) {
  constexpr std::size_t kNone = ~std::size_t{0};
  std::vector<std::size_t> forward(blocks.size());
  std::vector<std::size_t> loops(blocks.size(), kNone);
  std::uint64_t sum = 0;
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads) reduction(+ : sum)
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    for_each_entry(blocks[b], [&](std::size_t row, vertex_t u, vertex_t v) {
      sum += symmetry_term(u, v);
      forward[b] += u < v ? 1 : 0;
      if (u == v && loops[b] == kNone) loops[b] = row;
    });
  }
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    if (loops[b] != kNone) {
      refuse_line(text, blocks[b].line_of(loops[b]),
                  fmt::format("vertex {} lists itself", blocks[b].first_row + loops[b] + 1));
    }
  }
  if (sum != 0) refuse_asymmetry(text, blocks);
  return forward;
}

}  // namespace

EdgeList parse_metis(ByteStream& bytes, const std::string& file, int threads) {
  const int width = team(threads);
  TextLines text(bytes, file);
  const Header header = read_header(text);
  if (header.vertices == 0) refuse_line(text, text.lines_read(), "a graph without vertices");
  text.allow_lines_of(longest_line(header));
  std::vector<Rows> blocks = parse_rows(text, header, width);
  check_rows(text, header, blocks);
  const std::vector<std::size_t> forward = check_pairs(text, blocks, width);

  std::vector<std::size_t> first(blocks.size() + 1);
  for (std::size_t b = 0; b < blocks.size(); ++b) first[b + 1] = first[b] + forward[b];
  EdgeList list;
  list.edges = Buffer<Edge>(first.back());
#pragma omp parallel for schedule(dynamic, 1) num_threads(width)
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    Edge* out = list.edges.data() + first[b];
    for_each_entry(blocks[b], [&](std::size_t, vertex_t u, vertex_t v) {
      if (u < v) *out++ = {u, v};
    });
    const Rows gone = std::move(blocks[b]);
  }
  list.vertex_count = static_cast<vertex_t>(header.vertices);
  list.undirected = true;
  list.first_label = 1;
  list.provenance.emplace_back("format", "metis");
  list.provenance.emplace_back("edge_lines", std::to_string(header.edges));
  if (header.leading > 0 || header.edge_weights) {
    list.provenance.emplace_back("ignored", fmt::format("weights (format {})", header.format));
  }
  return list;
}

namespace {

bool only_blank_lines(TextLines& text) {
  std::string_view line;
  while (text.peek_line(line)) {
    const char begin = LineWords(line).front();
    if (begin != '\0' && begin != '%') return false;
    text.next_line(line);
  }
  return true;
}

}  // namespace

Reading read_as_metis(const FileHead& head) {
  try {
    MemoryStream bytes(head.text);
    TextLines text(bytes, "");
    const Header header = read_header(text);
    // Editors remove the blank lines of vertices without edges: parse_metis says that they lack.
    if (header.edges == 0 && head.complete && only_blank_lines(text)) {
      return fmt::format("METIS, the counts \"{} 0\" of a graph without edges", header.vertices);
    }
    MemoryStream whole(head.text);
    if (head.complete) parse_metis(whole, "", 1);
    for (const Rows& rows : parse_rows(text, header, 1)) {
      if (rows.filled > header.vertices || too_many(rows.neighbors.size(), header)) return {};
    }
    return fmt::format("METIS, the counts \"{} {}\" and then a line of neighbours per vertex",
                       header.vertices, header.edges);
  } catch (const InputError&) {
    return {};
  }
}

}  // namespace bfslab
