// SPDX-License-Identifier: Apache-2.0
// bfslab cache: shows the graphs of the cache folder, and removes those that the options select.
#include <fmt/format.h>
#include <fnmatch.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "datasets/cache/inventory.hpp"
#include "datasets/graph/types.hpp"
#include "harness/cli/commands.hpp"
#include "harness/cli/folders.hpp"
#include "harness/cli/print_json.hpp"
#include "harness/cli/real_range.hpp"
#include "harness/cli/short_names.hpp"
#include "harness/cli/standard_streams.hpp"
#include "harness/cli/text_table.hpp"
#include "harness/cli/units_text.hpp"

namespace bfslab {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::system_clock;
using Json = nlohmann::ordered_json;

struct CacheArguments {
  std::string cache;
  std::vector<std::string> names;
  std::optional<double> older_than_days;
  std::optional<std::uint64_t> keep;
  bool all = false;
  bool prune = false;
  bool json = false;
};

constexpr const char* kCacheFooter = R"(Examples:
  bfslab cache                                what is there, its size, and when it was last used
  bfslab cache --older-than 30                what was not used for 30 days
  bfslab cache --older-than 30 --prune        removes that
  bfslab cache --keep 10GB --prune            removes the least recently used, down to 10 GB
  bfslab cache --name 'kronecker:*' --prune

--prune removes exactly what the same command shows without it, and nothing else: graphs in CACHE/csr
and CACHE/external, which are made again when they are needed. Data files, in CACHE/data or elsewhere,
are never removed. An external program that is running may lose its graph.

Exit codes: 0 done, 2 bad input, or a file that cannot be removed.)";

bool matches(const CacheArguments& arguments, const ShortNames& short_names,
             const CacheEntry& entry) {
  const std::string brief = short_names.of(entry.name);
  return std::ranges::any_of(arguments.names, [&](const std::string& glob) {
    return ::fnmatch(glob.c_str(), entry.name.c_str(), 0) == 0 ||
           ::fnmatch(glob.c_str(), brief.c_str(), 0) == 0;
  });
}

// Returns the entries that all given options select.
std::vector<CacheEntry> selected(const CacheArguments& arguments, const ShortNames& short_names,
                                 std::vector<CacheEntry> entries) {
  std::uint64_t total = 0;
  for (const CacheEntry& entry : entries) total += entry.bytes;
  const Clock::time_point now = Clock::now();
  std::erase_if(entries, [&](const CacheEntry& entry) {
    if (!arguments.names.empty() && !matches(arguments, short_names, entry)) return true;
    if (!arguments.older_than_days) return false;
    const std::chrono::duration<double, std::ratio<86400>> age = now - entry.last_used;
    return age.count() < *arguments.older_than_days;
  });
  if (!arguments.keep) return entries;
  std::ranges::stable_sort(entries, {}, &CacheEntry::last_used);
  std::size_t removed = 0;
  for (; removed < entries.size() && total > *arguments.keep; ++removed) {
    total -= entries[removed].bytes;
  }
  entries.resize(removed);
  return entries;
}

