// SPDX-License-Identifier: Apache-2.0
#include "datasets/read/edge_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cstring>
#include <exception>
#include <limits>
#include <utility>
#include <vector>

#include "datasets/build/team.hpp"
#include "datasets/read/dense_ids.hpp"
#include "datasets/read/konect_kind.hpp"
#include "datasets/read/line_words.hpp"

namespace bfslab {

namespace {

constexpr std::uint64_t kAnyId = std::numeric_limits<std::uint64_t>::max();
constexpr std::size_t kShortestLine = 4;  // "0 1\n"

// Characters of an ignored column, such as a weight or a time, that cannot end it.
struct PlainCharacters {
  bool is[256] = {};
  constexpr PlainCharacters() {
    for (unsigned c = 0x21; c < 256; ++c) is[c] = c != 0x7f;
    for (const char c : {',', ';', '|'}) is[static_cast<unsigned char>(c)] = false;
    for (const char c : kOpening) is[static_cast<unsigned char>(c)] = false;
  }
};
constexpr PlainCharacters kPlain;

std::string columns_text(std::size_t columns) {
  return fmt::format("{} column{}", columns, columns == 1 ? "" : "s");
}

enum class LineKind { edge, passed_over, faulty };

// The grammar of one line, in full and not optimised: comments, blank lines and every fault.
class LineGrammar {
 public:
  LineGrammar(const EdgeLineRules& rules, std::size_t columns)
      : rules_(rules),
        columns_(columns),
        last_id_(last_of(rules.id_count)),
        last_second_(rules.two_sets ? last_of(rules.second_count) : last_id_),
        second_shift_(rules.second_shift()) {}

  [[nodiscard]] bool passes_over(std::string_view line) const {
    LineWords words(line);
    if (words.done()) return true;
    const std::string_view first = words.next();  // not empty: between blanks
    return rules_.comments.find(first.front()) != std::string_view::npos ||
           (!rules_.skipped.empty() && first == rules_.skipped);
  }

  // Words after the lead.
  [[nodiscard]] std::size_t count_columns(std::string_view line) const {
    LineWords words(line, rules_.separator);
    if (!rules_.lead.empty()) words.next();
    std::size_t count = 0;
    for (; !words.done(); ++count) count < 2 ? words.next() : words.next_text();
    return count;
  }

  LineKind read(std::string_view line, RawEdge& edge, std::string& reason) const {
    if (passes_over(line)) {
      if (!rules_.refuse_bip) return LineKind::passed_over;
      const auto konect = konect_kind(line);
      if (!konect || konect->kind != "bip") return LineKind::passed_over;
      reason = two_sets_fault(line);
      return LineKind::faulty;
    }
    LineWords words(line, rules_.separator);
    if (!rules_.lead.empty()) {
      const std::string_view lead = words.next();
      if (lead != rules_.lead) {
        reason = fmt::format("found \"{}\", expected \"{}\"", shown(lead), rules_.lead);
        return LineKind::faulty;
      }
    }
    std::size_t found = 0;
    for (; !words.done(); ++found) {
      const std::string_view word = found < 2 ? words.next() : words.next_text();
      if (found < 2) {
        const auto id = parse_number(word, "a vertex id", reason);
        if (!id && std::isalpha(static_cast<unsigned char>(word.front())) != 0) {
          reason += ", which is a number (docs/formats.md shows how to number names)";
        }
        if (!id || !legal(*id, found == 1, reason)) return LineKind::faulty;
        (found == 0 ? edge.from : edge.to) =
            *id - rules_.first_id + (found == 0 ? 0 : second_shift_);
      } else if (!is_text(word)) {
        reason = fmt::format("found \"{}\" in column {}, expected text: the file is damaged",
                             shown(word), found + 1);
        return LineKind::faulty;
      }
    }
    if (found < 2) {
      reason =
          fmt::format("found {}, expected two vertex ids", found == 0 ? "nothing" : "one column");
      return LineKind::faulty;
    }
    if (found != columns_) {
      reason = fmt::format("found {}, expected {}{}", columns_text(found), columns_text(columns_),
                           rules_.columns == 0
                               ? " as in the first edge's line; if that line is no edge (counts, "
                                 "say), delete it"
                               : "");
      return LineKind::faulty;
    }
    return LineKind::edge;
  }

