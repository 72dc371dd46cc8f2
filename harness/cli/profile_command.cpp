// SPDX-License-Identifier: Apache-2.0
// bfslab profile: runs an experiment under NVIDIA's profilers, with a command that selects by the
// NVTX ranges of bfslab, and adds the counters to measures.csv. docs/profile.md.
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "harness/cli/commands.hpp"
#include "harness/cli/plugin_option.hpp"
#include "harness/cli/shell_words.hpp"
#include "harness/cli/standard_streams.hpp"
#include "harness/plugin/plugins.hpp"
#include "harness/profile/ncu_report.hpp"
#include "harness/record/agreement.hpp"
#include "harness/record/csv.hpp"
#include "harness/record/directory_lock.hpp"
#include "harness/record/packed_tables.hpp"
#include "harness/record/row_reader.hpp"
#include "harness/record/seal.hpp"
#include "harness/record/sound_folder.hpp"
#include "harness/record/table_file.hpp"
#include "harness/record/tables.hpp"
#include "harness/run/plan.hpp"
#include "harness/spec/spec.hpp"

extern char** environ;

namespace bfslab {

namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

struct ProfileArguments {
  std::string spec;
  std::string tool = "ncu";
  std::string profiler;
  std::string results = "out/profile";
  std::vector<std::string> set;
  std::vector<std::string> only;
  std::vector<std::string> data;
  std::string cache;
  std::optional<unsigned> level;
  std::string technique;
  std::string kernel;
  bool full = false;
  bool dry_run = false;
  std::string import;
};

constexpr const char* kProfileFooter = R"(Examples:
  bfslab profile experiments/quick/gpu_ablation.json --only 'Ad/*'
  bfslab profile SPEC --level 3                 only the kernels of level 3
  bfslab profile SPEC --technique double_scan   only the levels of one technique
  bfslab profile SPEC --kernel unvisited --full every section of ncu, of kernels of such a name
  bfslab profile SPEC --tool nsys               a timeline of the measured traversals
  bfslab profile SPEC --dry-run                 print the commands, run nothing

ncu runs every kernel several times and saves and restores memory in between: its counts are exact,
and the times in runs.csv of such a run say nothing. The counts become rows of
RESULTS/<name>/measures.csv, which `python -m plots RESULTS` draws. The report for ncu-ui or nsys-ui
lies beside them.)";

std::string shell_line(const Words& words) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + shell_word(word);
  return line;
}

// Returns the file of a program: as given, in PATH, or where NVIDIA's installers put it. Empty if
// it is nowhere.
std::string find_profiler(const ProfileArguments& arguments) {
  if (!arguments.profiler.empty()) return arguments.profiler;
  std::vector<fs::path> folders;
  const char* const path = std::getenv("PATH");
  std::string rest = path == nullptr ? "" : path;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    folders.emplace_back(rest.substr(0, end));
    rest.erase(0, end + 1);
  }
  folders.emplace_back("/usr/local/cuda/bin");
  std::error_code ignored;
  for (const char* product : {"/opt/nvidia/nsight-compute", "/opt/nvidia/nsight-systems"}) {
    for (const auto& version : fs::directory_iterator(product, ignored)) {
      folders.push_back(version.path());
      folders.push_back(version.path() / "bin");
    }
  }
  for (const fs::path& folder : folders) {
    if (::access((folder / arguments.tool).c_str(), X_OK) == 0) return folder / arguments.tool;
  }
  return {};
}

std::string no_profiler(const std::string& tool) {
  const bool ncu = tool == "ncu";
  return fmt::format(
      "{0} ({1}) is neither in PATH nor where NVIDIA's installers put it: install it (Debian and "
      "Ubuntu with NVIDIA's package source: `apt-get install {2}`), or name it by --profiler FILE",
      tool, ncu ? "Nsight Compute" : "Nsight Systems",
      ncu ? "cuda-nsight-compute-12-8" : "nsight-systems");
}

