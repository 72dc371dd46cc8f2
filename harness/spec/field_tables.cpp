// SPDX-License-Identifier: Apache-2.0
// The tables of a spec's fixed keys, in canonical order.
#include "harness/spec/fields.hpp"
#include "harness/spec/spec.hpp"

namespace bfslab {

namespace {

constexpr double kIds = 4294967294.0;  // the last vertex id: kNoVertex is no vertex
constexpr double kMaxSources = 1048576;
constexpr double kSeeds = 9007199254740991.0;  // 2^53 - 1: exact in every JSON reader

Field text(std::string name, std::string doc) {
  return {.name = std::move(name), .kind = FieldKind::text, .doc = std::move(doc)};
}

Field other(std::string name, std::string doc) {
  return {.name = std::move(name), .kind = FieldKind::other, .doc = std::move(doc)};
}

Field choice(std::string name, std::vector<std::string> choices, const std::string& preset,
             std::string doc) {
  return {.name = std::move(name),
          .kind = FieldKind::choice,
          .doc = std::move(doc),
          .choices = std::move(choices),
          .default_json = '"' + preset + '"'};
}

Field flag(std::string name, std::string doc) {
  return {.name = std::move(name),
          .kind = FieldKind::flag,
          .doc = std::move(doc),
          .default_json = "false"};
}

Field number(FieldKind kind, std::string name, double minimum, double maximum, std::string preset,
             std::string doc) {
  return {.name = std::move(name),
          .kind = kind,
          .doc = std::move(doc),
          .minimum = minimum,
          .maximum = maximum,
          .default_json = std::move(preset)};
}

Field required(Field field) {
  field.required = true;
  return field;
}

Field axis(Field field) {
  field.role = FieldRole::axis;
  return field;
}

Field drawing(Field field) {
  field.role = FieldRole::drawing;
  return field;
}

Field shaped(Field field, std::string pattern, std::string words) {
  field.pattern = std::move(pattern);
  field.pattern_words = std::move(words);
  return field;
}

}  // namespace

const Fields& spec_fields() {
  static const Fields fields = {
      drawing(text("$schema", "where editors find the schema; bfslab does not read it")),
      drawing(text(
          "extends",
          "base spec, a file relative to this one; its keys apply where this file sets none; base "
          "and cases are merged key by key")),
      required(shaped(text("name", "the experiment's name, and of its folder of results"),
                      "^[A-Za-z0-9][A-Za-z0-9._-]{0,79}$",
                      "a name of letters, digits, '-', '_' and '.', at most 80, a letter or digit "
                      "first")),
      drawing(text("paper", "the paper that is reproduced, by its short name: cs406")),
      drawing(text("item", "the paper's own name for it: Table 3")),
      drawing(text("title", "one line for people")),
      axis(required(other(
          "graphs", "a list of graph names, or of {\"name\", \"stand_in_for\", \"sources\"}"))),
      axis(other(
          "sources",
          "the vertices that searches start from: a rule, or a list of vertex ids; like repeats, "
          "warmup, burst, caches, answer, check and record without effect on counters, which run "
          "once per graph")),
      axis(other("repeats",
                 "timed runs of every configuration and source: a number, or a stopping rule")),
      axis(number(FieldKind::integer, "invocations", 1, 1000, "1",
                  "worker processes that measure a graph one after another, each its share of the "
                  "repeats; divides repeats, which is a number then")),
      number(FieldKind::integer, "warmup", 0, 1000, "1",
             "traversals before the first timed one, not recorded"),
      number(
          FieldKind::integer, "burst", 1, 10'000, "1",
          "traversals in a row that a timed trial runs; it reports their mean time; without "
          "effect on external programs and on engines that search from several sources in a row"),
      choice("caches", {"warm", "cold"}, "warm",
             "the state of caches before each trial: as the searches before it left them, or "
             "overwritten, the L2 cache of a GPU engine's GPUs, all caches of a CPU engine's "
             "processors"),
      choice("answer", {"levels", "parents", "both"}, "levels", "what the engines compute"),
      axis(other("external",
                 "programs of others, by name: engines of this spec, \"external:NAME\"")),
      axis(other("base", "settings that every case starts from: engine, preset, groups, toggles")),
      drawing(text("baseline", "the case that others are compared with")),
      axis(other("cases", "named settings, each over base")),
      axis(other("sweep", "lists of values; their product multiplies the cases")),
      axis(other("zip", "lists of values of one length, taken in step; they multiply the cases")),
      axis(other("record", "what is recorded")),
      choice("check", {"none", "first", "all"}, "first",
             "the answers that are checked: the first of each graph, configuration and source, or "
             "all"),
      drawing(other("figure", "the plot module that draws it, or a list of them")),
      axis(flag("allow_stand_ins",
                "whether graphs may stand in for the data set that the paper used")),
      flag("isolate", "a worker process for every configuration, not only for every graph"),
      choice("order", {"interleaved", "sequential"}, "interleaved",
             "whether configurations take turns, so that drift hits all alike"),
      other("limits", "the time and memory at which a trial is stopped"),
      other("pollution", "the load of other programs that makes a trial polluted"),
  };
  return fields;
}

const Fields& graph_entry_fields() {
  static const Fields fields = {
      axis(required(other("name", "a graph's name: kronecker:scale=16"))),
      axis(shaped(text("stand_in_for", "the data set that this graph replaces"),
                  R"(^[\s\S]{1,200}$)", "the name of a data set, 1 to 200 characters")),
      axis(number(FieldKind::integer, "sources", 1, kMaxSources, "",
                  "use only this number of sources, the first ones")),
  };
  return fields;
}

const Fields& source_fields() {
  static const Fields fields = {
      axis(number(FieldKind::integer, "count", 1, kMaxSources, "16", "number of sources")),
      number(FieldKind::integer, "seed", 0, kSeeds, "1",
             "seed of the choice: the same seed gives the same sources"),
      choice("rule", {"any", "degree>=1", "largest-component", "levels>=2"}, "degree>=1",
             "the vertices that may be chosen"),
  };
  return fields;
}

const Fields& source_ids_fields() {
  static const Fields fields = {
      axis(required(other("ids", "the sources, by their ids in the graph's file"))),
  };
  return fields;
}

const Fields& repeat_fields() {
  static const Fields fields = {
      axis(number(FieldKind::integer, "min", 1, 1000000, "1", "repeats in any case")),
      axis(required(number(FieldKind::integer, "max", 1, 1000000, "", "repeats at most"))),
      number(FieldKind::real, "relative_error_pct", 0, 100, "0",
             "stop when the relative error of the median is under this; 0: never"),
      number(FieldKind::real, "budget_s", 0, 1e9, "0",
             "stop when a configuration has spent this time; 0: never"),
  };
  return fields;
}

const Fields& limit_fields() {
  static const Fields fields = {
      number(FieldKind::real, "trial_s", 0, 1e9, "0", "seconds of one trial; 0: no limit"),
      number(
          FieldKind::integer, "memory_mib", 0, 1e9, "0",
          "resident memory of a worker, all its ranks on this host together, in MiB; 0: no limit"),
  };
  return fields;
}

const Fields& pollution_fields() {
  static const Fields fields = {
      number(FieldKind::real, "limit_pct", -1, 1000, "10",
             "load of other programs above which a trial is marked; negative: every trial is"),
      axis(number(FieldKind::integer, "attempts", 1, 100, "3",
                  "attempts per trial, including the first")),
      number(FieldKind::real, "drift_pct", -1, 1000, "25",
             "change of a fixed calibration from before to after a worker's trials above which "
             "they are marked; negative: they all are; 1000: no calibration is made"),
  };
  return fields;
}

const Fields& process_fields() {
  static const Fields fields = {
      number(FieldKind::integer, "ranks", 1, 65536, "1", "processes of a distributed engine"),
      number(FieldKind::integer, "gpus_per_rank", 1, kMaxGpusPerRank, "1",
             "GPUs of each rank of a distributed engine; threads if it runs on CPUs"),
  };
  return fields;
}

const Fields& external_fields() {
  static const Fields fields = {
      required(text("program", "its file, relative to this spec; no shell starts it")),
      other("arguments",
            "a list of texts, each of which becomes one argument: {graph}, {source}, {source+1}, "
            "{source_rank}, {output}, {vertices}, {edges} and {threads} are replaced"),
      other("environment", "variables that it gets, with the same placeholders"),
      required(choice("graph", {"snap", "el", "mtx", "sg", "csr", "dfq", "arrays32", "arrays64"},
                      "snap",
                      "the format of the file that it reads, {graph}; of arrays32 and arrays64 the "
                      "files are {graph}.offsets and {graph}.columns")),
      other("time", "the format in which it reports its time; without it, its process is timed"),
      other("levels",
            "the format in which it reports its levels; without it, its answers are not checked"),
      other("passed",
            "the line by which it reports that its own check of its answer found no fault; without "
            "that line its row is wrong"),
      flag("gpu", "whether it runs on a GPU"),
      shaped(
          text(
              "ask",
              "one process serves all searches: it gets this line for each of them, with {source}, "
              "{source+1} or {source_rank}, and answers by one line; without it, each search is "
              "a process"),
          R"(^[^\u0000\n]{1,200}$)", "a line of 1 to 200 characters"),
  };
  return fields;
}

const Fields& time_format_fields() {
  static const Fields fields = {
      choice("stream", {"stdout", "stderr"}, "stdout", "the stream on which it reports its time"),
      required(shaped(text("pattern",
                           "a regular expression (ECMAScript) that matches one line of the stream; "
                           "its one group is the number"),
                      R"(^[^\u0000]{1,200}$)", "a regular expression of 1 to 200 characters")),
      choice("take", {"only", "last", "mean", "min"}, "only",
             "the time that counts where several lines match: only admits one line"),
      required(choice("unit", {"s", "ms", "us", "ns"}, "ms", "unit of the number")),
      required(choice("scope", {"traversal", "kernels", "transfers", "process"}, "traversal",
                      "the work that the time covers: the search with its reset; GPU kernels only; "
                      "the search and its copies to and from the GPU; all that the program does")),
  };
  return fields;
}

const Fields& passed_format_fields() {
  static const Fields fields = {
      choice("stream", {"stdout", "stderr"}, "stdout", "the stream on which it reports its check"),
      required(
          shaped(text("pattern",
                      "a regular expression (ECMAScript) without groups that matches a line of "
                      "the stream if the check found no fault"),
                 R"(^[^\u0000]{1,200}$)", "a regular expression of 1 to 200 characters")),
  };
  return fields;
}

const Fields& levels_format_fields() {
  static const Fields fields = {
      choice("from", {"output", "stdout"}, "output", "the file {output}, or its standard output"),
      required(choice("format", {"list", "pairs", "int32"}, "list",
                      "list: a level for each vertex in order; pairs: lines of a vertex and its "
                      "level; int32: a binary array")),
      number(FieldKind::integer, "unreached", -1, kIds + 1, "-1",
             "the number that stands for a vertex without a path, besides negative numbers"),
      number(FieldKind::integer, "first_vertex", 0, 1, "0", "the first vertex's id in pairs"),
  };
  return fields;
}

const Field& external_name_field() {
  static const Field field =
      shaped(text("external", "a program's name"), "^[a-z0-9][a-z0-9._-]{0,39}$",
             "a name of lower case, digits, '-', '_' and '.', at most 40");
  return field;
}

const Field& environment_name_field() {
  static const Field field =
      shaped(text("environment", "a variable's name"), "^[A-Za-z_][A-Za-z0-9_]{0,79}$",
             "a variable's name: letters, digits and '_'");
  return field;
}

const Field& case_name_field() {
  static const Field field =
      shaped(text("case", "a case's name"),
             R"(^[^ /\u0000-\u001f]([^/\u0000-\u001f]{0,62}[^ /\u0000-\u001f])?$)",
             "a name of 1 to 64 characters without '/', control characters, or a space at an end");
  return field;
}

const Field& figure_field() {
  // plots/ knows the modules, and checks the name when it draws.
  static const Field field =
      shaped(text("figure", "a module of plots/figures"), "^[a-z][a-z0-9_]{0,79}$",
             "the name of a module of plots/figures such as \"engines_by_graph\"");
  return field;
}

const Field& listed_source_field() {
  static const Field field = number(FieldKind::integer, "source", 0, kIds, "", "a vertex id");
  return field;
}

const Field& source_id_field() {
  static const Field field =
      number(FieldKind::integer, "id", 0, kSeeds, "", "an id in the graph's file");
  return field;
}

const Field& illegal_field() {
  static const Field field =
      choice("illegal", {"refuse", "skip"}, "refuse",
             "combinations that the toggles' rules refuse: refuse the spec, or leave them out and "
             "list them with their reasons");
  return field;
}

const Field& record_field() {
  static const Field field =
      choice("record", {"time", "levels", "energy"}, "time",
             "time: timed trials; levels: one more trial, instrumented; energy: one more trial of "
             "searches in a row, whose energy is measured");
  return field;
}

}  // namespace bfslab
