// SPDX-License-Identifier: Apache-2.0
#include "datasets/read/konect.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "datasets/read/edge_lines.hpp"
#include "datasets/read/format_parts.hpp"
#include "datasets/read/konect_kind.hpp"
#include "datasets/read/line_words.hpp"

namespace bfslab {

namespace {

struct Counts {
  std::uint64_t edges = 0;
  std::uint64_t first = 0;
  std::uint64_t second = 0;
};

// "% EDGES FIRST SECOND", or of one set "% EDGES VERTICES".
std::optional<Counts> read_counts(std::string_view line, bool bipartite) {
  LineWords words(line.substr(line.find('%') + 1));  // npos + 1 is 0
  std::string unread;
  const auto edges = parse_number(words.next(), "", unread);
  const auto first = parse_number(words.next(), "", unread);
  const auto second = parse_number(words.next(), "", unread);
  if (!edges || !first || *first == 0 || (second ? *second == 0 : bipartite)) return std::nullopt;
  if (bipartite) return Counts{*edges, *first, *second};
  const std::uint64_t vertices = std::max(*first, second.value_or(*first));
  return Counts{*edges, vertices, vertices};
}

struct Header {
  std::string kind;
  std::string weights;
  std::optional<Counts> counts;
};

// The comments before the first edge: one gives the kind, and the comment after that may give
// counts.
Header read_header(TextLines& text) {
  Header header;
  std::string_view line;
  std::string first;  // line that is not blank
  std::uint64_t first_number = 0;
  bool counts_are_next = false;
  while (text.peek_line(line)) {
    LineWords words(line);
    const char begin = words.front();
    if (begin != '\0' && first.empty()) {
      first = line;
      first_number = text.lines_read() + 1;
    }
    if (begin != '\0' && begin != '%' && begin != '#') break;
    text.next_line(line);
    if (begin == '\0') continue;
    if (const auto found = konect_kind(line)) {
      if (!header.kind.empty() && found->kind != header.kind) {
        refuse_line(text, text.lines_read(),
                    fmt::format("found \"{}\" after \"% {}\": a file is of one kind, delete the "
                                "other line",
                                shown(line), header.kind));
      }
      header.kind = found->kind;
      header.weights = found->weights;
      counts_are_next = true;
    } else if (counts_are_next) {
      header.counts = read_counts(line, header.kind == "bip");
      counts_are_next = false;
    }
  }
  if (first.empty()) {
    throw InputError(fmt::format("{}: is empty; expected a KONECT file", text.file()));
  }
  if (header.kind.empty()) {
    refuse_line(
        text, first_number,
        fmt::format("found \"{}\", expected \"% sym\", \"% asym\" or \"% bip\" and the kind "
                    "of weights before the first edge; a list of edges alone is format=edges",
                    shown(first.substr(0, first.find_last_not_of(" \t\r") + 1))));
  }
  return header;
}

void check_edges(const TextLines& text, const Header& header, const EdgeLines& lines,
                 EdgeList& list) {
  if (!header.counts || header.counts->edges == lines.edges) return;
  // With weights the count may be the sum of multiplicities.
  if (header.weights == "unweighted") {
    if (lines.edges < header.counts->edges) check_count(text, lines, header.counts->edges, "edges");
  }
  list.provenance.emplace_back("warning", fmt::format("the header announces {} edges, the file "
                                                      "lists {}",
                                                      header.counts->edges, lines.edges));
}

// As the file has them, each set's from 1.
void label(const EdgeLineRules& rules, EdgeList& list) {
  const std::uint64_t shift = rules.second_shift();
  if (list.labels.empty() && rules.two_sets) {
    label_two_sets(list, static_cast<vertex_t>(shift));
  } else if (list.labels.empty()) {
    list.first_label = rules.first_id;
  } else {
    for (std::uint64_t& label : list.labels) {
      label += rules.first_id - (rules.two_sets && label >= shift ? shift : 0);
    }
  }
}

}  // namespace

EdgeList parse_konect(ByteStream& bytes, const std::string& file, int threads) {
  TextLines text(bytes, file);
  const Header header = read_header(text);
  const bool bipartite = header.kind == "bip";
  EdgeLineRules rules;
  rules.comments = "%#";
  rules.refuse_bip = !bipartite;
  rules.first_id = 1;
  rules.two_sets = bipartite;
  if (header.counts) {
    rules.id_count = header.counts->first;
    rules.second_count = bipartite ? header.counts->second : 0;
  }
  EdgeLines lines = parse_edge_lines(text, rules, threads);
  check_vertices(text, lines.list.vertex_count, lines.edges);
  EdgeList list = std::move(lines.list);
  label(rules, list);
  if (!header.counts || header.counts->edges != lines.edges) {
    refuse_counts_line(file, lines.first_line, rules.separator, list);
  }
  list.undirected = header.kind != "asym";
  list.provenance.emplace_back("format", "konect");
  list.provenance.emplace_back("network", header.kind + " " + header.weights);
  list.provenance.emplace_back("edge_lines", std::to_string(lines.edges));
  if (bipartite && header.counts) {
    list.provenance.emplace_back(
        "sets", fmt::format("{} + {} vertices", header.counts->first, header.counts->second));
  }
  note_columns(lines, lines.columns > 3 ? "weights and times" : "weights", list);
  if (header.weights == "dynamic") {
    list.provenance.emplace_back("warning", "edges that the network removes later are kept");
  }
  check_edges(text, header, lines, list);
  return list;
}

}  // namespace bfslab
