// SPDX-License-Identifier: Apache-2.0
#include "harness/analyse/results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>
#include <tuple>

#include "harness/record/build_info.hpp"
#include "harness/record/environment.hpp"
#include "harness/record/packed_tables.hpp"
#include "harness/record/row_reader.hpp"
#include "harness/record/sound_folder.hpp"
#include "harness/record/table_file.hpp"

namespace bfslab {

namespace fs = std::filesystem;

namespace {

// Includes the numbers of processes, which a sweep may change too.
std::vector<std::pair<std::string, std::string>> settings_of(const RunRow& row) {
  auto settings = toggles_of(row);
  settings.emplace_back("ranks", std::to_string(row.ranks));
  settings.emplace_back("gpus_per_rank", std::to_string(row.gpus_per_rank));
  return settings;
}

// plots/load.py uses the same names.
void name_series(std::vector<ResultCell>& cells) {
  std::map<std::pair<std::string, std::string>, std::set<std::string>> seen;
  for (const ResultCell& cell : cells) {
    for (const auto& [name, value] : settings_of(cell.key)) {
      seen[{cell.key.case_name, name}].insert(value);
    }
  }
  for (ResultCell& cell : cells) {
    cell.series = cell.key.case_name;
    for (const auto& [name, value] : settings_of(cell.key)) {
      if (seen.at({cell.key.case_name, name}).size() > 1) {
        cell.series += fmt::format(", {}={}", name, value);
      }
    }
  }
}

// Says which process measured a row, as far as spec.json and environment.json know it.
class Processes {
 public:
  // `share`: repeats per invocation; `later`: numbers of repeats at which a run continued because
  // its spec had grown.
  Processes(std::uint64_t share, std::vector<unsigned> later)
      : share_(share), later_(std::move(later)) {
    std::erase_if(later_, [&](unsigned repeat) { return repeat % share_ == 0; });
  }

  // Sees all rows first, since each build has its own processes.
  void add(const RunRow& row) {
    builds_.try_emplace(row.build_hash, builds_.size());
    per_build_ = std::max(per_build_, invocation_of(row.repeat) + 1);
  }

  [[nodiscard]] std::size_t build_of(const RunRow& row) const { return builds_.at(row.build_hash); }
  [[nodiscard]] std::size_t process_of(const RunRow& row) const {
    return build_of(row) * per_build_ + invocation_of(row.repeat);
  }
  [[nodiscard]] std::size_t per_build() const { return per_build_; }

 private:
  [[nodiscard]] std::size_t invocation_of(unsigned repeat) const {
    const auto later = std::ranges::upper_bound(later_, repeat) - later_.begin();
    return repeat / share_ + static_cast<std::size_t>(later);
  }

