// SPDX-License-Identifier: Apache-2.0
#include "datasets/read/graphalytics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <memory>
#include <optional>

#include "datasets/build/team.hpp"
#include "datasets/read/byte_stream.hpp"
#include "datasets/read/edge_lines.hpp"
#include "datasets/read/format_parts.hpp"
#include "datasets/read/line_words.hpp"
#include "datasets/read/properties.hpp"

namespace bfslab {

namespace {

constexpr std::array<std::string_view, 4> kPackings = {"", ".gz", ".bz2", ".zst"};

// The file beside `path` with that ending, in any packing; empty if there is none, or if `path` is
// neither NAME.e nor NAME.v.
std::string beside(std::string path, std::string_view ending) {
  for (const std::string_view packing : kPackings) {
    if (!packing.empty() && path.ends_with(packing)) {
      path.resize(path.size() - packing.size());
      break;
    }
  }
  if (!path.ends_with(".e") && !path.ends_with(".v")) return {};
  path.resize(path.size() - 2);
  for (const std::string_view packing : kPackings) {
    std::string other = fmt::format("{}{}{}", path, ending, packing);
    std::error_code ignored;
    if (std::filesystem::is_regular_file(other, ignored)) return other;
  }
  return {};
}

struct Part {
  std::string path;
  std::unique_ptr<ByteStream> bytes;  // nullptr: there is none
};

// Ascending.
std::vector<std::uint64_t> read_vertices(Part& part) {
  TextLines text(*part.bytes, part.path);
  std::vector<std::uint64_t> ids;
  std::string_view line;
  while (text.next_line(line)) {
    LineWords words(line);
    if (words.done()) continue;
    ids.push_back(next_number(text, words, "a vertex id"));
  }
  if (!std::is_sorted(ids.begin(), ids.end())) std::sort(ids.begin(), ids.end());
  const auto twice = std::adjacent_find(ids.begin(), ids.end());
  if (twice != ids.end()) {
    throw InputError(fmt::format("{}: lists the vertex {} more than once", part.path, *twice));
  }
  if (ids.size() >= kNoVertex) {
    throw InputError(fmt::format("{}: lists {} vertices; at most 2^32 - 2 are supported", part.path,
                                 ids.size()));
  }
  return ids;
}

// "graph.NAME.directed = true". The last one counts, as in Java.
std::optional<bool> read_directed(Part& part) {
  TextLines text(*part.bytes, part.path);
  std::string all;
  std::string_view line;
  constexpr std::size_t kMaxBytes = std::size_t{1} << 20;
  while (all.size() < kMaxBytes && text.next_line(line)) all.append(line) += '\n';
  std::optional<Property> found;
  for (Property& property : parse_properties(all)) {
    if (!property.key.starts_with("graph.") || !property.key.ends_with(".directed")) continue;
    if (found && found->key != property.key && found->value != property.value) {
      refuse_line(text, property.line,
                  fmt::format("\"{}\" and \"{}\" (line {}) differ; keep that of this graph",
                              shown(property.key), shown(found->key), found->line));
    }
    found = std::move(property);
  }
  if (!found) return std::nullopt;
  std::string value = found->value;
  std::transform(value.begin(), value.end(), value.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (value == "true" || value == "false") return value == "true";
  refuse_line(text, found->line,
              fmt::format("found \"{}\", expected true or false", shown(found->value)));
}

// From the ids that edges name to all of `ids`.
void add_vertices(EdgeList& list, std::vector<std::uint64_t> ids, const Part& edges,
                  const Part& vertices, int threads) {
  std::vector<vertex_t> number(list.vertex_count);
  for (vertex_t v = 0; v < list.vertex_count; ++v) {
    const std::uint64_t id = list.labels.empty() ? v : list.labels[v];
    const auto place = std::lower_bound(ids.begin(), ids.end(), id);
    if (place == ids.end() || *place != id) {
      throw InputError(
          fmt::format("{}: an edge names the vertex {}, which {} does not list; fetch them again",
                      edges.path, id, vertices.path));
    }
    number[v] = static_cast<vertex_t>(place - ids.begin());
  }
  const int width = team(threads);
  Edge* const all = list.edges.data();
  const std::size_t count = list.edges.size();
#pragma omp parallel for schedule(static) num_threads(width)
  for (std::size_t e = 0; e < count; ++e) all[e] = {number[all[e].from], number[all[e].to]};
  list.vertex_count = static_cast<vertex_t>(ids.size());
  const bool dense = ids.empty() || ids.back() == ids.size() - 1;
  list.labels = dense ? std::vector<std::uint64_t>{} : std::move(ids);
}

}  // namespace

std::vector<std::string> graphalytics_companions(const std::string& path) {
  std::vector<std::string> companions;
  for (const std::string_view ending : {".e", ".v", ".properties"}) {
    std::string other = beside(path, ending);
    if (!other.empty() && other != path) companions.push_back(std::move(other));
  }
  return companions;
}

EdgeList read_graphalytics(const std::string& path, int threads) {
  Part edges{beside(path, ".e"), nullptr};
  if (edges.path.empty() && beside(path, ".v") == path) {
    throw InputError(
        fmt::format("{}: lists vertices, and no .e file with their edges is beside it", path));
  }
  if (edges.path.empty()) edges.path = path;
  edges.bytes = open_bytes(edges.path, {"*.e"});
  const std::string packing = edges.bytes->packing();
  const bool archive = packing.find("tar member") != std::string::npos;
  const auto part = [&](const std::string& ending) {
    Part found{archive ? path : beside(path, ending), nullptr};
    if (!found.path.empty()) found.bytes = open_bytes(found.path, {"*" + ending});
    return found;
  };

  TextLines text(*edges.bytes, edges.path);
  EdgeLineRules rules;
  rules.comments = "#";
  EdgeLines lines = parse_edge_lines(text, rules, threads);
  EdgeList list = std::move(lines.list);
  refuse_counts_line(edges.path, lines.first_line, rules.separator, list);
  list.provenance.emplace_back("format", "graphalytics");
  list.provenance.emplace_back("edge_lines", std::to_string(lines.edges));
  if (!packing.empty()) list.provenance.emplace_back("packing", packing);
  note_columns(lines, "weights", list);

  std::vector<std::string> assumed;
  if (Part vertices = part(".v"); vertices.bytes != nullptr) {
    add_vertices(list, read_vertices(vertices), edges, vertices, threads);
    list.provenance.emplace_back("vertices_file", vertices.path);
  } else {
    assumed.emplace_back("no vertex without an edge, as no .v file is beside it");
  }
  std::optional<bool> directed;
  if (Part properties = part(".properties"); properties.bytes != nullptr) {
    directed = read_directed(properties);
  }
  if (!directed) assumed.emplace_back("directed, as no .properties file beside it says otherwise");
  list.undirected = !directed.value_or(true);
  if (!assumed.empty()) {
    list.provenance.emplace_back("assumed", fmt::format("{}", fmt::join(assumed, "; ")));
  }
  return list;
}

}  // namespace bfslab
