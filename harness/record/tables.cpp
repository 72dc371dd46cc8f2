// SPDX-License-Identifier: Apache-2.0
#include "harness/record/tables.hpp"

#include <algorithm>
#include <utility>

namespace bfslab {

namespace {

// A text or a list that may be empty; of numbers the member's type says so.
template <typename Row>
Column<Row> or_empty(Column<Row> column) {
  column.nullable = true;
  return column;
}

Table<RunRow> make_runs() {
  const auto driver = [](const char* name, auto member, const char* unit, const char* doc) {
    return make_column<RunRow>(false, name, member, unit, doc);
  };
  const auto worker = [](const char* name, auto member, const char* unit, const char* doc) {
    return make_column<RunRow>(true, name, member, unit, doc);
  };
  return {
      "runs",
      "One attempt at one traversal. A counter's row has no source and is instrumented: it counted "
      "its graph once, and what it found is in measures.csv. A row of a graph that could not be "
      "loaded has no source and is not instrumented.",
      {
          driver("trial", &RunRow::trial, "",
                 "Number of the row within its folder; levels.csv and measures.csv refer to it."),
          driver("experiment", &RunRow::experiment, "", "The spec's `name`."),
          driver("case", &RunRow::case_name, "", "The case's name in the spec."),
          driver("graph", &RunRow::graph, "",
                 "The graph as the spec names it; graphs.csv has its canonical name."),
          or_empty(driver("graph_hash", &RunRow::graph_hash, "",
                          "Hash of the graph's contents, as in graphs.csv; empty where it could "
                          "not be loaded.")),
          or_empty(driver("stand_in_for", &RunRow::stand_in_for, "",
                          "The data set that this graph replaces; empty where it replaces none.")),
          driver("engine", &RunRow::engine, "",
                 "The engine or counter that ran; `external:NAME` is a program that the spec "
                 "describes."),
          or_empty(driver("toggles", &RunRow::toggles, "",
                          "Every toggle of the engine with its value, defaults included, as "
                          "`key=value` joined by `;`; empty where it has none.")),
          or_empty(
              driver("answer", &RunRow::answer, "",
                     "What was asked for: levels, parents or both; empty in a counter's row.")),
          driver("source", &RunRow::source, "",
                 "The vertex that the traversal started from, in the ids of the loaded graph."),
          driver("repeat", &RunRow::repeat, "",
                 "Which repeat of this source and configuration it is, from 0."),
          driver(
              "attempt", &RunRow::attempt, "",
              "Which attempt at this repeat it is, from 0. Those up to the last one that is not "
              "`ok` do not count, but that one does where it is the last of all; of the others the "
              "first unpolluted one counts, or else the one under the least foreign load."),
          driver("position_in_round", &RunRow::position_in_round, "",
                 "The configuration's place in its round of interleaved configurations, from 0."),
          driver("ranks", &RunRow::ranks, "", "Processes that ran the traversal together."),
          driver("gpus_per_rank", &RunRow::gpus_per_rank, "",
                 "GPUs that each of them used; on CPUs the threads that stand for them in a "
                 "distributed engine, and 0 for any other engine of the CPU."),
          worker("threads", &TrialFacts::threads, "",
                 "Threads that the engine was given, of which `threads=0` in `toggles` says that "
                 "they are as many as the processors that the worker may use; empty where an "
                 "engine has no such toggle."),
          worker("status", &TrialFacts::status, "",
                 "`ok`, `oom` (out of memory), `timeout`, `crash`, `wrong` (the answer breaks a "
                 "rule, lacks vertices, or is not that of others), `unsupported` (refused in good "
                 "order), `skipped` (after a failure of the same configuration) or `interrupted` "
                 "(ended or spoilt from outside, and tried again)."),
          or_empty(worker("reason", &TrialFacts::reason, "",
                          "Why the status is not `ok`, or what polluted the trial, in words.")),
          worker("validated", &TrialFacts::validated, "",
                 "Whether the answer was validated by the rules of Graph500. Of every answer the "
                 "counts below are compared with those of all other rows of the same graph and "
                 "source."),
          worker("time_ms", &TrialFacts::time_ms, "ms",
                 "Wall time of the traversal, its reset included, with the device idle at both "
                 "ends; of one of several searches in a row (`searches` in `toggles`) by the "
                 "device's clock; of a counter, of its counting; of an external program what it "
                 "told, of the scope that `timer` in `toggles` names. Empty unless the status is "
                 "`ok`."),
          worker("searches_per_trial", &TrialFacts::searches_per_trial, "searches",
                 "Searches in a row, all from this source, whose mean `time_ms` and `gpu_ms` are; "
                 "empty where it is one, or the business of an external program."),
          or_empty(worker("profiler", &TrialFacts::profiler, "",
                          "`attached` where a profiler was, for which older rows say `profiler`: "
                          "such a row's times say nothing of the engine, and are in no timing "
                          "figure. Empty where none was.")),
          worker("gpu_ms", &TrialFacts::gpu_ms, "ms",
                 "The same between two events on the GPU; empty for engines of the CPU."),
          worker("setup_ms", &TrialFacts::setup_ms, "ms",
                 "Time in which the engine took up the graph: upload, preprocessing, allocation; "
                 "of several ranks the slowest one's; empty for external programs."),
          worker("levels", &TrialFacts::levels, "levels",
                 "Levels of the search, the source's included."),
          worker("reached_vertices", &TrialFacts::reached_vertices, "vertices",
                 "Vertices that have a level or a parent, the source included."),
          worker("level_sum", &TrialFacts::level_sum, "",
                 "Sum of the levels of the reached vertices; the source's is 0."),
          worker(
              "component_edges", &TrialFacts::component_edges, "edges",
              "Edges of the built graph that start at a reached vertex; on symmetric graphs each "
              "undirected edge counts once."),
          worker("component_input_edges", &TrialFacts::component_input_edges, "edges",
                 "Edges of the input, self-loops and duplicates included, that lie in the reached "
                 "part: the count of Graph500's rates."),
          driver("graph_input_edges", &RunRow::graph_input_edges, "edges",
                 "Edges of the input in the whole graph."),
          worker(
              "edges_checked", &TrialFacts::edges_checked, "edges",
              "Adjacency entries that were read, over all levels; of instrumented rows only, and "
              "empty where a level did not count them."),
          worker("graph_bytes", &TrialFacts::graph_bytes, "B",
                 "The CSR, its transpose, and the engine's own forms of the graph, of all ranks "
                 "together."),
          worker("queue_bytes", &TrialFacts::queue_bytes, "B",
                 "The engine's queues, of all ranks together."),
          worker("peak_bytes", &TrialFacts::peak_bytes, "B",
                 "Highest resident memory of the worker process so far, with all its engines, and "
                 "of the largest process of an external program; of several ranks the sum of each "
                 "one's."),
          worker("foreign_load_pct", &TrialFacts::foreign_load_pct, "%",
                 "How much of the trial was not its own, the highest of: processor time that other "
                 "processes took, of all that the worker may use; time for which its threads "
                 "waited for a processor; time that neither they nor a device nor such a wait "
                 "explain (a stopped process, a frozen container); 100 where somebody else used "
                 "one of its GPUs. Of several ranks the highest."),
          worker("steal_pct", &TrialFacts::steal_pct, "%",
                 "Of the processors' time, what the host of a virtual machine gave to others: a "
                 "part of `foreign_load_pct`."),
          worker("cpu_mhz", &TrialFacts::cpu_mhz, "MHz",
                 "Clock of one processor right after the trial, measured by a short chain of "
                 "operations of one cycle each."),
          or_empty(worker("gpu", &TrialFacts::gpu, "",
                          "The first 12 characters of the GPU's UUID, whose rest environment.json "
                          "has; of several GPUs each one's, rank by rank, joined by `;`. Empty on "
                          "the CPU, and where NVML is missing.")),
          worker("sm_clock_mhz", &TrialFacts::sm_clock_mhz, "MHz",
                 "Clock of the GPU's multiprocessors right after the trial; of several GPUs the "
                 "lowest."),
          driver(
              "polluted", &RunRow::polluted, "",
              "Whether `foreign_load_pct` is over the spec's limit, or a fixed calibration took so "
              "much longer before or after the worker's trials that the machine's speed had "
              "changed "
              "(`calibration` in measures.csv); `reason` has the words. Such a row does not count "
              "where another attempt is clean."),
          driver("instrumented", &RunRow::instrumented, "",
                 "Whether levels or facts were recorded, which costs time: such a row never enters "
                 "a timing figure."),
          driver("build_hash", &RunRow::build_hash, "",
                 "Hash of the program that ran; environment.json lists the builds."),
          or_empty(driver("commit", &RunRow::commit, "",
                          "The commit that the program was built from, with `+` after it where "
                          "tracked files differed from it; `unknown` outside of a checkout.")),
          or_empty(driver("environment", &RunRow::environment, "",
                          "Of the machine, what decides its speed, as a hash: rows that differ in "
                          "it were measured on other processors or GPUs of the same kind, which "
                          "environment.json names.")),
          driver("utc", &RunRow::utc, "", "When the trial ended."),
      }};
}

Table<LevelRow> make_levels() {
  const auto worker = [](const char* name, auto member, const char* unit, const char* doc) {
    return make_column<LevelRow>(true, name, member, unit, doc);
  };
  return {
      "levels",
      "One level of one instrumented trial or, where several GPUs or ranks took part, what one "
      "part "
      "of them did in it: counts of a level's parts add up, and its time is that of the slowest "
      "GPU.",
      {
          make_column<LevelRow>(false, "trial", &LevelRow::trial, "", "The row of runs.csv."),
          worker("rank", &LevelRow::rank, "", "Which process, from 0."),
          worker("gpu", &LevelRow::gpu, "", "Which of the process's GPUs, from 0."),
          worker("part", &LevelRow::part, "",
                 "Which part of the graph, as the engine names its parts; `all` where it has one."),
          worker("level", &LevelRow::level, "", "The level's number; level 0 expands the source."),
          worker("direction", &LevelRow::direction, "", "`top_down` or `bottom_up`."),
          worker("technique", &LevelRow::technique, "",
                 "How the engine ran the level, by the paper's word for it."),
          worker("frontier_vertices", &LevelRow::frontier_vertices, "vertices",
                 "Vertices that the level expands."),
          worker("frontier_edges", &LevelRow::frontier_edges, "edges", "Their out-edges."),
          worker("edges_checked", &LevelRow::edges_checked, "edges",
                 "Adjacency entries that were read."),
          worker("found_vertices", &LevelRow::found_vertices, "vertices",
                 "The size of the next level."),
          worker(
              "found_early_vertices", &LevelRow::found_early_vertices, "vertices",
              "Of these, those that the level before had found already, as asynchronous bottom-up "
              "does."),
          worker("unvisited_vertices", &LevelRow::unvisited_vertices, "vertices",
                 "Vertices without a level before this one ran."),
          worker("bytes_sent", &LevelRow::bytes_sent, "B",
                 "Bytes sent to other GPUs and ranks in the level."),
          worker("time_ms", &LevelRow::time_ms, "ms", "The level's time by `clock`."),
          or_empty(
              worker("clock", &LevelRow::clock, "",
                     "Who measured the time: `host` (from the level's begin to its end), "
                     "`device_events` (between events on the GPU) or `device_timer` (the GPU's own "
                     "timer, read inside the kernel).")),
      }};
}

Table<MeasureRow> make_measures() {
  const auto worker = [](const char* name, auto member, const char* unit, const char* doc) {
    return make_column<MeasureRow>(true, name, member, unit, doc);
  };
  return {
      "measures",
      "One value that was counted or measured and is no column of the other files.",
      {
          make_column<MeasureRow>(false, "trial", &MeasureRow::trial, "", "The row of runs.csv."),
          worker("level", &MeasureRow::level, "", "The level that it belongs to, if any."),
          worker("rank", &MeasureRow::rank, "", "Which process measured it, from 0."),
          worker("part", &MeasureRow::part, "",
                 "What it was counted of: `queue`, `threshold=64`, `worker`."),
          worker("metric", &MeasureRow::metric, "", "What was counted."),
          worker("value", &MeasureRow::value, "", "The value, in `unit`."),
          worker("unit", &MeasureRow::unit, "", "`1` for plain counts, else `B`, `ms`, ..."),
      }};
}

Table<GraphRow> make_graphs() {
  const auto driver = [](const char* name, auto member, const char* unit, const char* doc) {
    return make_column<GraphRow>(false, name, member, unit, doc);
  };
  const auto worker = [](const char* name, auto member, const char* unit, const char* doc) {
    return make_column<GraphRow>(true, name, member, unit, doc);
  };
  return {
      "graphs",
      "One graph of the experiment, as it was loaded. A graph that was never built, because it was "
      "only counted from its recipe, or because distributed engines made their own parts of it, "
      "has "
      "the sizes that its name tells, of which `edges` is an upper bound.",
      {
          driver("graph", &GraphRow::graph, "", "The graph as the spec names it."),
          driver("name", &GraphRow::name, "", "Its canonical name."),
          worker("graph_hash", &GraphFactsRow::graph_hash, "",
                 "Hash of its contents; of its recipe where it was not built."),
          or_empty(driver("stand_in_for", &GraphRow::stand_in_for, "",
                          "The data set that it replaces; empty where it replaces none.")),
          worker("vertices", &GraphFactsRow::vertices, "vertices", "Vertices."),
          worker("edges", &GraphFactsRow::edges, "edges",
                 "Adjacency entries: on symmetric graphs two for each undirected edge."),
          worker("input_edges", &GraphFactsRow::input_edges, "edges",
                 "Edges of the input, self-loops and duplicates included."),
          worker("symmetric", &GraphFactsRow::symmetric, "", "Whether every edge leads both ways."),
          worker("max_degree", &GraphFactsRow::max_degree, "edges", "Largest out-degree."),
          worker("isolated_vertices", &GraphFactsRow::isolated_vertices, "vertices",
                 "Vertices without out-edges."),
          worker("graph_bytes", &GraphFactsRow::graph_bytes, "B", "Memory of the CSR."),
          worker("load_ms", &GraphFactsRow::load_ms, "ms",
                 "Time to load, generate or build it, from the cache if it was there."),
          or_empty(driver("source_rule", &GraphRow::source_rule, "",
                          "The spec's rule for sources; empty where nothing traverses.")),
          worker("eligible_sources", &GraphFactsRow::eligible_sources, "vertices",
                 "Vertices that the rule allows."),
          or_empty(worker("sources", &GraphFactsRow::sources, "",
                          "The sources in the order in which they run, joined by `;`.")),
          or_empty(
              worker("provenance", &GraphFactsRow::provenance, "",
                     "Where it comes from and how it was built, as `key=value` joined by `;`.")),
          or_empty(worker("made_from", &GraphFactsRow::made_from, "",
                          "The version of its generator, or the contents of its file: while it "
                          "stays the same, so does the graph.")),
      }};
}

}  // namespace

std::string present_name(const std::string& column) {
  constexpr std::pair<std::string_view, std::string_view> kOldNames[] = {
      {"order", "position_in_round"},
      {"checked", "validated"},
      {"burst", "searches_per_trial"},
      {"observed_by", "profiler"}};
  const auto renamed =
      std::ranges::find(kOldNames, column, [](const auto& each) { return each.first; });
  return renamed == std::end(kOldNames) ? column : std::string(renamed->second);
}

template <>
const Table<RunRow>& table<RunRow>() {
  static const Table<RunRow> runs = make_runs();
  return runs;
}

template <>
const Table<LevelRow>& table<LevelRow>() {
  static const Table<LevelRow> levels = make_levels();
  return levels;
}

template <>
const Table<MeasureRow>& table<MeasureRow>() {
  static const Table<MeasureRow> measures = make_measures();
  return measures;
}

template <>
const Table<GraphRow>& table<GraphRow>() {
  static const Table<GraphRow> graphs = make_graphs();
  return graphs;
}

}  // namespace bfslab