  std::uint64_t share_;
  std::vector<unsigned> later_;
  std::map<std::string, std::size_t> builds_;
  std::size_t per_build_ = 1;
};

void put(const RunRow& row, const Processes& processes, std::map<vertex_t, ProcessTimes>& times) {
  ProcessTimes& of_source = times[*row.source];
  const std::size_t process = processes.process_of(row);
  if (of_source.size() <= process) of_source.resize(process + 1);
  of_source[process].push_back(*row.time_ms);
}

void add_energy(const RunRow& row, ResultCell& cell) {
  if (row.status != Status::ok || !row.source || !row.profiler.empty()) return;
  if (row.energy_j) {
    cell.energy_j[*row.source] = *row.energy_j;
  } else {
    cell.energy_missing.insert(row.reason);
  }
}

void add(const RunRow& row, const Processes& processes, ResultCell& cell) {
  if (row.recorded == kEnergy) add_energy(row, cell);
  if (row.instrumented) return;
  ++cell.statuses[row.status];
  if (row.status != Status::ok || !row.time_ms || !row.source) return;
  if (!row.profiler.empty()) return;  // its time includes the profiler's cost
  ++cell.timed;
  cell.key.searches_per_trial = row.searches_per_trial;
  cell.key.caches = row.caches;
  cell.builds.insert(processes.build_of(row));
  put(row, processes, row.polluted ? cell.dirty_times : cell.times);
  if (row.component_edges) cell.edges[*row.source] = *row.component_edges;
  if (!row.polluted) return;
  ++cell.polluted;
  ++cell.pollution[row.reason];
}

std::vector<ResultCell> cells_of(std::vector<RunRow> rows, const Processes& processes,
                                 const std::string& experiment) {
  const auto key = [](const RunRow& row) {
    return std::tuple(row.case_name, row.graph, row.graph_hash, row.engine, row.toggles, row.answer,
                      row.ranks, row.gpus_per_rank);
  };
  std::map<decltype(key(RunRow())), std::size_t> places;
  std::vector<ResultCell> cells;
  for (const RunRow& row : counted_rows(std::move(rows))) {
    const auto [place, is_new] = places.try_emplace(key(row), cells.size());
    if (is_new) {
      cells.emplace_back();
      cells.back().experiment = experiment;
      cells.back().key = row;
      cells.back().key.searches_per_trial.reset();  // add() takes both from timed rows
      cells.back().key.caches.clear();
      cells.back().processes_per_build = processes.per_build();
    }
    add(row, processes, cells[place->second]);
  }
  name_series(cells);
  return cells;
}

using nlohmann::json;

// How many repeats of a trial one process makes: docs/spec.md under `invocations`.
unsigned repeats_of_a_process(const json& spec) {
  const auto number = [&](const char* key) {
    const auto found = spec.is_object() ? spec.find(key) : spec.end();
    return found != spec.end() && found->is_number_unsigned() ? found->get<unsigned>() : 1U;
  };
  if (number("invocations") <= 1) return std::numeric_limits<unsigned>::max();
  return std::max(1U, number("repeats") / number("invocations"));
}

// Shortens a commit to 7 digits, and keeps the mark of a modified one.
std::string short_commit(const std::string& commit) {
  if (commit.empty()) return "unknown";
  const bool dirty = commit.ends_with('+');
  return commit.substr(0, 7) + (dirty && commit.size() > 7 ? "+" : "");
}

// Rows name the commits of their builds. For rows of format 1, environment.json does.
void add_build(const RunRow& row, const std::map<std::string, std::string>& recorded,
               std::vector<Build>& builds) {
  if (std::ranges::find(builds, row.build_hash, &Build::hash) != builds.end()) return;
  const auto known = recorded.find(row.build_hash);
  const bool has_own = !row.commit.empty() || known == recorded.end();
  builds.push_back({row.build_hash, short_commit(has_own ? row.commit : known->second)});
}

std::string text_at(const json& environment, const char* path) {
  const json::json_pointer place(path);
  if (!environment.is_object() || !environment.contains(place)) return "";
  const json& found = environment.at(place);
  return found.is_string() ? found.get<std::string>() : "";
}

// Returns the commit of the folder's first run, or else that of its first row.
std::string first_commit(const json& environment, const std::vector<Build>& builds) {
  if (!environment.is_object() || !environment.contains("commit")) {
    return builds.empty() ? "unknown" : builds.front().commit;
  }
  const bool dirty = environment.contains("dirty") && environment.at("dirty") == true;
  const std::string commit = text_at(environment, "/commit");
  return short_commit(commit_mark(commit.empty() ? "unknown" : commit, dirty));
}

// Older rows do not name theirs.
UsedGpus gpus_of_machine(const json& environment) {
  UsedGpus gpus;
  const json::json_pointer devices("/gpu/devices");
  if (!environment.is_object() || !environment.contains(devices)) return gpus;
  for (const json& each : environment.at(devices)) {
    const std::string uuid = text_at(each, "/uuid");
    if (each.is_object()) gpus.names.insert(uuid.empty() ? "unknown" : uuid.substr(0, 12));
  }
  gpus.most = gpus.names.size();
  return gpus;
}

// Virtual machines' CPUs often have names that say nothing: "AMD EPYC".
std::string cpu_of_machine(const json& environment) {
  const json::json_pointer place("/cpu");
  if (!environment.is_object() || !environment.contains(place)) return "";
  const json& cpu = environment.at(place);
  if (!cpu.is_object() || !cpu.contains("model") || !cpu.at("model").is_string()) return "";
  std::string text = cpu.at("model").get<std::string>();
  if (cpu.contains("logical") && cpu.at("logical").is_number_integer()) {
    text += fmt::format(", {} processors", cpu.at("logical").get<std::int64_t>());
  }
  if (!cpu.contains("caches") || !cpu.at("caches").is_array()) return text;
  for (const json& cache : cpu.at("caches")) {
    if (!cache.is_object() || text_at(cache, "/type") == "Instruction") continue;
    text += fmt::format(", L{} {}", text_at(cache, "/level"), text_at(cache, "/size"));
  }
  return text;
}

std::string compiled_for_another(const json& environment) {
  const std::string meant = text_at(environment, "/compiled_for/cpu");
  const std::string is = text_at(environment, "/cpu/signature");
  if (meant.empty() || is.empty() || meant == is) return "";
  return fmt::format("{} ({})", text_at(environment, "/compiled_for/target"), meant);
}

// Returns whether the row is a timed search of our program without a GPU.
bool is_of_cpu_engine(const RunRow& row) {
  return row.source && row.time_ms && !row.gpu_ms && row.gpu.empty() &&
         !row.engine.starts_with("external:");
}

// Returns whether the user has named the sources, by vertex or by id.
bool has_listed_sources(const json& spec) {
  if (!spec.is_object() || !spec.contains("sources")) return false;
  const json& sources = spec.at("sources");
  return sources.is_array() || sources.contains("ids");
}

std::vector<RunRow> answers_of(const std::vector<RunRow>& rows) {
  std::set<
      std::tuple<std::string, vertex_t, OptionalCount, OptionalCount, OptionalCount, OptionalCount>>
      seen;
  std::vector<RunRow> answers;
  for (const RunRow& row : rows) {
    if (row.status != Status::ok || !row.source || row.graph_hash.empty()) continue;
    if (seen.emplace(row.graph_hash, *row.source, row.levels, row.reached_vertices, row.level_sum,
                     row.component_edges)
            .second) {
      answers.push_back(row);
    }
  }
  return answers;
}

}  // namespace

void UsedGpus::add(const std::string& joined) {
  std::istringstream text(joined);
  std::size_t count = 0;
  for (std::string name; std::getline(text, name, ';'); ++count) names.insert(name);
  most = std::max(most, count);
}

void UsedGpus::add(const UsedGpus& others) {
  names.insert(others.names.begin(), others.names.end());
  most = std::max(most, others.most);
}

std::map<vertex_t, ProcessTimes> ResultCell::usable_by_build(bool polluted) const {
  std::map<vertex_t, ProcessTimes> all = times;
  for (const auto& [source, processes] : dirty_times) {
    if (!polluted) {
      all.erase(source);
      continue;
    }
    ProcessTimes& joined = all[source];
    if (joined.size() < processes.size()) joined.resize(processes.size());
    for (std::size_t process = 0; process < processes.size(); ++process) {
      std::ranges::copy(processes[process], std::back_inserter(joined[process]));
    }
  }
  return all;
}

std::map<vertex_t, ProcessTimes> ResultCell::usable(bool polluted) const {
  return without_other_builds(usable_by_build(polluted), processes_per_build);
}

std::vector<std::pair<std::string, std::string>> toggles_of(const RunRow& row) {
  std::vector<std::pair<std::string, std::string>> toggles;
  std::istringstream words(row.toggles);
  for (std::string word; std::getline(words, word, ';');) {
    const std::size_t equals = word.find('=');
    toggles.emplace_back(word.substr(0, equals),
                         equals == std::string::npos ? "" : word.substr(equals + 1));
  }
  return toggles;
}

Experiment read_experiment(const std::string& path) {
  const fs::path folder = fs::weakly_canonical(path);
  if (!has_table(folder, "runs")) {
    throw InputError(fmt::format(
        "{}: no runs.csv; name a folder that `bfslab run` wrote, or one that holds such folders",
        path));
  }
  const std::string file = table_path(folder, "runs");
  Experiment experiment;
  experiment.path = path;
  experiment.name = folder.filename();
  experiment.machine = folder.parent_path().filename();
  experiment.environment = read_file(folder / "environment.json");
  const json environment = json::parse(experiment.environment, nullptr, false);
  require_known_format(experiment.environment, path);
  experiment.sealed = require_sound_folder(folder);
  experiment.cpu = cpu_of_machine(environment);
  experiment.compiled_for = compiled_for_another(environment);
  std::vector<RunRow> rows = read_rows<RunRow>(read_table(file), file, Damage::refuse);
  require_own_rows(experiment.environment, rows, file);
  const json spec = json::parse(read_file(folder / "spec.json"), nullptr, false);
  if (!has_listed_sources(spec)) experiment.small_sources = small_sources(rows);
  Processes processes(repeats_of_a_process(spec), repeats_before(experiment.environment));
  const auto commits = commits_of_builds(experiment.environment);
  bool on_gpu = false;
  for (const RunRow& row : rows) {
    processes.add(row);
    add_build(row, commits, experiment.builds);
    if (!row.environment.empty()) experiment.environments.insert(row.environment);
    experiment.gpus.add(row.gpu);
    if (is_of_cpu_engine(row)) experiment.cpu_engines.insert(row.engine);
    on_gpu |= row.gpu_ms.has_value();
  }
  if (experiment.gpus.names.empty() && on_gpu) experiment.gpus = gpus_of_machine(environment);
  experiment.answers = answers_of(standing_rows(rows));
  experiment.commit = first_commit(environment, experiment.builds);
  std::erase_if(rows, [&](const RunRow& row) { return is_small(row, experiment.small_sources); });
  experiment.cells = cells_of(std::move(rows), processes, experiment.name);
  const std::string measures = table_path(folder, "measures");
  for (const MeasureRow& row :
       read_rows<MeasureRow>(read_table(measures), measures, Damage::pass_over)) {
    if (row.metric.starts_with("calibration_")) experiment.calibrations.push_back(row);
  }
  return experiment;
}

std::vector<std::string> result_folders(const std::string& path) {
  std::vector<std::string> folders;
  if (has_table(path, "runs")) folders.push_back(path);
  std::error_code error;
  for (fs::recursive_directory_iterator entry(path, error), end; !error && entry != end;
       entry.increment(error)) {
    const bool hidden = entry->path().filename().string().starts_with('.');
    if (hidden && entry->is_directory()) entry.disable_recursion_pending();
    if (!hidden && entry->is_directory() && has_table(entry->path(), "runs")) {
      folders.push_back(entry->path().string());
    }
  }
  if (error) {
    throw InputError(fs::exists(path)
                         ? fmt::format("cannot read {}: {}", path, error.message())
                         : fmt::format("{}: no such folder; name one of results", path));
  }
  if (folders.empty()) {
    throw InputError(fmt::format("{}: no runs.csv there or below; name a folder of results", path));
  }
  std::ranges::sort(folders);
  return folders;
}

std::vector<Experiment> read_results(const std::string& path) {
  std::vector<Experiment> all;
  for (const std::string& folder : result_folders(path)) {
    const fs::path below = fs::path(folder).lexically_relative(path);
    // This folder has rows of two programs, which are not results of the machine.
    if (std::ranges::find(below, "equivalence") != below.end()) continue;
    all.push_back(read_experiment(folder));
  }
  return all;
}

std::string builds_text(const Experiment& experiment, const std::set<std::size_t>& builds) {
  std::vector<std::string> names;
  for (const std::size_t each : builds) names.push_back(experiment.builds.at(each).name());
  return fmt::format("{}", fmt::join(names, " and "));
}

std::string Build::name() const {
  return commit == "unknown" ? fmt::format("build {}", hash) : commit;
}

std::string status_text(const std::map<Status, std::size_t>& statuses) {
  std::string text;
  for (const auto& [status, count] : statuses) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, to_text(status));
  }
  return text;
}

std::string three_digits(double value) {
  if (!std::isfinite(value)) return {};
  if (value == 0) return "0";
  const int whole = static_cast<int>(std::floor(std::log10(std::abs(value)))) + 1;
  return fmt::format("{:.{}f}", value, std::clamp(3 - whole, 0, 9));
}

}  // namespace bfslab
