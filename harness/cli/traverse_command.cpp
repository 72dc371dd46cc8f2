// SPDX-License-Identifier: Apache-2.0
// bfslab traverse GRAPH: runs one checked traversal and prints its answer as CSV.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <regex>
#include <stdexcept>
#include <string>
#include <vector>

#include "datasets/graph/find_ids.hpp"
#include "datasets/load_graph.hpp"
#include "harness/check/check.hpp"
#include "harness/check/host_answer.hpp"
#include "harness/cli/commands.hpp"
#include "harness/cli/fetch_missing.hpp"
#include "harness/cli/folders.hpp"
#include "harness/cli/memory_limit.hpp"
#include "harness/cli/plugin_option.hpp"
#include "harness/cli/print_json.hpp"
#include "harness/cli/standard_streams.hpp"
#include "harness/cli/traverse_report.hpp"
#include "harness/record/level_recorder.hpp"
#include "harness/run/timed_search.hpp"
#include "harness/spec/spec.hpp"

namespace bfslab {

namespace {

struct TraverseArguments {
  std::string graph;
  std::string engine = "hybrid";
  std::string source;
  bool by_label = false;
  std::vector<std::string> set;
  std::string answer = "both";
  std::vector<std::string> data;
  std::string cache;
  std::string out;
  std::uint64_t memory_mib = 0;
  bool time = false;
  bool levels = false;
  bool json = false;
  bool keep_wrong = false;
  FetchArguments fetch;

