// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/graph_info.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "harness/cli/print_json.hpp"
#include "harness/cli/text_table.hpp"

namespace bfslab {

namespace {

using Rows = std::vector<std::vector<std::string>>;

// Returns a percentage; only all of `total` is 100 %: 75877 of 75879 is not.
std::string percent(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return "0 %";
  if (part == whole) return "100 %";
  const double value = 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  return fmt::format("{:.2f} %", part == 0 ? 0 : std::clamp(value, 0.01, 99.99));
}

std::optional<std::string> fact(const CsrGraph& graph, std::string_view key) {
  for (const auto& [name, value] : graph.provenance()) {
    if (name == key) return value;
  }
  return std::nullopt;
}

// Lists the entries that the builder found, and whether the build options dropped them.
std::string found(const CsrGraph& graph, const char* key, const char* option, const char* what) {
  const std::string build = fact(graph, "build").value_or("");
  const bool dropped = build.find(std::string(option) + "=drop") != std::string::npos;
  return fmt::format("{} {} {}", fact(graph, key).value_or("0"), what,
                     dropped ? "dropped" : "kept");
}

std::string edges_text(const CsrGraph& graph) {
  if (!graph.symmetric()) return fmt::format("{} directed", graph.edge_count());
  const std::uint64_t loops =
      fact(graph, "build").value_or("").find("self_loops=keep") == std::string::npos
          ? 0
          : std::stoull(fact(graph, "self_loops_found").value_or("0"));
  return fmt::format("{} undirected, stored as {} entries", (graph.edge_count() + loops) / 2,
                     graph.edge_count());
}

std::string diameter_text(const GraphSummary& summary) {
  std::string text = fmt::format("at least {}", summary.diameter_at_least);
  if (summary.diameter_at_most != kUnreached) {
    text = summary.diameter_at_least == summary.diameter_at_most
               ? fmt::format("{}", summary.diameter_at_least)
               : fmt::format("{} to {}", summary.diameter_at_least, summary.diameter_at_most);
  }
  return text +
         ", of the largest component; by up to four breadth-first searches, each from the "
         "vertex that the previous one found last";
}

std::string order_text(const GraphSummary& summary, std::uint64_t vertices) {
  // The difference of two random ids is above d with probability (1 - d/n)^2.
  double random = 0;
  for (double power = 1; power < static_cast<double>(vertices); power *= 2) {
    const double above = 1 - power / static_cast<double>(vertices);
    random += above * above;
  }
  return fmt::format(
      "neighbours' ids differ by a number of {:.1f} bits on average; random ids by {:.1f}",
      summary.mean_gap_bits, random);
}

// Provenance that the rows above already contain.
bool said(std::string_view key) {
  return key == "input_edges" || key == "build" || key == "self_loops_found" ||
         key == "duplicate_entries_found";
}

std::string blocks(double length, bool utf8) {
  std::string bar;
  const int whole = static_cast<int>(length);
  for (int i = 0; i < whole; ++i) bar += utf8 ? "\u2588" : "#";
  static constexpr const char* kEighths[] = {"",       "\u258f", "\u258e", "\u258d",
                                             "\u258c", "\u258b", "\u258a", "\u2589"};
  if (utf8) bar += kEighths[static_cast<int>((length - whole) * 8)];
  return bar.empty() ? (utf8 ? "\u258f" : "#") : bar;
}

}  // namespace

bool terminal_is_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    std::string text(value);
    std::ranges::transform(text, text.begin(), [](unsigned char c) {
      return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    });
    return text.find("utf-8") != std::string::npos || text.find("utf8") != std::string::npos;
  }
  return false;
}

std::string degree_plot(const DegreeCounts& degrees, bool utf8) {
  constexpr double kWidth = 40;
  const auto bins = bin_degrees(degrees);
  std::uint64_t most = 0;
  std::uint64_t vertices = 0;
  std::size_t label_width = 0;
  std::vector<std::string> labels;
  for (const DegreeBin& bin : bins) {
    most = std::max(most, bin.vertices);
    vertices += bin.vertices;
    labels.push_back(bin.low == bin.high ? fmt::format("{}", bin.low)
                                         : fmt::format("{}-{}", bin.low, bin.high));
    label_width = std::max(label_width, labels.back().size());
  }
  const std::size_t count_width = fmt::format("{}", most).size();
  std::string plot;
  for (std::size_t b = 0; b < bins.size(); ++b) {
    const std::uint64_t count = bins[b].vertices;
    const double length = count == 0 ? 0
                                     : kWidth * std::log(1.0 + static_cast<double>(count)) /
                                           std::log(1.0 + static_cast<double>(most));
    plot += fmt::format("  {:>{}}  {:>{}}  {:>8}  {}\n", labels[b], label_width, count, count_width,
                        percent(count, vertices), count == 0 ? "" : blocks(length, utf8));
    while (plot.ends_with(" \n")) plot.erase(plot.size() - 2, 1);
  }
  return plot;
}

