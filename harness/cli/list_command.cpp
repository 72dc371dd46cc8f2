// SPDX-License-Identifier: Apache-2.0
// bfslab list engines|parts|graphs|experiments|columns: prints the tables of what can be chosen.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "harness/cli/commands.hpp"
#include "harness/cli/fetch_missing.hpp"
#include "harness/cli/folders.hpp"
#include "harness/cli/list_engines.hpp"
#include "harness/cli/list_graphs.hpp"
#include "harness/cli/list_parts.hpp"
#include "harness/cli/plugin_option.hpp"
#include "harness/cli/print_json.hpp"
#include "harness/cli/real_range.hpp"
#include "harness/cli/spec_needs.hpp"
#include "harness/cli/text_table.hpp"
#include "harness/cli/units_text.hpp"
#include "harness/record/tables.hpp"
#include "harness/spec/read.hpp"

namespace bfslab {

namespace {

namespace fs = std::filesystem;
using Rows = std::vector<std::vector<std::string>>;

struct ListArguments {
  std::string name;
  std::string folder = specs_folder();
  std::vector<std::string> data;
  std::string cache;
  bool json = false;
  bool markdown = false;
  std::vector<std::string> without;  // some of kNeeds
  std::uint64_t max_memory = 0;      // bytes; 0: any
  double max_minutes = 0;            // 0: any
};

// The needs of experiments that a machine may lack.
const std::vector<std::string> kNeeds = {"gpu", "ranks", "network", "data"};

// ---- engines

void list_engines(const ListArguments& arguments) { print_engines(arguments.name, arguments.json); }

void list_parts(const ListArguments& arguments) {
  if (arguments.json) return print_parts_json(arguments.name);
  if (arguments.markdown) return print_parts_markdown(arguments.name);
  print_parts(arguments.name);
}

// ---- graphs

void list_graphs(const ListArguments& arguments) {
  const std::string cache = cache_folder(arguments.cache);
  print_graphs(arguments.name, data_folders(arguments.data, cache), cache, arguments.json);
}

// ---- experiments

std::string text_of(const Json& spec, const char* key) {
  const auto found = spec.find(key);
  return found != spec.end() && found->is_string() ? found->get<std::string>() : std::string();
}

// Returns the needs of a spec on a machine that can run all of it; nothing if it is invalid.
std::optional<SpecNeeds> needs_of_file(const fs::path& path, const Places& places) {
  try {
    const Spec spec = load_spec(path);
    SpecNeeds needs = needs_of(spec, places);
    needs.cost = estimate_cost(spec, needs.graphs);
    return needs;
  } catch (const InputError&) {
    return std::nullopt;  // `bfslab check` reports its errors
  }
}

std::string needs_text(const SpecNeeds& needs) {
  std::vector<std::string> words;
  if (needs.gpus > 0) {
    words.emplace_back(needs.gpus == 1 ? "GPU" : fmt::format("{} GPUs", needs.gpus));
  }
  if (needs.ranks > 1) words.push_back(fmt::format("{} ranks", needs.ranks));
  if (!needs.fetch.empty()) words.emplace_back("network");
  if (!needs.faults.empty()) {
    words.push_back(fmt::format("data that is not here ({})", needs.faults.size()));
  }
  words.push_back(bytes_text(needs.memory_bytes()));
  if (needs.gpu_bytes() > 0) words.push_back(bytes_text(needs.gpu_bytes()) + " of the GPU");
  words.push_back(time_text(needs.cost.seconds));
  if (needs.unknown_sizes() > 0) {
    words.push_back(fmt::format("and what {} graphs of unknown size need", needs.unknown_sizes()));
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

Json needs_json(const SpecNeeds& needs) {
  return {{"gpus", needs.gpus},
          {"ranks", needs.ranks},
          {"network", !needs.fetch.empty()},
          {"missing_graphs", needs.faults.size()},
          {"unknown_sizes", needs.unknown_sizes()},
          {"memory_bytes", static_cast<std::uint64_t>(needs.memory_bytes())},
          {"gpu_bytes", static_cast<std::uint64_t>(needs.gpu_bytes())},
          {"seconds_least", needs.cost.seconds.least},
          {"seconds_most", needs.cost.seconds.most}};
}

// A spec that could not be read is wanted unless the arguments rule anything out.
bool wanted(const std::optional<SpecNeeds>& needs, const ListArguments& arguments) {
  const bool filtered =
      !arguments.without.empty() || arguments.max_memory > 0 || arguments.max_minutes > 0;
  if (!needs || !filtered) return !filtered;
  const auto without = [&](const char* what) {
    return std::ranges::find(arguments.without, what) != arguments.without.end();
  };
  if (without("gpu") && needs->gpus > 0) return false;
  if (without("ranks") && needs->ranks > 1) return false;
  if (without("network") && !needs->fetch.empty()) return false;
  if (without("data") && !needs->faults.empty()) return false;
  const auto memory = static_cast<std::uint64_t>(needs->memory_bytes());
  if (arguments.max_memory > 0 && memory > arguments.max_memory) return false;
  return arguments.max_minutes == 0 || needs->cost.seconds.most <= arguments.max_minutes * 60;
}

void list_experiments(const ListArguments& arguments) {
  Places places;
  places.cache = cache_folder(arguments.cache);
  places.folders = data_folders(arguments.data, places.cache);
  places.fetch = fetch_options({}, places.folders.back());
  std::error_code error;
  std::vector<fs::path> paths;
  for (const auto& entry : fs::recursive_directory_iterator(arguments.folder, error)) {
    const fs::path& path = entry.path();
    if (path.extension() == ".json" && path.filename() != "spec.schema.json") paths.push_back(path);
  }
  if (error) {
    throw InputError(fmt::format("{}: {}; name the folder of specs with --dir", arguments.folder,
                                 error.message()));
  }
  std::sort(paths.begin(), paths.end());
  Json list = Json::array();
  std::vector<std::string> names;
  std::vector<std::string> texts;  // the needs of each entry of `list`
  for (const fs::path& path : paths) {
    Json spec;
    try {
      spec = load_resolved(path);
    } catch (const InputError&) {
      continue;  // `bfslab check` reports its errors
    }
    if (!spec.is_object() || !spec.contains("graphs")) continue;  // some other JSON
    names.push_back(text_of(spec, "name"));
    if (!arguments.name.empty() && arguments.name != names.back()) continue;
    const std::optional<SpecNeeds> needs = needs_of_file(path, places);
    if (!wanted(needs, arguments)) continue;
    list.push_back({{"name", names.back()},
                    {"paper", text_of(spec, "paper")},
                    {"item", text_of(spec, "item")},
                    {"title", text_of(spec, "title")},
                    {"file", path.string()},
                    {"needs", needs ? needs_json(*needs) : Json()}});
    texts.push_back(needs ? needs_text(*needs) : "`bfslab check` refuses it");
  }
  if (list.empty() && !arguments.name.empty() &&
      std::ranges::find(names, arguments.name) == names.end()) {
    no_such("experiment", arguments.name, names);
  }
  if (arguments.json) {
    print_json(list);
    return;
  }
  Rows rows;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Json& spec = list[i];
    std::string reproduces = text_of(spec, "paper");
    if (!text_of(spec, "item").empty()) {
      reproduces += (reproduces.empty() ? "" : ", ") + text_of(spec, "item");
    }
    rows.push_back({text_of(spec, "file"), text_of(spec, "title")});
    rows.push_back({"  " + reproduces, "needs " + texts[i]});
  }
  print_table(rows, 0);
}

// ---- columns

void list_columns(const ListArguments& arguments) {
  if (arguments.json) return fmt::print("{}", columns_as_json(arguments.name));
  if (arguments.markdown) return fmt::print("{}", columns_as_markdown(arguments.name));
  Rows rows = columns_as_rows(arguments.name);
  rows.insert(rows.begin(), {"file", "column", "type", "unit", "meaning"});
  print_table(rows, 0);
}

void add_experiments_options(CLI::App& experiments, ListArguments& arguments) {
  experiments.add_option("--dir", arguments.folder, "Folder of specs")->capture_default_str();
  experiments
      .add_option("--without", arguments.without,
                  "Only those that do not need a gpu, several ranks (MPI), the network (graphs to "
                  "fetch), or data that is neither here nor to be fetched (repeatable)")
      ->check(CLI::IsMember(kNeeds))
      ->allow_extra_args(false);
  experiments
      .add_option("--max-memory", arguments.max_memory,
                  "Only those that need at most this memory: 8GB")
      ->transform(CLI::AsSizeValue(/*kb_is_1000=*/false))
      ->transform(without_sign())
      ->type_name("BYTES");
  experiments
      .add_option("--max-minutes", arguments.max_minutes, "Only those that take at most this time")
      ->check(real_range(0.0, 1e9))
      ->type_name("MINUTES");
  experiments.add_option("--data", arguments.data, "Folder of data files (repeatable)")
      ->allow_extra_args(false);
  experiments.add_option("--cache", arguments.cache, "Folder of built graphs");
  experiments.footer(
      "Examples:\n"
      "  bfslab list experiments --dir experiments/cs406\n"
      "  bfslab list experiments --without gpu --without network --max-minutes 5");
}

}  // namespace

void add_list_command(CLI::App& app, int& /*exit_code*/) {
  auto arguments = std::make_shared<ListArguments>();
  CLI::App* list = app.add_subcommand(
      "list", "Engines, GPU parts, graphs and experiments to choose from; the columns of rows");
  list->require_subcommand(1);
  list->footer(
      "Examples:\n"
      "  bfslab list engines            every engine and counter with its toggles\n"
      "  bfslab list engines hybrid     one of them\n"
      "  bfslab list parts              parts of GPU engines, and what each takes\n"
      "  bfslab list graphs --data DIR  kinds of graphs, the catalogue, what is available here\n"
      "  bfslab list experiments        the specs under experiments/, and what each needs\n"
      "  bfslab list columns levels     what the columns of levels.csv mean");
  const auto add = [&](const char* name, const char* doc, void (*action)(const ListArguments&)) {
    CLI::App* what = list->add_subcommand(name, doc);
    what->add_option("name", arguments->name, "Only this one");
    what->add_flag("--json", arguments->json, "As JSON");
    what->callback([arguments, action] { action(*arguments); });
    return what;
  };
  CLI::App* listed =
      add("engines", "Engines and counters: papers, toggles, groups, presets", list_engines);
  add_plugin_option(*listed);
  listed->footer("Example: bfslab list engines hybrid --json");
  CLI::App* parts = add("parts", "Expansions, frontiers and balances of GPU engines", list_parts);
  parts->add_flag("--markdown", arguments->markdown, "As the page docs/parts.md");
  parts->footer("NAME is a kind. Example: bfslab list parts expansion");
  CLI::App* graphs =
      add("graphs", "Kinds of graphs, the catalogue, its groups, and what is available here",
          list_graphs);
  graphs->add_option("--data", arguments->data, "Folder of data files (repeatable)")
      ->allow_extra_args(false);
  graphs->add_option("--cache", arguments->cache, "Folder of built graphs");
  graphs->footer(
      "NAME is a kind, a graph of the catalogue, or a group.\n"
      "Examples:\n"
      "  bfslab list graphs kronecker\n"
      "  bfslab list graphs soc-Epinions1\n"
      "  bfslab list graphs xbfs-table1 --data data");
  add_experiments_options(
      *add("experiments", "Specs, what each reproduces, and what it needs", list_experiments),
      *arguments);
  CLI::App* columns = add("columns", "Columns of the rows that `run` leaves behind", list_columns);
  columns->add_flag("--markdown", arguments->markdown, "As the page docs/rows.md");
  columns->footer("Example: bfslab list columns runs");
}

}  // namespace bfslab
