// bfslab graph info|generate|convert, and fetch from a file of its own.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "datasets/cache/cache.hpp"
#include "datasets/generate/generator.hpp"
#include "datasets/graph_name.hpp"
#include "datasets/summary/summary.hpp"
#include "datasets/write/write.hpp"
#include "harness/cli/commands.hpp"
#include "harness/cli/folders.hpp"
#include "harness/cli/text_table.hpp"

namespace bfslab {

namespace {

struct Arguments {
  std::string graph;
  std::vector<std::string> data;
  std::string cache;
  std::string to;
  int threads = 0;
  bool json = false;
  bool no_cache = false;
  bool force = false;
};

LoadOptions load_options(const Arguments& arguments) {
  LoadOptions options;
  const std::string cache = cache_folder(arguments.cache);
  options.cache_folder = arguments.no_cache ? "" : cache;
  options.data_folders = data_folders(arguments.data, cache);
  options.threads = arguments.threads;
  options.huge_pages = false;  // read once: not worth a copy
  options.notice = [](const std::string& text) { fmt::print(stderr, "graph: {}\n", text); };
  return options;
}

double percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

void print_json(const CsrGraph& graph, const GraphSummary& summary) {
  nlohmann::ordered_json provenance = nlohmann::ordered_json::array();
  for (const auto& [key, value] : graph.provenance()) provenance.push_back({{key, value}});
  const nlohmann::ordered_json out = {
      {"name", graph.identity().name},
      {"content_hash", graph.identity().content_hash},
      {"symmetric", graph.symmetric()},
      {"vertices", graph.vertex_count()},
      {"edges", graph.edge_count()},
      {"input_edges", graph.input_edge_count()},
      {"bytes", graph.bytes()},
      {"isolated_vertices", summary.isolated_vertices},
      {"degree",
       {{"minimum", summary.minimum_degree},
        {"median", summary.median_degree},
        {"mean", summary.mean_degree},
        {"percentile_90", summary.percentile_90_degree},
        {"percentile_99", summary.percentile_99_degree},
        {"maximum", summary.maximum_degree}}},
      {"components", summary.components},
      {"largest_component_vertices", summary.largest_component_vertices},
      {"diameter_at_least", summary.diameter_at_least},
      {"provenance", provenance},
  };
  fmt::print("{}\n", out.dump(2));
}

void print_text(const CsrGraph& graph, const GraphSummary& summary) {
  const std::uint64_t n = graph.vertex_count();
  std::vector<std::vector<std::string>> rows = {
      {"name", graph.identity().name},
      {"content hash", graph.identity().content_hash},
      {"kind", graph.symmetric() ? "undirected (each edge is stored both ways)" : "directed"},
      {"vertices", fmt::format("{}, {} of them isolated ({:.2f} %)", n, summary.isolated_vertices,
                               percent(summary.isolated_vertices, n))},
      {"stored edges", fmt::format("{}", graph.edge_count())},
      {"input edges", fmt::format("{}", graph.input_edge_count())},
      {"degrees", fmt::format("minimum {}, median {}, mean {:.2f}, 90 % up to {}, 99 % up to {}, "
                              "maximum {}",
                              summary.minimum_degree, summary.median_degree, summary.mean_degree,
                              summary.percentile_90_degree, summary.percentile_99_degree,
                              summary.maximum_degree)},
      {"components", fmt::format("{}, the largest of {} vertices ({:.2f} %)", summary.components,
                                 summary.largest_component_vertices,
                                 percent(summary.largest_component_vertices, n))},
      {"diameter", fmt::format("at least {} (double sweep)", summary.diameter_at_least)},
      {"memory", fmt::format("{:.1f} MiB as CSR", static_cast<double>(graph.bytes()) / (1 << 20))},
  };
  for (const auto& [key, value] : graph.provenance()) rows.push_back({key, value});
  print_table(rows, 0);
}

void info(const Arguments& arguments) {
  const CsrGraph graph = load_graph(GraphName::parse(arguments.graph), load_options(arguments));
  const GraphSummary summary = summarize(graph, arguments.threads);
  arguments.json ? print_json(graph, summary) : print_text(graph, summary);
}

void generate(const Arguments& arguments) {
  const GraphName name = GraphName::parse(arguments.graph);
  if (find_generator(name.kind) == nullptr) {
    throw InputError(
        fmt::format("graph \"{}\": is read from a file, not generated; see `bfslab list "
                    "graphs` for the generators",
                    arguments.graph));
  }
  const LoadOptions options = load_options(arguments);
  const std::string path = cache_path(options.cache_folder, name.canonical);
  const bool there = std::filesystem::exists(path);
  const auto begin = std::chrono::steady_clock::now();
  const CsrGraph graph = load_graph(name, options);
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
  std::error_code missing;
  const auto size = std::filesystem::file_size(path, missing);
  if (missing) throw InputError(fmt::format("{}: the cache could not be written", path));
  fmt::print(stderr, "graph generate: {}: {} vertices, {} edges, {} in {:.3f} s, {:.1f} MiB\n",
             name.canonical, graph.vertex_count(), graph.edge_count(),
             there ? "loaded from the cache" : "generated, built and cached", spent.count(),
             static_cast<double>(size) / (1 << 20));
  fmt::print("{}\n", path);
}

void convert(const Arguments& arguments) {
  check_writable_ending(arguments.to);
  if (!arguments.force && std::filesystem::exists(arguments.to)) {
    throw InputError(fmt::format(
        "{}: is there already; name another file, or replace it with --force", arguments.to));
  }
  const CsrGraph graph = load_graph(GraphName::parse(arguments.graph), load_options(arguments));
  write_graph(graph, arguments.to, arguments.threads);
  fmt::print("{}\n", arguments.to);
}

CLI::App* add(CLI::App& graph, const char* name, const char* doc, const char* examples,
              const std::shared_ptr<Arguments>& arguments, void (*run)(const Arguments&)) {
  auto* command = graph.add_subcommand(name, doc);
  command->add_option("GRAPH", arguments->graph, "A graph's name, as in `bfslab list graphs`")
      ->required();
  command->add_option("--data", arguments->data, "Folder with graph files (repeatable)")
      ->type_name("DIR")
      ->allow_extra_args(false);
  command
      ->add_option("--cache", arguments->cache,
                   "Cache folder (default: $BFSLAB_CACHE, else ~/.cache/bfslab)")
      ->type_name("DIR");
  command->add_option("--threads", arguments->threads, "Threads; 0 uses every processor")
      ->check(CLI::Range(0, 4096));
  command->footer(std::string("Examples:\n") + examples);
  command->callback([arguments, run] { run(*arguments); });
  return command;
}

}  // namespace

void add_graph_command(CLI::App& app, int& exit_code) {
  auto* graph = app.add_subcommand("graph", "Fetch, describe, generate and convert graphs");
  graph->require_subcommand(1);
  const auto arguments = std::make_shared<Arguments>();
  auto* about = add(*graph, "info", "Counts, degrees, components, depth and origin of a graph",
                    "  bfslab graph info kronecker:scale=16\n"
                    "  bfslab graph info snap:wiki-Vote,symmetrize=false --data data --json",
                    arguments, info);
  about->add_flag("--json", arguments->json, "JSON on standard output");
  about->add_flag("--no-cache", arguments->no_cache, "Neither read nor write the cache");
  add(*graph, "generate", "Generate a graph into the cache and print the file's path",
      "  bfslab graph generate kronecker:scale=20\n"
      "  bfslab graph generate grid:width=2000,height=1000,removed=0.3,seed=7",
      arguments, generate);
  auto* conversion =
      add(*graph, "convert", "Write a graph as SNAP text (.txt, .txt.gz) or in binary form (.csr)",
          "  bfslab graph convert kronecker:scale=12 --to kronecker12.txt.gz\n"
          "  bfslab graph convert snap:ca-GrQc --to ca-GrQc.csr --force",
          arguments, convert);
  conversion->add_option("--to", arguments->to, "The file to write; its ending decides the format")
      ->type_name("FILE")
      ->required();
  conversion->add_flag("--force", arguments->force, "Replace the file if it is there");
  conversion->add_flag("--no-cache", arguments->no_cache, "Neither read nor write the cache");
  add_graph_fetch(*graph, exit_code);
  add_graph_calibrate(*graph);
}

}  // namespace bfslab