  // Returns whether a report takes the place of the answer on standard output.
  [[nodiscard]] bool reports() const { return time || levels || json; }
};

// Returns a spec of one configuration, so that toggles, groups and presets are read and refused
// exactly as in a spec; an error in --set names the option.
Spec as_spec(const TraverseArguments& arguments) {
  const nlohmann::json spec = {
      {"name", "traverse"},
      {"graphs", {arguments.graph}},
      {"sources", {0}},
      {"base", {{"engine", arguments.engine}}},
      {"answer", arguments.answer},
  };
  std::vector<std::string> overrides;
  for (const std::string& setting : arguments.set) overrides.push_back("base." + setting);
  try {
    return parse_spec(spec.dump(), "traverse", overrides);
  } catch (const InputError& error) {
    // Positions in a text that the user did not write would not help.
    static const std::regex kPlace("traverse:[0-9]+:[0-9]+: at `[^`]*`: ");
    static const std::regex kBase("--set base\\.");
    const std::string plain = std::regex_replace(error.what(), kPlace, "");
    throw InputError(std::regex_replace(plain, kBase, "--set "));
  }
}

// Parses digits as bfslab writes them: no sign, no blank, no base but ten.
std::uint64_t parse_source(const TraverseArguments& arguments, const GraphName& name) {
  const std::string& text = arguments.source;
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error == std::errc() && stop == end && (text.size() == 1 || text.front() != '0')) {
    return number;
  }
  const std::uint64_t vertices = predict_size(name).vertices;  // 0: known once it is loaded
  throw InputError(fmt::format(
      "--source \"{}\": expected {}, in decimal digits without a sign or leading zeros", text,
      arguments.by_label
          ? "an id of the graph's file, from 0 to 2^64 - 1"
          : fmt::format("a vertex of {}, from 0 to {}", arguments.graph,
                        (vertices == 0 ? std::uint64_t{kNoVertex} - 1 : vertices) - 1)));
}

vertex_t find_source(const CsrGraph& graph, const TraverseArguments& arguments,
                     std::uint64_t source) {
  if (arguments.by_label) {
    const IdMatch match = find_ids(graph, {&source, 1}).front();
    if (match.vertex == kNoVertex) {
      throw InputError(fmt::format("--source {}: the file of {} has no vertex with that id", source,
                                   arguments.graph));
    }
    if (match.other != kNoVertex) {
      throw InputError(fmt::format(
          "--source {}: two vertices of {} have that id, one of each set; name one of them without "
          "--by-label, by --source {} or --source {}",
          source, arguments.graph, match.vertex, match.other));
    }
    return match.vertex;
  }
  if (source >= graph.vertex_count()) {
    throw InputError(fmt::format("--source {}: {} has {} vertices, from 0 to {}", source,
                                 arguments.graph, graph.vertex_count(),
                                 std::int64_t{graph.vertex_count()} - 1));
  }
  return static_cast<vertex_t>(source);
}

// Prints the answer. An unreached vertex has neither level nor parent: its fields are empty.
void write_rows(std::FILE* file, const CsrGraph& graph, const WholeAnswer& answer) {
  fmt::print(file, "vertex,label,level,parent\n");
  std::string row;
  for (vertex_t v = 0; v < graph.vertex_count(); ++v) {
    row = fmt::format("{},{},", v, graph.label(v));
    if (answer.levels != nullptr && answer.levels[v] != kUnreached) {
      row += fmt::to_string(answer.levels[v]);
    }
    row += ',';
    if (answer.parents != nullptr && answer.parents[v] != kNoVertex) {
      row += fmt::to_string(answer.parents[v]);
    }
    row += '\n';
    if (std::fwrite(row.data(), 1, row.size(), file) != row.size()) {
      throw std::runtime_error("cannot write the answer: is the disk full?");
    }
  }
}

void write_answer(const TraverseArguments& arguments, const CsrGraph& graph,
                  const WholeAnswer& answer) {
  if (arguments.out.empty()) {
    write_rows(stdout, graph, answer);
    if (std::fflush(stdout) != 0) throw std::runtime_error("cannot write the answer to stdout");
    return;
  }
  if (std::filesystem::exists(arguments.out)) {
    throw InputError(
        fmt::format("--out {}: the file already exists; remove it or name another", arguments.out));
  }
  struct Closer {
    void operator()(std::FILE* open) const { std::fclose(open); }
  };
  std::unique_ptr<std::FILE, Closer> file(std::fopen(arguments.out.c_str(), "wx"));
  if (!file) {
    throw InputError(fmt::format(
        "--out {}: cannot be created; does its folder exist, and is it writable?", arguments.out));
  }
  write_rows(file.get(), graph, answer);
  if (std::fclose(file.release()) != 0) {
    throw std::runtime_error("cannot write " + arguments.out + ": is the disk full?");
  }
}

// Searches once, and then kTimedSearches times by the clock.
void time_searches(Engine& engine, TraverseReport& report) {
  constexpr int kTimedSearches = 5;
  engine.traverse(report.source);
  for (int i = 0; i < kTimedSearches; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    engine.traverse(report.source);
    const double ms = ms_since(begin);
    report.times_ms.push_back(engine.own_time_ms().value_or(ms));
  }
  report.gpu_ms = engine.gpu_ms();
}

// Searches once more, and records the levels that the engine reports.
void record_levels(Engine& engine, TraverseReport& report) {
  LevelRecorder recorder({.live = false, .counts = true, .times = true});
  engine.traverse(report.source, &recorder);
  report.levels = recorder.rows();
}

void print_report(const TraverseArguments& arguments, const TraverseReport& report,
                  const CsrGraph& graph) {
  if (arguments.json) {
    print_json(traverse_json(report, graph));
    return;
  }
  print_times(report);
  if (arguments.time && !report.levels.empty()) fmt::print("\n");
  print_levels(report);
}

// Reports the outcome on standard error.
void say_outcome(const TraverseArguments& arguments, const TraverseReport& report,
                 const CsrGraph& graph) {
  if (report.check.ok) {
    write_stderr(
        fmt::format("traverse: {} from vertex {} of {}: {} levels, {} of {} vertices "
                    "reached\n",
                    report.engine, report.source, arguments.graph, report.check.levels,
                    report.check.reached_vertices, graph.vertex_count()));
    return;
  }
  write_stderr(
      fmt::format("traverse: {} gave a wrong answer: {}\n", report.engine, report.check.reason));
  write_stderr(report.difference
                   ? fmt::format("traverse: the first difference from the reference is {}\n",
                                 difference_text(*report.difference, graph))
                   : "traverse: its levels do not differ from the reference, or it has none\n");
  if (!arguments.keep_wrong) write_stderr("traverse: --keep-wrong prints the answer\n");
}

// Loads the graph as the engine needs it, from the cache or a data folder.
CsrGraph load(const TraverseArguments& arguments, const GraphName& name, const EngineInfo& info,
              LoadOptions& options) {
  options.cache_folder = cache_folder(arguments.cache);
  options.data_folders = data_folders(arguments.data, options.cache_folder);
  options.transpose = info.can.needs_transpose;
  options.notice = [](const std::string& text) {
    write_stderr(fmt::format("traverse: {}\n", text));
  };
  fetch_if_missing(arguments.graph, name, options.data_folders, arguments.fetch, "traverse");
  return load_graph(name, options);
}

void traverse(const TraverseArguments& arguments, int& exit_code) {
  const GraphName name = GraphName::parse(arguments.graph);  // one graph: a spec takes groups, too
  const std::uint64_t wanted = parse_source(arguments, name);
  const Spec spec = as_spec(arguments);
  const Configuration& configuration = spec.configurations.front();
  const EngineInfo& info = *configuration.engine;
  if (info.counts()) {
    throw InputError(
        fmt::format("--engine {}: it counts facts of a graph and traverses nothing; "
                    "name it in a spec for `bfslab run`",
                    info.name));
  }

  limit_memory(arguments.memory_mib);
  LoadOptions options;
  const CsrGraph graph = load(arguments, name, info, options);
  TraverseReport report{arguments.graph,
                        info.name,
                        configuration.toggles.text(),
                        find_source(graph, arguments, wanted),
                        {},
                        {},
                        {},
                        {},
                        {}};

  const auto engine = info.make({configuration.toggles, spec.answer});
  engine->load({&graph, graph.identity().name, &options});
  if (arguments.time) time_searches(*engine, report);
  if (arguments.levels) record_levels(*engine, report);
  engine->traverse(report.source);
  HostAnswer host_answer;
  const AnswerView parts = engine->answer();
  require_halves(parts, graph.vertex_count(), spec.answer);
  const WholeAnswer answer = host_answer.take(parts);
  const SearchAsked search(report.source, depth_limit_of(configuration.toggles));
  report.check = check_answer(graph, search, answer);
  if (!report.check.ok) report.difference = first_difference(graph, search, answer);
  if (arguments.levels && report.levels.empty()) report.levels = levels_of_answer(graph, answer);
  say_outcome(arguments, report, graph);
  require_memory_kept();
  if (arguments.reports()) print_report(arguments, report, graph);
  if (!report.check.ok) exit_code = 1;
  if (!report.check.ok && !arguments.keep_wrong) return;
  if (!arguments.reports() || !arguments.out.empty()) write_answer(arguments, graph, answer);
}

}  // namespace