void print_graph_text(const GraphDescription& facts) {
  const auto& [graph, summary, part, stand_in_for] = facts;
  const std::uint64_t n = graph.vertex_count();
  Rows rows = {{"name", graph.identity().name}, {"content hash", graph.identity().content_hash}};
  if (!stand_in_for.empty()) {
    rows.push_back({"stand-in for", stand_in_for + ": generated, not the real graph"});
  }
  rows.push_back({"kind", graph.symmetric() ? "undirected" : "directed"});
  rows.push_back(
      {"vertices", fmt::format("{}, {} of them isolated ({})", n, summary.isolated_vertices,
                               percent(summary.isolated_vertices, n))});
  rows.push_back({"edges", edges_text(graph)});
  rows.push_back(
      {"input", fmt::format("{} edges; {}, {}", graph.input_edge_count(),
                            found(graph, "self_loops_found", "self_loops", "self-loops"),
                            found(graph, "duplicate_entries_found", "duplicates",
                                  graph.symmetric() ? "duplicate entries (both directions)"
                                                    : "duplicates"))});
  rows.push_back({graph.symmetric() ? "degrees" : "out-degrees",
                  fmt::format("minimum {}, median {}, mean {:.2f}, 90 % up to {}, 99 % up to {}, "
                              "maximum {}",
                              summary.minimum_degree, summary.median_degree, summary.mean_degree,
                              summary.percentile_90_degree, summary.percentile_99_degree,
                              summary.maximum_degree)});
  if (part == SummaryPart::all && n > 0) {
    rows.push_back({graph.symmetric() ? "components" : "weak components",
                    fmt::format("{}, the largest of {} vertices ({})", summary.components,
                                summary.largest_component_vertices,
                                percent(summary.largest_component_vertices, n))});
    rows.push_back({graph.symmetric() ? "diameter" : "depth", diameter_text(summary)});
    rows.push_back({"order of ids", order_text(summary, n)});
  }
  rows.push_back(
      {"memory", fmt::format("{:.1f} MiB as CSR", static_cast<double>(graph.bytes()) / (1 << 20))});
  rows.push_back({"build", fact(graph, "build").value_or("as in the file")});
  print_table(rows, 0);

  if (n > 0) {
    fmt::print("\nvertices by {}, bars proportional to the logarithm of their number:\n{}",
               graph.symmetric() ? "degree" : "out-degree",
               degree_plot(summary.degrees, terminal_is_utf8()));
  }
  Rows origin;
  for (const auto& [key, value] : graph.provenance()) {
    if (!said(key)) origin.push_back({key, value});
  }
  if (fact(graph, "published") && !fact(graph, "warning")) {
    origin.push_back({"difference", "none: the counts equal the published ones"});
  }
  fmt::print("\norigin:\n");
  if (origin.empty()) {
    origin.push_back({"generated", "from its name: the same graph on any machine"});
  }
  print_table(origin, 2);
}

void print_graph_json(const GraphDescription& facts) {
  const auto& [graph, summary, part, stand_in_for] = facts;
  using Json = nlohmann::ordered_json;
  Json provenance = Json::array();
  for (const auto& [key, value] : graph.provenance()) provenance.push_back({{key, value}});
  Json bins = Json::array();
  for (const DegreeBin& bin : bin_degrees(summary.degrees)) {
    bins.push_back({{"low", bin.low}, {"high", bin.high}, {"vertices", bin.vertices}});
  }
  const bool all = part == SummaryPart::all;
  const auto when = [](bool known, auto value) { return known ? Json(value) : Json(nullptr); };
  const auto count = [&, &g = graph](const char* key) {
    return std::stoull(fact(g, key).value_or("0"));
  };
  const Json out = {
      {"name", graph.identity().name},
      {"content_hash", graph.identity().content_hash},
      {"stand_in_for", stand_in_for},
      {"symmetric", graph.symmetric()},
      {"vertices", graph.vertex_count()},
      {"edges", graph.edge_count()},
      {"input_edges", graph.input_edge_count()},
      {"self_loops_found", count("self_loops_found")},
      {"duplicate_entries_found", count("duplicate_entries_found")},
      {"bytes", graph.bytes()},
      {"isolated_vertices", summary.isolated_vertices},
      {"degree",
       {{"minimum", summary.minimum_degree},
        {"median", summary.median_degree},
        {"mean", summary.mean_degree},
        {"percentile_90", summary.percentile_90_degree},
        {"percentile_99", summary.percentile_99_degree},
        {"maximum", summary.maximum_degree}}},
      {"degree_bins", bins},
      {"components", when(all, summary.components)},
      {"largest_component_vertices", when(all, summary.largest_component_vertices)},
      {"diameter_at_least", when(all, summary.diameter_at_least)},
      {"diameter_at_most",
       when(all && summary.diameter_at_most != kUnreached, summary.diameter_at_most)},
      {"mean_gap_bits", when(all, summary.mean_gap_bits)},
      {"provenance", provenance},
  };
  print_json(out);
}

void write_degrees(const DegreeCounts& degrees, const std::string& path) {
  // Mode x never opens an existing file.
  std::FILE* file = std::fopen(path.c_str(), "wx");
  if (file == nullptr) {
    throw InputError(
        fmt::format("{}: cannot be created: {}; name another file", path, std::strerror(errno)));
  }
  fmt::print(file, "degree,count\n");
  for (const auto& [degree, count] : degrees) fmt::print(file, "{},{}\n", degree, count);
  const bool failed = std::ferror(file) != 0;
  if (std::fclose(file) != 0 || failed) {
    throw InputError(fmt::format("{}: could not be written; is the disk full?", path));
  }
}

}  // namespace bfslab