  // The largest legal id of the first and the second column, less first_id.
  [[nodiscard]] std::uint64_t last_id() const { return last_id_; }
  [[nodiscard]] std::uint64_t last_second() const { return last_second_; }

 private:
  [[nodiscard]] std::uint64_t last_of(std::uint64_t count) const {
    if (count > 0) return count - 1;
    return rules_.two_sets ? (std::uint64_t{1} << 32) - 1 : kAnyId - rules_.first_id;
  }
  [[nodiscard]] bool legal(std::uint64_t id, bool second, std::string& reason) const {
    if (id < rules_.first_id) {
      reason = fmt::format("the vertex id {} is below {}, where ids begin", id, rules_.first_id);
      return false;
    }
    const std::uint64_t last = second ? last_second_ : last_id_;
    if (id - rules_.first_id > last) {
      const bool known = rules_.id_count > 0;
      const std::string_view set =
          rules_.two_sets ? (second ? " of the second set" : " of the first set") : "";
      reason = known ? fmt::format("the vertex id {} is beyond the header's {} vertices{}", id,
                                   last + 1, set)
                     : fmt::format("the vertex id {}{} does not fit 32 bits", id, set);
      return false;
    }
    return true;
  }

  const EdgeLineRules& rules_;
  std::size_t columns_;
  std::uint64_t last_id_;
  std::uint64_t last_second_;
  std::uint64_t second_shift_;
};

struct BlockResult {
  std::size_t index = 0;
  std::uint64_t lines = 0;
  std::uint64_t largest = 0;
  bool ends_with_newline = true;
  bool too_wide = false;  // an id does not fit EdgeType, and nothing else is wrong
  std::string fault;      // of line number `lines`
  EdgePiece piece;
};

// Parses blocks; one a thread, for its scratch.
class BlockParser {
 public:
  BlockParser(const EdgeLineRules& rules, const LineGrammar& grammar, std::size_t columns)
      : rules_(rules), grammar_(grammar), extra_columns_(columns - 2) {}

  BlockResult parse(const TextBlock& block) {
    BlockResult result = parse_as<Edge>(block, narrow_);
    return result.too_wide ? parse_as<RawEdge>(block, wide_) : std::move(result);
  }

 private:
  template <typename EdgeType>
  BlockResult parse_as(const TextBlock& block, Buffer<EdgeType>& scratch);

