// SPDX-License-Identifier: Apache-2.0
#include "datasets/read/adjacency.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "datasets/read/dense_ids.hpp"
#include "datasets/read/line_words.hpp"
#include "datasets/read/symmetry.hpp"

namespace bfslab {

namespace {

// The words of the file in their order, however they are shared out among lines.
class Words {
 public:
  explicit Words(TextLines& text) : text_(text) {}

  // Empty at the end of the file.
  std::string_view next() {
    while (line_.done()) {
      if (rest_.empty()) {
        if (!text_.next_block(block_, buffer_)) return {};
        rest_ = block_.text;
      }
      const std::size_t end = std::min(rest_.find('\n'), rest_.size());
      line_ = LineWords(rest_.substr(0, end));
      rest_.remove_prefix(std::min(end + 1, rest_.size()));
      ++lines_;
    }
    return line_.next();
  }
  std::uint64_t number(std::string_view expected, std::uint64_t most) {
    std::string reason;
    const std::string_view word = next();
    const auto number = parse_number(word, expected, reason);
    if (!number) refuse(word.empty() ? fmt::format("the file ends before {}", expected) : reason);
    if (*number > most)
      refuse(fmt::format("{} is {}, at most {} is possible", expected, *number, most));
    return *number;
  }
  [[noreturn]] void refuse(const std::string& reason) const { refuse_line(text_, lines_, reason); }

 private:
  TextLines& text_;
  TextBlock block_;
  std::vector<char> buffer_;
  std::string_view rest_;
  LineWords line_{{}};
  std::uint64_t lines_ = 0;
};

// Grows with what has been read: a header that announces more than the file holds must not use the
// memory.
std::vector<std::uint64_t> read_offsets(Words& words, std::uint64_t vertices,
                                        std::uint64_t entries) {
  std::vector<std::uint64_t> offsets;
  for (std::uint64_t v = 0; v < vertices; ++v) {
    offsets.push_back(words.number("the offset of a vertex", entries));
    if (offsets[v] < (v == 0 ? 0 : offsets[v - 1]) || (v == 0 && offsets[v] != 0)) {
      words.refuse(fmt::format("the offset {} of vertex {} is below {}", offsets[v], v,
                               v == 0 ? "another: the first is 0"
                                      : fmt::format("{}, that of the one before", offsets[v - 1])));
    }
  }
  offsets.push_back(entries);
  return offsets;
}

}  // namespace

EdgeList parse_adjacency(ByteStream& bytes, const std::string& file, int threads) {
  constexpr std::size_t kStep = std::size_t{1} << 20;
  TextLines text(bytes, file);
  text.allow_lines_of(std::uint64_t{1} << 30);  // lines mean nothing here
  Words words(text);
  const std::string kind(words.next());
  const bool weighted = kind == "WeightedAdjacencyGraph";
  if (!weighted && kind != "AdjacencyGraph") {
    words.refuse(fmt::format("found \"{}\", expected AdjacencyGraph or WeightedAdjacencyGraph",
                             shown(kind)));
  }
  const std::uint64_t vertices = words.number("the number of vertices", kNoVertex - 1);
  const std::uint64_t entries = words.number("the number of edges", ~std::uint64_t{0});
  if (vertices == 0) words.refuse("a graph without vertices");
  const std::vector<std::uint64_t> offsets = read_offsets(words, vertices, entries);

  std::vector<EdgePiece> pieces;
  std::vector<Edge> step;
  std::uint64_t sum = 0;
  vertex_t from = 0;
  for (std::uint64_t e = 0; e < entries; ++e) {
    while (offsets[from + std::size_t{1}] <= e) ++from;
    const auto to = static_cast<vertex_t>(words.number("a neighbour", vertices - 1));
    sum += symmetry_term(from, to);
    step.push_back({from, to});
    if (step.size() < kStep && e + 1 < entries) continue;
    EdgePiece piece;
    piece.narrow = Buffer<Edge>(step.size());
    std::copy(step.begin(), step.end(), piece.narrow.begin());
    pieces.push_back(std::move(piece));
    step.clear();
  }
  for (std::uint64_t e = 0; weighted && e < entries; ++e) {
    const std::string_view word = words.next();
    if (word.empty()) words.refuse("the file ends before the weight of every edge");
    if (!is_text(word)) words.refuse(fmt::format("found \"{}\", expected a weight", shown(word)));
  }
  if (const std::string_view more = words.next(); !more.empty()) {
    words.refuse(fmt::format("found \"{}\" after the last {}", shown(more),
                             weighted ? "weight" : "neighbour"));
  }

  EdgeList list = gather(std::move(pieces), static_cast<vertex_t>(vertices), threads);
  list.undirected = sum == 0;
  if (list.undirected) {
    const auto* const end = std::remove_if(list.edges.begin(), list.edges.end(),
                                           [](const Edge& edge) { return edge.from > edge.to; });
    list.edges.shrink(static_cast<std::size_t>(end - list.edges.begin()));
  }
  list.provenance.emplace_back("format", "adjacency");
  list.provenance.emplace_back("edge_lines", std::to_string(entries));
  if (weighted) list.provenance.emplace_back("ignored", "weights");
  list.provenance.emplace_back("assumed", list.undirected
                                              ? "undirected: every entry has its reverse"
                                              : "directed: some entries lack their reverse");
  return list;
}

}  // namespace bfslab
