// SPDX-License-Identifier: Apache-2.0
// bfslab profile: runs an experiment under one of NVIDIA's profilers, with a command that selects
// by the NVTX ranges of bfslab, and adds the counters to measures.csv; or under perf.
// docs/profile.md.
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
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "harness/cli/commands.hpp"
#include "harness/cli/plugin_option.hpp"
#include "harness/cli/print_json.hpp"
#include "harness/cli/profile_arguments.hpp"
#include "harness/cli/profile_import.hpp"
#include "harness/cli/profile_names.hpp"
#include "harness/cli/profile_words.hpp"
#include "harness/cli/standard_streams.hpp"
#include "harness/profile/ncu_report.hpp"
#include "harness/record/table_file.hpp"
#include "harness/run/plan.hpp"
#include "harness/spec/spec.hpp"

extern char** environ;

namespace bfslab {

namespace {

namespace fs = std::filesystem;

constexpr const char* kProfileFooter = R"(Examples:
  bfslab profile experiments/quick/gpu_ablation.json --only 'Ad/*'
  bfslab profile SPEC --level 3                 only the kernels of level 3
  bfslab profile SPEC --technique double_scan   only the levels of one technique
  bfslab profile SPEC --kernel unvisited --full every section of ncu, of kernels of such a name
  bfslab profile SPEC --list                    the techniques, kernels and ranges there are
  bfslab profile SPEC --metrics smsp__cycles_active.avg --section MemoryWorkloadAnalysis
  bfslab profile SPEC --tool nsys               a timeline of the measured traversals
  bfslab profile SPEC --tool perf               samples of CPU engines, for `perf report`
  bfslab profile SPEC --dry-run                 print the commands, run nothing

ncu runs every kernel several times and saves and restores memory in between: its counts are exact,
and the times in runs.csv of such a run say nothing. The counts become rows of
RESULTS/<name>/measures.csv, which `python -m plots RESULTS` draws. The report for ncu-ui, nsys-ui
or `perf report` lies beside them. perf samples all searches of the spec, and also loading and checks.)";

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
  if (tool == "perf") {
    return "perf is not in PATH: install it (Debian: `apt-get install linux-perf`; Ubuntu: "
           "`apt-get install linux-tools-generic`), or name it by --profiler FILE";
  }
  const bool ncu = tool == "ncu";
  return fmt::format(
      "{0} ({1}) is neither in PATH nor where NVIDIA's installers put it: install it (Debian and "
      "Ubuntu with NVIDIA's package source: `apt-get install {2}`), or name it by --profiler FILE",
      tool, ncu ? "Nsight Compute" : "Nsight Systems",
      ncu ? "cuda-nsight-compute-12-8" : "nsight-systems");
}