// Returns how it ended: an exit code, or 128 plus a signal.
int run_tool(const Words& words) {
  std::vector<char*> pointers;
  for (const std::string& word : words) {
    pointers.push_back(const_cast<char*>(word.c_str()));  // NOLINT: posix_spawn does not write
  }
  pointers.push_back(nullptr);
  pid_t process = -1;
  const int error =
      posix_spawnp(&process, pointers.front(), nullptr, nullptr, pointers.data(), environ);
  if (error != 0) {
    throw InputError(fmt::format("{}: cannot be started: {}", words.front(), std::strerror(error)));
  }
  // ctrl-C reaches both processes, and this one waits for the report of the other.
  auto* const before = std::signal(SIGINT, SIG_IGN);
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  std::signal(SIGINT, before);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

class Profile {
 public:
  explicit Profile(const ProfileArguments& arguments)
      : arguments_(arguments),
        spec_(load_spec(arguments.spec, arguments.set)),
        folder_(fs::path(arguments.results) / spec_.name),
        report_(folder_.string() + (ncu() ? ".ncu-rep" : "")),  // nsys adds numbers and an ending
        log_(folder_.string() + ".ncu.log"),
        counters_(folder_.string() + ".ncu.csv") {
    const std::vector<TrialGroup> plan = make_plan(spec_, arguments.only, Shard{});
    for (const TrialGroup& group : plan) {
      if (group.ranks > 1) {
        throw InputError(
            "profile: a worker of several ranks is several processes; name cases of one rank by "
            "--only, or start the profiler by --launcher of `bfslab run`");
      }
      for (const std::size_t c : group.configurations) {
        on_gpu_ = on_gpu_ || spec_.configurations[c].engine->can.gpu;
      }
    }
  }

  int run() {
    if (!arguments_.import.empty()) {
      import(arguments_.import);
      return 0;
    }
    const std::string tool = find_profiler(arguments_);
    const std::string& name = tool.empty() ? arguments_.tool : tool;
    std::vector<Words> commands = {ncu() ? ncu_command(name) : nsys_command(name)};
    if (ncu()) commands.push_back(export_command(name));
    if (arguments_.dry_run) {
      for (const Words& command : commands) fmt::print("{}\n", shell_line(command));
      return 0;
    }
    if (tool.empty()) throw InputError("profile: " + no_profiler(arguments_.tool));
    if (ncu() && !on_gpu_) {
      write_stderr("profile: no case runs on a GPU: ncu will find no kernels (--tool nsys does)\n");
    }
    fs::create_directories(arguments_.results);
    ::setenv("LC_ALL", "C", 1);  // ncu prints numbers in the format of the language
    for (const Words& command : commands) {
      write_stderr(shell_line(command) + "\n");
      const int code = run_tool(command);
      const std::string fault = ncu() ? known_fault(read_file(log_)) : std::string();
      if (!fault.empty()) throw InputError("profile: " + fault);
      if (code != 0) {
        throw InputError(fmt::format("profile: {} ended with {}{}", arguments_.tool, code,
                                     ncu() ? "; " + log_ + " may say why" : ""));
      }
    }
    if (ncu()) import(counters_);
    fmt::print("{}\n", folder_.string());
    write_stderr(fmt::format("profile: the report is {}{}\n", report_, ncu() ? "" : "*.nsys-rep"));
    return 0;
  }

 private:
  [[nodiscard]] bool ncu() const { return arguments_.tool == "ncu"; }

  // One measured traversal of each graph, case and source. Earlier rows are moved aside: what is
  // done is not run again, and there would be nothing to profile. Where the spec records levels,
  // ncu's counters are set beside them: the same search once more, instrumented and not profiled.
  [[nodiscard]] Words run_command() const {
    Words words = {fs::read_symlink("/proc/self/exe").string(),
                   "run",
                   arguments_.spec,
                   "--fresh",
                   "--results",
                   arguments_.results};
    const auto option = [&](const char* name, const std::string& value) {
      words.insert(words.end(), {name, value});
    };
    for (const std::string& glob : arguments_.only) option("--only", glob);
    for (const std::string& folder : arguments_.data) option("--data", folder);
    if (!arguments_.cache.empty()) option("--cache", arguments_.cache);
    for (const Plugin& plugin : plugins()) option("--plugin", plugin.path);
    if (spec_.sources.rule != SourceRule::Rule::listed) option("--set", "sources.count=1");
    const bool with_levels = ncu() && spec_.record_levels;
    const char* const record = with_levels ? R"(record=["time","levels"])" : R"(record=["time"])";
    for (const char* change : {"repeats=1", record, "pollution.attempts=1"}) {
      option("--set", change);
    }
    if (spec_.limits.trial_s > 0 && spec_.external.empty()) option("--set", "limits.trial_s=0");
    if (ncu()) {
      option("--set", with_levels ? R"(figure=["roofline","level_timeline","level_traffic"])"
                                  : R"(figure=["roofline","level_timeline"])");
    }
    for (const std::string& change : arguments_.set) option("--set", change);
    return words;
  }

  // Push-pop ranges of the domain bfslab, the outer one first; `*` stands for any between.
  [[nodiscard]] std::string range() const {
    std::string text = "bfslab@measured/";
    if (!arguments_.level && arguments_.technique.empty()) return text;
    text += "*";
    if (arguments_.level) text += fmt::format("/level={}", *arguments_.level);
    if (!arguments_.technique.empty()) text += "/technique=" + arguments_.technique;
    return text;
  }

  [[nodiscard]] Words ncu_command(const std::string& tool) const {
    Words words = {tool,    "--target-processes", "all",        "--nvtx", "--nvtx-include",
                   range(), "--force-overwrite",  "--log-file", log_,     "--export",
                   report_};
    if (!arguments_.kernel.empty()) {
      words.insert(words.end(), {"--kernel-name", "regex:" + arguments_.kernel});
    }
    if (arguments_.full) words.insert(words.end(), {"--set", "full"});
    words.insert(words.end(), {"--section", "WarpStateStats", "--metrics",
                               fmt::format("{}", fmt::join(ncu_metrics(), ","))});
    return with_run(std::move(words));
  }

  [[nodiscard]] Words export_command(const std::string& tool) const {
    return {tool,  "--import",      report_, "--csv",      "--page",
            "raw", "--print-units", "base",  "--log-file", counters_};
  }

  // On a GPU, profile only the measured traversals, between cudaProfilerStart and
  // cudaProfilerStop.
  [[nodiscard]] Words nsys_command(const std::string& tool) const {
    Words words = {tool, "profile", "--force-overwrite=true", "--output=" + report_};
    if (on_gpu_) {
      words.insert(words.end(), {"--trace=cuda,nvtx", "--capture-range=cudaProfilerApi",
                                 "--capture-range-end=repeat"});
    } else {
      words.insert(words.end(), {"--trace=nvtx,osrt", "--trace-fork-before-exec=true"});
    }
    return with_run(std::move(words));
  }

  [[nodiscard]] Words with_run(Words words) const {
    const Words command = run_command();
    words.insert(words.end(), command.begin(), command.end());
    return words;
  }

  void import(const std::string& file) const {
    if (!fs::is_regular_file(file)) throw InputError(fmt::format("{}: no such file", file));
    const std::string runs = (folder_ / "runs.csv").string();
    if (!has_table(folder_.string(), "runs")) {
      throw InputError(fmt::format("{}: no rows there that counters could belong to", runs));
    }
    const auto counted = read_ncu_csv(read_file(file), file);
    const DirectoryLock lock(folder_.string());
    require_sound_folder(folder_.string());
    unpack_tables(folder_.string());
    std::vector<std::string> added;
    std::set<std::string> trials;
    std::size_t homeless = 0;
    const std::vector<RunRow> rows =
        standing_rows(read_rows<RunRow>(read_file(runs), runs, Damage::pass_over));
    for (const auto& each_place : counted) {
      const KernelPlace& place = each_place.first;
      const auto row =
          std::ranges::find_if(rows, [&](const RunRow& each) { return belongs(place, each); });
      if (row == rows.end()) {
        ++homeless;
        continue;
      }
      trials.insert(std::to_string(row->trial));
      for (MeasureRow measure : measure_rows(place, each_place.second)) {
        measure.trial = row->trial;
        added.push_back(csv_row(fields(measure)));
      }
    }
    if (added.empty()) {
      const KernelPlace& first = counted.begin()->first;
      throw InputError(
          fmt::format("{}: none of its kernels belongs to a row of {}: one ran in case \"{}\" on "
                      "{} from vertex {}, of which there is no row that is ok",
                      file, runs, first.case_name, first.graph, first.source));
    }
    const std::string path = (folder_ / "measures.csv").string();
    refuse_second_time(path, trials, file);
    const std::string begun = begun_at(read_file((folder_ / "environment.json").string()));
    TableFile measures(path, column_names<MeasureRow>(), begun);
    measures.append(added);
    measures.sync();
    write_stderr(fmt::format("profile: counters of {} trials are in {}\n", trials.size(), path));
    if (homeless > 0) {
      write_stderr(
          fmt::format("profile: kernels at {} places belong to no row of {}\n", homeless, runs));
    }
  }

  // The number of the configuration in the spec distinguishes the points of a sweep in one case.
  [[nodiscard]] bool belongs(const KernelPlace& place, const RunRow& row) const {
    if (row.status != Status::ok || row.instrumented || row.source != place.source ||
        row.case_name != place.case_name || row.graph != place.graph) {
      return false;
    }
    const std::size_t c = place.configuration.value_or(spec_.configurations.size());
    return c >= spec_.configurations.size() ||
           spec_.configurations[c].toggles.text() == row.toggles;
  }

  static void refuse_second_time(const std::string& path, const std::set<std::string>& trials,
                                 const std::string& file) {
    for (const CsvRecord& record : parse_csv(read_file(path))) {
      if (record.fields.size() > 3 && trials.contains(record.fields.front()) &&
          record.fields[3].starts_with("kernel=")) {
        throw InputError(
            fmt::format("{}: trial {} has counters of kernels already; {} is not added "
                        "a second time",
                        path, record.fields.front(), file));
      }
    }
  }

  const ProfileArguments& arguments_;
  Spec spec_;
  fs::path folder_;
  std::string report_;
  std::string log_;
  std::string counters_;
  bool on_gpu_ = false;
};

// Throws InputError where options were given that have no effect beside `reason`: --tool nsys.
void refuse_without_effect(const std::vector<const CLI::Option*>& options,
                           const std::string& reason) {
  std::vector<std::string> given;
  for (const CLI::Option* option : options) {
    if (*option) given.push_back(option->get_name());
  }
  if (given.empty()) return;
  throw InputError(fmt::format("profile: {} {} no effect with {}: leave out one or the other",
                               fmt::join(given, " and "), given.size() == 1 ? "has" : "have",
                               reason));
}

}  // namespace