std::string utc_text(Clock::time_point time) {
  const std::time_t seconds = Clock::to_time_t(time);
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

std::string age_text(Clock::time_point time) {
  const std::chrono::duration<double> age = Clock::now() - time;
  const double days = age.count() / 86400;
  return days < 2 ? time_text(std::max(age.count(), 0.0)) + " ago"
                  : fmt::format("{:.0f} days ago", days);
}

struct DataFiles {
  std::size_t files = 0;
  std::uint64_t bytes = 0;
};

DataFiles data_files(const std::string& folder) {
  DataFiles found;
  std::error_code ignored;
  for (fs::recursive_directory_iterator at(folder, ignored), end; at != end;
       at.increment(ignored)) {
    if (!at->is_regular_file(ignored)) continue;
    ++found.files;
    found.bytes += at->file_size(ignored);
  }
  return found;
}

std::uint64_t bytes_of(const std::vector<CacheEntry>& entries) {
  std::uint64_t bytes = 0;
  for (const CacheEntry& entry : entries) bytes += entry.bytes;
  return bytes;
}

void print_entries(const std::vector<CacheEntry>& entries, const ShortNames& short_names) {
  std::vector<std::vector<std::string>> rows{{"size", "last used", "kind", "graph"}};
  for (const CacheEntry& entry : entries) {
    rows.push_back({bytes_text(static_cast<double>(entry.bytes)), age_text(entry.last_used),
                    to_text(entry.kind),
                    short_names.of(entry.name) +
                        (entry.damage.empty() ? "" : " (damaged: " + entry.damage + ")")});
  }
  if (entries.empty()) rows = {{"nothing"}};
  print_table(rows, 2, {0, 1});
}

Json entry_json(const CacheEntry& entry) {
  const bool known = entry.vertices != 0;
  return {{"name", entry.name},
          {"kind", to_text(entry.kind)},
          {"files", entry.files},
          {"bytes", entry.bytes},
          {"last_used", utc_text(entry.last_used)},
          {"vertices", known ? Json(entry.vertices) : Json()},
          {"edges", known ? Json(entry.edges) : Json()},
          {"damage", entry.damage.empty() ? Json() : Json(entry.damage)}};
}

// Removes the entries, and returns those that were removed. Reports the others.
std::vector<CacheEntry> removed_of(const std::vector<CacheEntry>& entries, int& exit_code) {
  std::vector<CacheEntry> removed;
  for (const CacheEntry& entry : entries) {
    try {
      remove_entry(entry);
      removed.push_back(entry);
    } catch (const InputError& error) {
      write_stderr(fmt::format("cache: {}\n", error.what()));
      exit_code = 2;
    }
  }
  return removed;
}

void cache(const CacheArguments& arguments, int& exit_code) {
  const bool selects = !arguments.names.empty() || arguments.older_than_days || arguments.keep;
  if (arguments.prune && selects == arguments.all) {
    throw InputError(
        selects ? "cache: --all beside --name, --older-than or --keep: leave out one or the other"
                : "cache: --prune removes what --name, --older-than or --keep select; give one of "
                  "them, or --all");
  }
  const std::string folder = cache_folder(arguments.cache);
  const ShortNames short_names;
  std::vector<CacheEntry> entries = selected(arguments, short_names, cache_entries(folder));
  if (arguments.prune) entries = removed_of(entries, exit_code);
  const std::string data = folder + "/data";
  const DataFiles found = data_files(data);
  if (arguments.json) {
    Json list = Json::array();
    for (const CacheEntry& entry : entries) list.push_back(entry_json(entry));
    print_json(Json{{"cache", folder},
                    {"entries", list},
                    {"bytes", bytes_of(entries)},
                    {"removed", arguments.prune},
                    {"data", {{"folder", data}, {"files", found.files}, {"bytes", found.bytes}}}});
    return;
  }
  fmt::print("{} {}:\n", arguments.prune ? "Removed from" : "Graphs in", printable(folder));
  print_entries(entries, short_names);
  fmt::print("{} in {} entries. Data files, which this command never removes: {} in {}, {}.\n",
             bytes_text(static_cast<double>(bytes_of(entries))), entries.size(), found.files,
             printable(data), bytes_text(static_cast<double>(found.bytes)));
}

}  // namespace

void add_cache_command(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("cache", "Show the cache of graphs, or remove from it");
  auto arguments = std::make_shared<CacheArguments>();
  command
      ->add_option("--name", arguments->names,
                   "Only graphs whose name matches this glob pattern (repeatable)")
      ->type_name("GLOB")
      ->allow_extra_args(false);
  command
      ->add_option("--older-than", arguments->older_than_days,
                   "Only what was last used more than so many days ago")
      ->check(real_range(0.0, 1e6))
      ->type_name("DAYS");
  command
      ->add_option("--keep", arguments->keep,
                   "Only the least recently used, so that the rest has at most this size: 10GB")
      ->transform(CLI::AsSizeValue(/*kb_is_1000=*/false))
      ->transform(without_sign())
      ->type_name("BYTES");
  command->add_flag("--all", arguments->all, "Everything; --prune needs it to empty the cache");
  command->add_flag("--prune", arguments->prune, "Remove what the other options select");
  command->add_flag("--json", arguments->json, "Print it as JSON");
  command
      ->add_option("--cache", arguments->cache,
                   "Cache folder (default: $BFSLAB_CACHE, else ~/.cache/bfslab)")
      ->type_name("DIR");
  command->footer(kCacheFooter);
  command->callback([arguments, &exit_code] { cache(*arguments, exit_code); });
}

}  // namespace bfslab
