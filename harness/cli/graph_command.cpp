// SPDX-License-Identifier: Apache-2.0
// bfslab graph info|generate|convert; graph_fetch.cpp has fetch.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "datasets/cache/cache.hpp"
#include "datasets/generate/generator.hpp"
#include "datasets/load_graph.hpp"
#include "datasets/summary/summary.hpp"
#include "datasets/write/write.hpp"
#include "harness/cli/commands.hpp"
#include "harness/cli/fetch_missing.hpp"
#include "harness/cli/folders.hpp"
#include "harness/cli/graph_info.hpp"
#include "harness/cli/memory_limit.hpp"
#include "harness/cli/standard_streams.hpp"

namespace bfslab {

namespace {

struct GraphArguments {
  std::string graph;
  std::vector<std::string> data;
  std::string cache;
  std::string to;
  int threads = 0;
  std::uint64_t memory_mib = 0;
  std::string degrees;
  bool json = false;
  bool counts = false;
  bool no_cache = false;
  bool force = false;
  FetchArguments fetch;
};

LoadOptions load_options(const GraphArguments& arguments) {
  LoadOptions options;
  const std::string cache = cache_folder(arguments.cache);
  options.cache_folder = arguments.no_cache ? "" : cache;
  options.data_folders = data_folders(arguments.data, cache);
  options.threads = arguments.threads;
  options.huge_pages = false;  // read once: a copy does not pay
  options.notice = [](const std::string& text) { write_stderr(fmt::format("graph: {}\n", text)); };
  return options;
}

// Loads a graph. A named file that is missing is fetched first.
CsrGraph load(const GraphName& name, const GraphArguments& arguments) {
  const LoadOptions options = load_options(arguments);
  fetch_if_missing(arguments.graph, name, options.data_folders, arguments.fetch, "graph");
  return load_graph(name, options);
}

void info(const GraphArguments& arguments) {
  const GraphName name = GraphName::parse(arguments.graph);
  if (!arguments.degrees.empty() && std::filesystem::exists(arguments.degrees)) {
    throw InputError(
        fmt::format("{}: already exists; name another file for --degrees", arguments.degrees));
  }
  limit_memory(arguments.memory_mib);
  const CsrGraph graph = load(name, arguments);
  const SummaryPart part = arguments.counts ? SummaryPart::degrees : SummaryPart::all;
  const GraphSummary summary = summarize(graph, arguments.threads, part);
  require_memory_kept();
  if (!arguments.degrees.empty()) write_degrees(summary.degrees, arguments.degrees);
  const GraphDescription facts{graph, summary, part, name.stand_in_for};
  arguments.json ? print_graph_json(facts) : print_graph_text(facts);
}

void generate(const GraphArguments& arguments) {
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
  write_stderr(
      fmt::format("graph generate: {}: {} vertices, {} edges, {} in {:.3f} s, {:.1f} MiB\n",
                  name.canonical, graph.vertex_count(), graph.edge_count(),
                  there ? "loaded from the cache" : "generated, built and cached", spent.count(),
                  static_cast<double>(size) / (1 << 20)));
  fmt::print("{}\n", path);
}

void convert(const GraphArguments& arguments) {
  check_writable_ending(arguments.to);
  const std::vector<std::string> files = files_of(arguments.to);
  for (const std::string& file : files) {
    if (arguments.force || !std::filesystem::exists(file)) continue;
    throw InputError(
        fmt::format("{}: already exists; name another file, or replace it with --force", file));
  }
  const CsrGraph graph = load(GraphName::parse(arguments.graph), arguments);
  check_readable(graph, arguments.to);
  write_graph(graph, arguments.to, arguments.threads);
  if (const vertex_t lost = vertices_lost(graph, arguments.to); lost > 0) {
    write_stderr(fmt::format(
        "graph convert: {} of {} vertices are isolated and so not in {}, which lists edges only; "
        ".mtx, .sg and .csr keep them\n",
        lost, graph.vertex_count(), arguments.to));
  }
  for (const std::string& file : files) fmt::print("{}\n", file);
}

CLI::App* add(CLI::App& graph, const char* name, const char* doc, const char* examples,
              const std::shared_ptr<GraphArguments>& arguments,
              void (*run)(const GraphArguments&)) {
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
  graph->footer(
      "GRAPH is a name of `bfslab list graphs`, or a file (docs/formats.md).\n"
      "Examples:\n"
      "  bfslab graph info soc-Epinions1               what it is, and where it came from\n"
      "  bfslab graph info mine/edges.csv              the same of a file\n"
      "  bfslab graph fetch small-real --data data     every graph of a group\n"
      "  bfslab graph generate kronecker:scale=20      into the cache, ahead of a run\n"
      "  bfslab graph convert mine/edges.csv --to mine.csr");
  const auto arguments = std::make_shared<GraphArguments>();
  auto* about = add(*graph, "info", "Counts, degrees, components, depth and origin of a graph",
                    "  bfslab graph info kronecker:scale=16\n"
                    "  bfslab graph info soc-Epinions1,symmetrize=false --data data --json\n"
                    "  bfslab graph info kronecker:scale=20 --degrees degrees.csv",
                    arguments, info);
  about->add_flag("--json", arguments->json, "JSON on standard output");
  about->add_flag("--counts", arguments->counts,
                  "Counts and degrees only: no components, no diameter");
  about
      ->add_option("--degrees", arguments->degrees,
                   "Also write degree,count lines, for `python -m plots.degrees`")
      ->type_name("FILE.csv");
  add_memory_option(*about, arguments->memory_mib);
  about->add_flag("--no-cache", arguments->no_cache, "Neither read nor write the cache");
  add_fetch_options(*about, arguments->fetch, /*tuning=*/false);
  add(*graph, "generate", "Generate a graph into the cache and print the file's path",
      "  bfslab graph generate kronecker:scale=20\n"
      "  bfslab graph generate grid:width=2000,height=1000,removed=0.3,seed=7",
      arguments, generate);
  auto* conversion = add(
      *graph, "convert",
      "Write a graph as SNAP text (.txt, .txt.gz), or by the ids of the loaded graph: as a list "
      "of edges (.el, .mtx), in binary form (.csr, or .sg of the GAP benchmark suite), as text "
      "of Ligra (.adj), METIS (.graph) or DIMACS (.gr), or as other programs read it: two files "
      "of row offsets and columns, beg_pos and csr (.arrays32, .arrays64), or .dfq",
      "  bfslab graph convert kronecker:scale=12 --to kronecker12.txt.gz\n"
      "  bfslab graph convert kronecker:scale=12 --to kronecker12.adj\n"
      "  bfslab graph convert kronecker:scale=12 --to k12.arrays32   k12.arrays32.offsets and "
      ".columns\n"
      "  bfslab graph convert snap:ca-GrQc --to ca-GrQc.csr --force",
      arguments, convert);
  conversion->add_option("--to", arguments->to, "The file to write; its ending decides the format")
      ->type_name("FILE")
      ->required();
  conversion->add_flag("--force", arguments->force, "Replace the file if it exists");
  conversion->add_flag("--no-cache", arguments->no_cache, "Neither read nor write the cache");
  add_fetch_options(*conversion, arguments->fetch, /*tuning=*/false);
  add_graph_fetch(*graph, exit_code);
  add_graph_calibrate(*graph);
}

}  // namespace bfslab