// Returns how it ended: an exit code, or 128 plus a signal. `aside`: its standard output goes to
// standard error.
int run_tool(const Words& words, bool aside) {
  std::vector<char*> pointers;
  for (const std::string& word : words) {
    pointers.push_back(const_cast<char*>(word.c_str()));  // NOLINT: posix_spawn does not write
  }
  pointers.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (aside) posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  pid_t process = -1;
  const int error =
      posix_spawnp(&process, pointers.front(), &actions, nullptr, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
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

// Returns the engines of the configurations that run, each once. Throws InputError for a plan of
// several ranks.
std::vector<const EngineInfo*> engines_of(const Spec& spec, const std::vector<std::string>& only) {
  std::vector<const EngineInfo*> engines;
  for (const TrialGroup& group : make_plan(spec, only, Shard{})) {
    if (group.ranks > 1) {
      throw InputError(
          "profile: a worker of several ranks is several processes; name cases of one rank by "
          "--only, or start the profiler by --launcher of `bfslab run`");
    }
    for (const std::size_t c : group.configurations) {
      const EngineInfo* const engine = spec.configurations[c].engine;
      if (std::ranges::find(engines, engine) == engines.end()) engines.push_back(engine);
    }
  }
  return engines;
}

class Profile {
 public:
  explicit Profile(const ProfileArguments& arguments)
      : arguments_(arguments),
        spec_(load_spec(arguments.spec, arguments.set)),
        files_(arguments, spec_),
        engines_(engines_of(spec_, arguments.only)),
        on_gpu_(std::ranges::any_of(engines_,
                                    [](const EngineInfo* engine) { return engine->can.gpu; })) {}

  int run() {
    if (arguments_.list) {
      print_profile_names(engines_, arguments_.json);
      return 0;
    }
    require_profile_names(arguments_, engines_);
    if (!arguments_.import.empty()) {
      import(arguments_.import);
      finish({});
      return 0;
    }
    const std::string tool = find_profiler(arguments_);
    const std::vector<Words> commands =
        profile_commands(arguments_, spec_, files_, tool.empty() ? arguments_.tool : tool, on_gpu_);
    if (arguments_.dry_run) {
      print_commands(commands);
      return 0;
    }
    if (tool.empty()) throw InputError("profile: " + no_profiler(arguments_.tool));
    warn_of_no_use();
    fs::create_directories(arguments_.results);
    ::setenv("LC_ALL", "C", 1);  // ncu prints numbers in the format of the language
    for (const Words& command : commands) run_under_profiler(command);
    if (arguments_.ncu()) import(files_.counters);
    finish(commands);
    return 0;
  }

 private:
  void warn_of_no_use() const {
    if (arguments_.ncu() && !on_gpu_) {
      write_stderr(
          "profile: no case runs on a GPU: ncu will find no kernels (--tool nsys and --tool perf "
          "do)\n");
    }
    if (arguments_.perf() && on_gpu_) {
      write_stderr("profile: perf samples the CPU alone; --tool ncu and --tool nsys see the GPU\n");
    }
  }

  void run_under_profiler(const Words& command) const {
    write_stderr(shell_line(command) + "\n");
    const int code = run_tool(command, arguments_.json);
    const std::string fault = arguments_.ncu() ? known_fault(read_file(files_.log)) : std::string();
    if (!fault.empty()) throw InputError("profile: " + fault);
    if (code != 0) {
      throw InputError(fmt::format("profile: {} ended with {}{}", arguments_.tool, code,
                                   arguments_.ncu() ? "; " + files_.log + " may say why" : ""));
    }
  }

  void import(const std::string& file) {
    counters_ = import_counters(spec_, files_.folder, file, arguments_.metrics);
    write_stderr(fmt::format("profile: counters of {} trials are in {}\n", counters_->trials,
                             counters_->file));
    if (counters_->unmatched > 0) {
      write_stderr(fmt::format("profile: kernels at {} places belong to no row of {}\n",
                               counters_->unmatched, (files_.folder / "runs.csv").string()));
    }
  }

  void print_commands(const std::vector<Words>& commands) const {
    if (arguments_.json) {
      print_json(nlohmann::ordered_json{{"commands", commands}});
      return;
    }
    for (const Words& command : commands) fmt::print("{}\n", shell_line(command));
  }

  // Prints the folder of the rows, and where the report is. `commands`: those that ran; none if
  // counters were only added.
  void finish(const std::vector<Words>& commands) const {
    using Json = nlohmann::ordered_json;
    const std::string report = files_.report + (arguments_.tool == "nsys" ? "*.nsys-rep" : "");
    if (arguments_.json) {
      const Json counters = counters_ ? Json{{"file", counters_->file},
                                             {"trials", counters_->trials},
                                             {"unmatched", counters_->unmatched}}
                                      : Json();
      print_json(Json{{"commands", commands},
                      {"rows", files_.folder.string()},
                      {"report", commands.empty() ? Json() : Json(report)},
                      {"counters", counters}});
      return;
    }
    if (commands.empty()) return;
    fmt::print("{}\n", files_.folder.string());
    write_stderr(fmt::format("profile: the report is {}\n", report));
    if (arguments_.perf()) {
      write_stderr(fmt::format("profile: `perf report --input {}` shows it\n", report));
    }
  }

  const ProfileArguments& arguments_;
  Spec spec_;
  ProfileFiles files_;
  std::vector<const EngineInfo*> engines_;
  bool on_gpu_;
  std::optional<ImportedCounters> counters_;
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

// The options that have no effect beside others, or that the callback asks for.
struct ProfileOptions {
  CLI::Option* level;
  CLI::Option* technique;
  CLI::Option* kernel;
  CLI::Option* full;
  CLI::Option* metrics;
  CLI::Option* sections;
  CLI::Option* more;
  CLI::Option* profiler;
  CLI::Option* import;
  CLI::Option* dry_run;
};

void refuse_options_without_effect(const ProfileArguments& arguments,
                                   const ProfileOptions& options) {
  const auto& [level, technique, kernel, full, metrics, sections, more, profiler, import, dry_run] =
      options;
  if (arguments.tool == "nsys") {
    refuse_without_effect({level, technique, kernel, full, metrics, sections, import},
                          "--tool nsys, whose timeline has all kernels");
  }
  if (arguments.perf()) {
    refuse_without_effect({level, technique, kernel, full, sections, import},
                          "--tool perf, which samples all of a run");
  }
  if (*import) {
    refuse_without_effect({level, technique, kernel, full, sections, more, profiler, dry_run},
                          "--import, which runs nothing");
  }
  const auto part_of_a_name = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  if (!std::ranges::all_of(arguments.technique, part_of_a_name)) {  // ncu's * and / mean ranges
    throw InputError(fmt::format(
        "profile: --technique {}: there is none of such a name; the column technique of "
        "levels.csv and the ranges of a profile have them, as double_scan",
        arguments.technique));
  }
}

// Adds the options that choose what ncu, nsys and perf look at.
void add_selection(CLI::App& command, ProfileArguments& arguments, ProfileOptions& options) {
  options.level = command.add_option("--level", arguments.level, "ncu: only this level, from 0");
  options.technique = command.add_option("--technique", arguments.technique,
                                         "ncu: only levels of this technique (--list)");
  options.kernel = command.add_option(
      "--kernel", arguments.kernel,
      "ncu: only kernels whose name this regular expression is found in (--list)");
  options.full = command.add_flag("--full", arguments.full, "ncu: every section, for ncu-ui");
  options.metrics =
      command
          .add_option("--metrics", arguments.metrics,
                      "ncu: collect and import these metrics, too; perf: sample these events")
          ->delimiter(',')
          ->allow_extra_args(false)
          ->type_name("NAME,...");
  options.sections = command
                         .add_option("--section", arguments.sections,
                                     "ncu: collect this section, too, for ncu-ui (repeatable)")
                         ->allow_extra_args(false)
                         ->type_name("NAME");
  options.more = command
                     .add_option("--argument", arguments.arguments,
                                 "One more argument of the profiler (repeatable): "
                                 "--argument=--clock-control --argument=none")
                     ->allow_extra_args(false)
                     ->type_name("WORD");
}

}  // namespace

void add_profile_command(CLI::App& app, int& exit_code) {
  const auto arguments = std::make_shared<ProfileArguments>();
  CLI::App* command = app.add_subcommand(
      "profile", "Run an experiment under ncu, nsys or perf and import the counters of ncu");
  const auto options = std::make_shared<ProfileOptions>();
  command->add_option("SPEC", arguments->spec, "Experiment file (JSON)")->required();
  command
      ->add_option("--tool", arguments->tool,
                   "ncu (counters of kernels), nsys (a timeline) or perf (samples of CPU engines)")
      ->check(CLI::IsMember({"ncu", "nsys", "perf"}))
      ->capture_default_str();
  command->add_option("--only", arguments->only, "Only what matches this glob of CASE/GRAPH")
      ->allow_extra_args(false);
  const auto graph = std::make_shared<std::string>();
  const auto source = std::make_shared<std::optional<std::uint32_t>>();
  command->add_option("--graph", *graph, "This graph, in place of the spec's");
  command->add_option("--source", *source, "This vertex, in place of the spec's sources");
  add_selection(*command, *arguments, *options);
  command->add_option("--set", arguments->set, "Override a key of the spec")
      ->allow_extra_args(false);
  command->add_option("--results", arguments->results, "Folder for rows and reports")
      ->capture_default_str();
  command->add_option("--data", arguments->data, "Folder with graph files")
      ->allow_extra_args(false);
  command->add_option("--cache", arguments->cache, "Cache folder");
  add_plugin_option(*command);
  options->profiler =
      command->add_option("--profiler", arguments->profiler, "The profiler's file, if not in PATH");
  options->import =
      command
          ->add_option("--import", arguments->import,
                       "Run nothing: add the counters of this file, as `ncu --import REPORT --csv "
                       "--page raw` prints them, to the rows in --results")
          ->type_name("CSV");
  options->dry_run =
      command->add_flag("--dry-run", arguments->dry_run, "Print the commands and run nothing");
  command
      ->add_flag("--list", arguments->list,
                 "Print the techniques, kernels and NVTX ranges that there are, and run nothing")
      ->excludes(options->import)
      ->excludes(options->dry_run);
  command->add_flag("--json", arguments->json, "Print it as JSON: docs/scripts.md");
  command->footer(kProfileFooter);
  command->callback([=, &exit_code] {
    refuse_options_without_effect(*arguments, *options);
    if (!graph->empty()) {
      arguments->set.push_back("graphs=" + nlohmann::json::array({*graph}).dump());
    }
    if (*source) arguments->set.push_back(fmt::format("sources=[{}]", **source));
    exit_code = Profile(*arguments).run();
  });
}

}  // namespace bfslab