  const EdgeLineRules& rules_;
  const LineGrammar& grammar_;
  std::size_t extra_columns_;
  Buffer<Edge> narrow_;
  Buffer<RawEdge> wide_;
};

// One number of up to 19 digits, which fits 64 bits; stops at the first other character.
inline bool fast_number(const char*& p, std::uint64_t& number) {
  const char* const begin = p;
  auto digit = static_cast<unsigned>(static_cast<unsigned char>(*p)) - '0';
  if (digit > 9) return false;
  number = digit;
  while ((digit = static_cast<unsigned>(static_cast<unsigned char>(*++p)) - '0') <= 9) {
    number = number * 10 + digit;
  }
  return p - begin <= 19;
}

// To the next column.
inline bool fast_gap(const char*& p, char separator) {
  if (separator != '\0') {
    while (is_blank(*p)) ++p;
    if (*p != separator) return false;
  } else if (!is_blank(*p)) {
    return false;
  }
  do ++p;
  while (is_blank(*p));
  return true;
}

// True, and p after the line end, if this is an edge's line without any peculiarity. The text ends
// with '\n', which stops every loop.
inline bool fast_edge(const char*& p, char lead, char separator, std::size_t extra_columns,
                      std::uint64_t& from, std::uint64_t& to) {
  while (is_blank(*p)) ++p;
  if (lead != '\0') {
    if (*p != lead || !is_blank(p[1])) return false;
    do ++p;
    while (is_blank(*p));
  }
  if (!fast_number(p, from) || !fast_gap(p, separator) || !fast_number(p, to)) return false;
  for (std::size_t k = 0; k < extra_columns; ++k) {
    if (!fast_gap(p, separator)) return false;
    if (!kPlain.is[static_cast<unsigned char>(*p)]) return false;
    do ++p;
    while (kPlain.is[static_cast<unsigned char>(*p)]);
  }
  while (is_blank(*p)) ++p;
  if (*p == '\r') ++p;
  return *p++ == '\n';
}

template <typename EdgeType>
BlockResult BlockParser::parse_as(const TextBlock& block, Buffer<EdgeType>& scratch) {
  BlockResult result;
  result.index = block.index;
  const std::string_view text = block.text;
  result.ends_with_newline = text.back() == '\n';
  const std::size_t most = text.size() / kShortestLine + 1;
  if (scratch.size() < most) scratch = Buffer<EdgeType>(most);
  EdgeType* out = scratch.data();
  const char separator = rules_.separator;
  const char lead = rules_.lead.size() == 1 ? rules_.lead.front() : '\0';
  const bool fast = rules_.lead.size() <= 1;
  const std::uint64_t first_id = rules_.first_id;
  const std::uint64_t last_id = grammar_.last_id();
  const std::uint64_t last_second = grammar_.last_second();
  const std::uint64_t second_shift = rules_.second_shift();
  const char* p = text.data();
  const char* const end = p + text.size();
  const char* const fast_end = p + (text.rfind('\n') + 1);  // npos + 1 is 0
  while (p != end) {
    ++result.lines;
    const char* const line = p;
    RawEdge edge{};
    if (!(fast && p < fast_end &&
          fast_edge(p, lead, separator, extra_columns_, edge.from, edge.to) &&
          (edge.from -= first_id) <= last_id && (edge.to -= first_id) <= last_second)) {
      const auto* newline =
          static_cast<const char*>(std::memchr(line, '\n', static_cast<std::size_t>(end - line)));
      const char* const stop = newline == nullptr ? end : newline;
      p = newline == nullptr ? end : newline + 1;
      const LineKind kind =
          grammar_.read({line, static_cast<std::size_t>(stop - line)}, edge, result.fault);
      if (kind == LineKind::faulty) return result;
      if (kind == LineKind::passed_over) continue;
    } else {
      edge.to += second_shift;
    }
    if constexpr (sizeof(EdgeType) == sizeof(Edge)) {
      if (((edge.from | edge.to) >> 32) != 0) {
        result.too_wide = true;
        return result;
      }
      *out++ = {static_cast<vertex_t>(edge.from), static_cast<vertex_t>(edge.to)};
    } else {
      *out++ = edge;
    }
    result.largest = std::max({result.largest, edge.from, edge.to});
  }
  const auto count = static_cast<std::size_t>(out - scratch.data());
  Buffer<EdgeType> piece(count);
  if (count > 0) std::memcpy(piece.data(), scratch.data(), count * sizeof(EdgeType));
  if constexpr (sizeof(EdgeType) == sizeof(Edge)) {
    result.piece.narrow = std::move(piece);
  } else {
    result.piece.wide = std::move(piece);
  }
  return result;
}

// All blocks, in the order of the file. After a fault no more blocks are taken. The earlier ones
// have been taken by then, so the first faulty line of the file is among those returned.
std::vector<BlockResult> parse_blocks(TextLines& text, const EdgeLineRules& rules,
                                      const LineGrammar& grammar, std::size_t columns,
                                      int threads) {
  std::vector<BlockResult> results;
  std::exception_ptr failure;
  std::atomic<bool> stop = false;
  std::atomic<std::uint64_t> edges = 0;
#pragma omp parallel num_threads(threads)
  {
    BlockParser parser(rules, grammar, columns);
    std::vector<char> buffer;
    TextBlock block;
    try {
      while (!stop.load(std::memory_order_relaxed) && text.next_block(block, buffer)) {
        BlockResult result = parser.parse(block);
        edges += result.piece.size();
        if (!result.fault.empty() || (rules.max_edges && edges > *rules.max_edges)) stop = true;
#pragma omp critical(bfslab_parse_blocks)
        results.push_back(std::move(result));
      }
    } catch (...) {
      stop = true;
#pragma omp critical(bfslab_parse_blocks)
      if (!failure) failure = std::current_exception();
    }
  }
  std::sort(results.begin(), results.end(),
            [](const BlockResult& a, const BlockResult& b) { return a.index < b.index; });
  std::uint64_t lines = text.lines_read();
  for (const BlockResult& result : results) {
    lines += result.lines;
    if (!result.fault.empty()) refuse_line(text, lines, result.fault);
  }
  if (failure) std::rethrow_exception(failure);
  return results;
}

// Skips what comes before the first edge, and returns the columns of its line, which becomes
// `first`; 0: no edge.
std::size_t find_first_edge(TextLines& text, const EdgeLineRules& rules, std::string& first) {
  const LineGrammar grammar(rules, 2);
  std::string_view line;
  while (text.peek_line(line)) {
    if (!grammar.passes_over(line)) {
      first = line;
      return grammar.count_columns(line);
    }
    if (rules.refuse_bip) refuse_two_sets(text, text.lines_read() + 1, line);
    text.next_line(line);
  }
  return 0;
}

}  // namespace

EdgeLines parse_edge_lines(TextLines& text, const EdgeLineRules& rules, int threads,
                           bool may_be_empty) {
  const int width = team(threads);
  if (rules.id_count >= kNoVertex || rules.second_count >= kNoVertex - rules.id_count) {
    throw InputError(fmt::format("{}: has {} vertices; at most 2^32 - 2 are supported", text.file(),
                                 rules.two_sets
                                     ? fmt::format("{} + {}", rules.id_count, rules.second_count)
                                     : std::to_string(rules.id_count)));
  }
  EdgeLines lines;
  const std::size_t found = find_first_edge(text, rules, lines.first_line);
  // Fewer than two are reported when the line is parsed.
  lines.columns = std::max<std::size_t>(rules.columns > 0 ? rules.columns : found, 2);
  const LineGrammar grammar(rules, lines.columns);
  std::vector<BlockResult> results = parse_blocks(text, rules, grammar, lines.columns, width);

  lines.lines = text.lines_read();
  std::vector<EdgePiece> pieces;
  pieces.reserve(results.size());
  for (BlockResult& result : results) {
    lines.lines += result.lines;
    lines.edges += result.piece.size();
    lines.largest = std::max(lines.largest, result.largest);
    lines.ends_with_newline = result.ends_with_newline;
    pieces.push_back(std::move(result.piece));
  }
  lines.stopped = rules.max_edges && lines.edges > *rules.max_edges;
  if (lines.stopped)
    return lines;  // the caller refuses it, since it knows what the header's count means
  if (lines.edges == 0 && !may_be_empty) {
    throw InputError(fmt::format("{}: holds no edge; expected lines of {}two vertex ids",
                                 text.file(),
                                 rules.lead.empty() ? "" : fmt::format("\"{}\", ", rules.lead)));
  }
  if (rules.id_count > 0) {
    const std::uint64_t vertices = rules.id_count + (rules.two_sets ? rules.second_count : 0);
    lines.list = gather(std::move(pieces), static_cast<vertex_t>(vertices), width);
  } else {
    lines.list = renumber_densely(std::move(pieces), lines.largest, text.file(), width);
  }
  return lines;
}

}  // namespace bfslab
