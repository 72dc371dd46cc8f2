// SPDX-License-Identifier: Apache-2.0
#include "datasets/read/konect.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "datasets/read/edge_lines.hpp"
#include "datasets/read/format_parts.hpp"

namespace bfslab {

namespace {

struct Counts {
  std::uint64_t edges = 0;
  std::uint64_t first = 0;
  std::uint64_t second = 0;
};

struct Header {
  std::string kind;
  std::string weights;
  std::optional<Counts> counts;
};

// The comments before the first edge; the first gives the kind, the second may give counts.
Header read_header(TextLines& text) {
  Header header;
  std::string_view line;
  if (!text.next_line(line)) {
    throw InputError(fmt::format("{}: is empty; expected a KONECT file", text.file()));
  }
  LineWords words(line);
  const bool comment = words.next() == "%";
  header.kind = words.next();
  constexpr std::array<std::string_view, 3> kKinds = {"sym", "asym", "bip"};
  if (!comment || std::find(kKinds.begin(), kKinds.end(), header.kind) == kKinds.end()) {
    refuse_line(
        text, 1,
        fmt::format("found \"{}\", expected \"% sym\", \"% asym\" or \"% bip\" and the kind "
                    "of weights; a list of edges alone is format=snap",
                    shown(line.substr(0, line.find_last_not_of(" \t\r") + 1))));
  }
  header.weights = words.next();
  while (text.peek_line(line)) {
    LineWords rest(line);
    const std::string_view lead = rest.next();
    if (!lead.empty() && !lead.starts_with('%')) break;
    text.next_line(line);
    std::string unread;
    const auto edges = parse_number(rest.next(), "", unread);
    const auto first = parse_number(rest.next(), "", unread);
    const auto second = parse_number(rest.next(), "", unread);
    if (lead != "%" || !edges || header.counts || text.lines_read() != 2) continue;
    // A file of one set may give its size once or twice.
    if (first && *first > 0 && (second ? *second > 0 : header.kind != "bip")) {
      header.counts = Counts{*edges, *first, second.value_or(*first)};
    }
    if (header.counts && header.kind != "bip") {
      header.counts->first = std::max(header.counts->first, header.counts->second);
    }
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
  rules.comments = "%";
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
