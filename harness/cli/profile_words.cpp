// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/profile_words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/cli/shell_words.hpp"
#include "harness/plugin/plugins.hpp"
#include "harness/profile/ncu_report.hpp"

namespace bfslab {

namespace {

namespace fs = std::filesystem;

class Commands {
 public:
  Commands(const ProfileArguments& arguments, const Spec& spec, const ProfileFiles& files,
           const std::string& tool, bool on_gpu)
      : arguments_(arguments), spec_(spec), files_(files), tool_(tool), on_gpu_(on_gpu) {}

  [[nodiscard]] std::vector<Words> all() const {
    if (arguments_.perf()) return {perf_command()};
    if (arguments_.ncu()) return {ncu_command(), export_command()};
    return {nsys_command()};
  }

 private:
  // Counters and timelines take one measured traversal of each graph, case and source; samples of
  // perf take all. Earlier rows are moved aside: what is done is not run again, and there would be
  // nothing to profile. Where the spec records levels, ncu's counters are set beside them: the same
  // search once more, instrumented and not profiled.
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
    if (!arguments_.perf()) {
      const SourceRule::Rule rule = spec_.sources.rule;
      if (rule != SourceRule::Rule::listed && rule != SourceRule::Rule::ids) {
        option("--set", "sources.count=1");
      }
      option("--set", "repeats=1");
    }
    const bool with_levels = arguments_.ncu() && spec_.record_levels;
    const char* const record = with_levels ? R"(record=["time","levels"])" : R"(record=["time"])";
    option("--set", record);
    option("--set", "pollution.attempts=1");
    if (spec_.limits.trial_s > 0 && spec_.external.empty()) option("--set", "limits.trial_s=0");
    if (arguments_.ncu()) {
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

  [[nodiscard]] Words ncu_command() const {
    Words words = {tool_,        "--target-processes", "all",        "--nvtx",   "--nvtx-include",
                   range(),      "--force-overwrite",  "--log-file", files_.log, "--export",
                   files_.report};
    if (!arguments_.kernel.empty()) {
      words.insert(words.end(), {"--kernel-name", "regex:" + arguments_.kernel});
    }
    if (arguments_.full) words.insert(words.end(), {"--set", "full"});
    for (const std::string& section : arguments_.sections) {
      words.insert(words.end(), {"--section", section});
    }
    words.insert(words.end(), arguments_.arguments.begin(), arguments_.arguments.end());
    Words metrics = ncu_metrics();
    metrics.insert(metrics.end(), arguments_.metrics.begin(), arguments_.metrics.end());
    words.insert(words.end(), {"--section", "WarpStateStats", "--metrics",
                               fmt::format("{}", fmt::join(metrics, ","))});
    return with_run(std::move(words));
  }

  [[nodiscard]] Words export_command() const {
    return {tool_, "--import",      files_.report, "--csv",      "--page",
            "raw", "--print-units", "base",        "--log-file", files_.counters};
  }

  // On a GPU, profile only the measured traversals, between cudaProfilerStart and
  // cudaProfilerStop.
  [[nodiscard]] Words nsys_command() const {
    Words words = {tool_, "profile", "--force-overwrite=true", "--output=" + files_.report};
    if (on_gpu_) {
      words.insert(words.end(), {"--trace=cuda,nvtx", "--capture-range=cudaProfilerApi",
                                 "--capture-range-end=repeat"});
    } else {
      words.insert(words.end(), {"--trace=nvtx,osrt", "--trace-fork-before-exec=true"});
    }
    words.insert(words.end(), arguments_.arguments.begin(), arguments_.arguments.end());
    return with_run(std::move(words));
  }

  [[nodiscard]] Words perf_command() const {
    Words words = {tool_, "record", "--call-graph", "fp", "--output", files_.report};
    if (!arguments_.metrics.empty()) {
      words.insert(words.end(), {"--event", fmt::format("{}", fmt::join(arguments_.metrics, ","))});
    }
    words.insert(words.end(), arguments_.arguments.begin(), arguments_.arguments.end());
    words.emplace_back("--");
    return with_run(std::move(words));
  }

  [[nodiscard]] Words with_run(Words words) const {
    const Words command = run_command();
    words.insert(words.end(), command.begin(), command.end());
    return words;
  }

  const ProfileArguments& arguments_;
  const Spec& spec_;
  const ProfileFiles& files_;
  const std::string& tool_;
  bool on_gpu_;
};

}  // namespace

ProfileFiles::ProfileFiles(const ProfileArguments& arguments, const Spec& spec)
    : folder(fs::path(arguments.results) / spec.name),
      report(folder.string() + (arguments.ncu()    ? ".ncu-rep"
                                : arguments.perf() ? ".perf.data"
                                                   : "")),
      log(folder.string() + ".ncu.log"),
      counters(folder.string() + ".ncu.csv") {}

std::vector<Words> profile_commands(const ProfileArguments& arguments, const Spec& spec,
                                    const ProfileFiles& files, const std::string& tool,
                                    bool on_gpu) {
  return Commands(arguments, spec, files, tool, on_gpu).all();
}

std::string shell_line(const Words& words) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + shell_word(word);
  return line;
}

}  // namespace bfslab
