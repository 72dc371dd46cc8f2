// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/fetch_missing.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <filesystem>

#include "datasets/fetch/download.hpp"
#include "datasets/graph/types.hpp"
#include "datasets/name/addresses.hpp"
#include "datasets/name/locate.hpp"
#include "datasets/text/printable.hpp"
#include "harness/cli/folders.hpp"
#include "harness/cli/real_range.hpp"
#include "harness/cli/standard_streams.hpp"

namespace bfslab {

namespace {

// Shows a line on a terminal, redrawn at most ten times per second; nothing elsewhere.
class TerminalProgress {
 public:
  TerminalProgress(std::string name, bool quiet)
      : name_(std::move(name)), terminal_(!quiet && ::isatty(STDERR_FILENO) != 0) {}
  ~TerminalProgress() { clear(); }
  TerminalProgress(const TerminalProgress&) = delete;
  TerminalProgress& operator=(const TerminalProgress&) = delete;

  void show(std::uint64_t done, std::uint64_t total) {
    const auto now = std::chrono::steady_clock::now();
    if (!terminal_ || (drawn_ && now - last_ < std::chrono::milliseconds(100))) return;
    last_ = now;
    drawn_ = true;
    constexpr double kMegabyte = 1e6;
    const double megabytes = static_cast<double>(done) / kMegabyte;
    if (total > 0) {
      draw(fmt::format("{}: {:.1f} of {:.1f} MB ({:.0f} %)", name_, megabytes,
                       static_cast<double>(total) / kMegabyte,
                       100.0 * static_cast<double>(done) / static_cast<double>(total)));
    } else {
      draw(fmt::format("{}: {:.1f} MB", name_, megabytes));
    }
  }
  void clear() {
    if (drawn_) draw({});
    drawn_ = false;
  }

 private:
  static void draw(const std::string& line) {
    std::fputs(("\r\033[K" + printable(line)).c_str(), stderr);
  }

  std::string name_;
  bool terminal_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point last_;
};

bool offline_by_environment() {
  const std::string value = environment_text("BFSLAB_OFFLINE");
  if (value.empty() || value == "0") return false;
  if (value == "1") return true;
  throw InputError(fmt::format("BFSLAB_OFFLINE is \"{}\", expected 1 or 0", value));
}

}  // namespace

void add_fetch_options(CLI::App& command, FetchArguments& arguments, bool tuning) {
  const char* const group = "Downloads";
  command
      .add_option("--mirror", arguments.mirror,
                  "Fetch from this folder or http(s) address, whose files lie at the HOST/PATH "
                  "of the distributors' own addresses (default: $BFSLAB_MIRROR, else the "
                  "distributors themselves)")
      ->type_name("DIR|URL")
      ->group(group);
  command
      .add_flag("--offline", arguments.offline,
                "Never use the network (also BFSLAB_OFFLINE=1); a mirror that is a folder may be "
                "used")
      ->group(group);
  if (!tuning) return;
  command
      .add_option("--max-size", arguments.tuning.max_bytes,
                  "Maximum size of a file in bytes, also as 20GB (default: what the published "
                  "number of edges allows, else 64 GiB)")
      ->transform(CLI::AsSizeValue(/*kb_is_1000=*/false))
      ->transform(without_sign())
      ->type_name("BYTES")
      ->group(group);
  command
      .add_option("--retries", arguments.tuning.retry.retries,
                  "Retries in a row without progress before giving up")
      ->check(CLI::Range(0, 1000))
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--backoff", arguments.tuning.retry.first_wait_s,
                  "Seconds before the first retry; doubled for each further one, up to a minute")
      ->check(real_range(0.0, 60.0))
      ->type_name("S")
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--timeout", arguments.tuning.limits.stall_s,
                  "Seconds without data before a connection is abandoned")
      ->check(real_range(1.0, 86400.0))
      ->type_name("S")
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--connect-timeout", arguments.tuning.limits.connect_s,
                  "Seconds that establishing a connection may take")
      ->check(real_range(0.001, 86400.0))
      ->type_name("S")
      ->capture_default_str()
      ->group(group);
}

FetchOptions fetch_options(const FetchArguments& arguments, const std::string& folder) {
  FetchOptions options = arguments.tuning;
  options.folder = folder;
  options.mirror = arguments.mirror.empty() ? environment_text("BFSLAB_MIRROR") : arguments.mirror;
  options.offline = arguments.offline || offline_by_environment();
  return options;
}

FetchResult fetch_and_show(const RemoteGraph& graph, FetchOptions options,
                           const std::function<void(const std::string&)>& notice, bool quiet) {
  TerminalProgress progress(graph.label, quiet);
  options.progress = [&](std::uint64_t done, std::uint64_t total) { progress.show(done, total); };
  options.notice = [&](const std::string& text) {
    progress.clear();
    notice(text);
  };
  return fetch_graph(graph, options);
}

std::string fetch_plan(const std::string& label, const GraphName& name,
                       const FetchOptions& options) {
  if (!is_remote(name)) return {};
  const RemoteGraph graph = find_remote(label, name);
  const std::string published =
      graph.published.empty() ? "" : fmt::format(" (published as {})", graph.published);
  for (const RemoteFile& file : graph.files) {
    std::string from = file.address;
    if (!options.mirror.empty()) {
      from = (std::filesystem::path(options.mirror) / below_mirror(file.address)).string();
    }
    std::string size;
    if (is_address(from)) {
      if (options.offline) return {};
    } else {
      std::error_code absent;
      const auto bytes = std::filesystem::file_size(from, absent);
      if (absent) continue;
      size = fmt::format(", {} bytes", bytes);
    }
    return fmt::format("{} is not here: `bfslab run` fetches {}{}{}", label, from, size, published);
  }
  return {};
}

void fetch_if_missing(const std::string& label, const GraphName& name,
                      const std::vector<std::string>& folders, const FetchArguments& arguments,
                      const std::string& command) {
  if (!is_remote(name) || locate_file(name, folders)) return;
  const auto say = [&](const std::string& text) {
    write_stderr(fmt::format("{}: {}\n", command, text));
  };
  const RemoteGraph graph = find_remote(label, name);
  const FetchResult result = fetch_and_show(graph, fetch_options(arguments, folders.back()), say);
  if (!result.already_there) {
    say(fmt::format("{}: fetched {}, {} bytes", label, result.address, result.bytes));
  }
}

}  // namespace bfslab