void add_traverse_command(CLI::App& app, int& exit_code) {
  const auto arguments = std::make_shared<TraverseArguments>();
  CLI::App* command = app.add_subcommand(
      "traverse", "Run one BFS, check it, and print vertex,label,level,parent as CSV");
  command->add_option("GRAPH", arguments->graph, "As in a spec: kronecker:scale=10, snap:wiki-Vote")
      ->required();
  command->add_option("--engine", arguments->engine, "See `bfslab list engines`")
      ->capture_default_str();
  command->add_option("--source", arguments->source, "Vertex number, as in the `vertex` column")
      ->required();
  command->add_flag("--by-label", arguments->by_label,
                    "--source is the id in the graph's file, as in the `label` column");
  command->add_option("--set", arguments->set, "toggle=value of the engine; may be repeated")
      ->allow_extra_args(false)
      ->take_all();
  command->add_option("--answer", arguments->answer, "levels, parents or both")
      ->check(CLI::IsMember({"levels", "parents", "both"}))
      ->capture_default_str();
  command->add_option("--data", arguments->data, "Folder with named graphs; may be repeated")
      ->allow_extra_args(false);
  command->add_option("--cache", arguments->cache, "Cache folder");
  add_plugin_option(*command);
  command->add_option("--out", arguments->out, "Write to this new file instead of stdout");
  command->add_flag("--time", arguments->time,
                    "Print the time of 5 more searches (`bfslab bench` measures with intervals)");
  command->add_flag("--levels", arguments->levels, "Print a table of the levels");
  command->add_flag("--json", arguments->json, "Print the search as JSON: docs/scripts.md");
  command->add_flag("--keep-wrong", arguments->keep_wrong,
                    "Print a wrong answer, too; the exit code stays 1");
  add_memory_option(*command, arguments->memory_mib);
  add_fetch_options(*command, arguments->fetch, /*tuning=*/false);
  command->footer(
      "Unreached vertices have empty fields. --time, --levels and --json print on standard output "
      "in place of\nthe answer, which --out still writes. A wrong answer is not printed unless "
      "--keep-wrong is given; the\nexit code is 1, and the first difference from a sequential "
      "search is named.\n"
      "Examples:\n"
      "  bfslab traverse kronecker:scale=10 --source 3\n"
      "  bfslab traverse snap:wiki-Vote --data mirror --source 30 --by-label --engine top-down\n"
      "  bfslab traverse path:vertices=9 --source 0 --set threads=2 --answer levels --out a.csv\n"
      "  bfslab traverse kronecker:scale=16 --source 3 --time --levels");
  command->callback([arguments, &exit_code] { traverse(*arguments, exit_code); });
}

}  // namespace bfslab