void add_profile_command(CLI::App& app, int& exit_code) {
  const auto arguments = std::make_shared<ProfileArguments>();
  CLI::App* command =
      app.add_subcommand("profile", "Run an experiment under ncu or nsys and import its counters");
  command->add_option("SPEC", arguments->spec, "Experiment file (JSON)")->required();
  command->add_option("--tool", arguments->tool, "ncu (counters of kernels) or nsys (a timeline)")
      ->check(CLI::IsMember({"ncu", "nsys"}))
      ->capture_default_str();
  command->add_option("--only", arguments->only, "Only what matches this glob of CASE/GRAPH")
      ->allow_extra_args(false);
  auto* level = command->add_option("--level", arguments->level, "ncu: only this level, from 0");
  auto* technique = command->add_option("--technique", arguments->technique,
                                        "ncu: only levels of this technique, as in levels.csv");
  auto* kernel =
      command->add_option("--kernel", arguments->kernel,
                          "ncu: only kernels whose name this regular expression is found in");
  auto* full = command->add_flag("--full", arguments->full, "ncu: every section, for ncu-ui");
  command->add_option("--set", arguments->set, "Override a key of the spec")
      ->allow_extra_args(false);
  command->add_option("--results", arguments->results, "Folder for rows and reports")
      ->capture_default_str();
  command->add_option("--data", arguments->data, "Folder with graph files")
      ->allow_extra_args(false);
  command->add_option("--cache", arguments->cache, "Cache folder");
  add_plugin_option(*command);
  auto* profiler =
      command->add_option("--profiler", arguments->profiler, "The profiler's file, if not in PATH");
  auto* import =
      command
          ->add_option("--import", arguments->import,
                       "Run nothing: add the counters of this file, as `ncu --import REPORT --csv "
                       "--page raw` prints them, to the rows in --results")
          ->type_name("CSV");
  auto* dry_run =
      command->add_flag("--dry-run", arguments->dry_run, "Print the commands and run nothing");
  command->footer(kProfileFooter);
  const std::vector<const CLI::Option*> of_ncu = {level, technique, kernel, full, import};
  const std::vector<const CLI::Option*> of_a_run = {level, technique, kernel,
                                                    full,  profiler,  dry_run};
  command->callback([=, &exit_code] {
    if (arguments->tool == "nsys") {
      refuse_without_effect(of_ncu, "--tool nsys, whose timeline has all kernels");
    }
    if (*import) refuse_without_effect(of_a_run, "--import, which runs nothing");
    const auto part_of_a_name = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
    if (!std::ranges::all_of(arguments->technique, part_of_a_name)) {  // ncu's * and / mean ranges
      throw InputError(fmt::format(
          "profile: --technique {}: there is none of such a name; the column technique of "
          "levels.csv and the ranges of a profile have them, as double_scan",
          arguments->technique));
    }
    exit_code = Profile(*arguments).run();
  });
}

}  // namespace bfslab
