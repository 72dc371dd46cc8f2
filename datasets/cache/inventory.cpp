// SPDX-License-Identifier: Apache-2.0
#include "datasets/cache/inventory.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>

#include "datasets/cache/csr_file.hpp"
#include "datasets/graph/types.hpp"

namespace bfslab {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::system_clock;

Clock::time_point time_of(const timespec& time) {
  return Clock::time_point(std::chrono::duration_cast<Clock::duration>(
      std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec)));
}

// Adds a file to an entry. Returns false if it is no regular file.
bool add_file(const fs::path& path, CacheEntry& entry) {
  struct stat facts {};
  if (::lstat(path.c_str(), &facts) != 0 || !S_ISREG(facts.st_mode)) return false;
  entry.files.push_back(path.string());
  entry.bytes += static_cast<std::uint64_t>(facts.st_size);
  entry.last_used = std::max(entry.last_used, time_of(facts.st_mtim));
  return true;
}

// Adds the graphs of CACHE/csr, and to `names` the name of each by the hash of its contents.
void add_built(const fs::path& folder, std::map<std::string, std::string>& names,
               std::vector<CacheEntry>& entries) {
  static const std::regex kGraph("[a-z0-9_]+-[0-9a-f]{32}\\.csr");
  static const std::regex kUnfinished("[a-z0-9_]+-[0-9a-f]{32}\\.csr\\.tmp-.*");
  std::error_code ignored;
  for (const auto& file : fs::directory_iterator(folder, ignored)) {
    CacheEntry entry;
    entry.name = file.path().filename().string();
    const bool graph = std::regex_match(entry.name, kGraph);
    if (!graph && !std::regex_match(entry.name, kUnfinished)) continue;
    if (!add_file(file.path(), entry)) continue;
    if (!graph) {
      entry.kind = CacheEntry::Kind::leftover;
      // A live writer finishes within the hour.
      if (Clock::now() - entry.last_used > std::chrono::hours(1)) entries.push_back(entry);
      continue;
    }
    try {
      const CsrFacts facts = read_csr_facts(entry.files.front());
      entry.name = facts.identity.name;
      entry.vertices = facts.vertices;
      entry.edges = facts.edges;
      names.emplace(facts.identity.content_hash, facts.identity.name);
    } catch (const std::exception& error) {
      entry.damage = error.what();
    }
    entries.push_back(std::move(entry));
  }
}

// Adds the graphs of CACHE/external: HASH.sg with HASH.sg.stamp, or HASH.arrays32.offsets,
// HASH.arrays32.columns and HASH.arrays32.stamp.
void add_external(const fs::path& folder, const std::map<std::string, std::string>& names,
                  std::vector<CacheEntry>& entries) {
  static const std::regex kGraph(
      "([0-9a-f]{32})((?:\\.[a-z0-9]+?)+?)(?:\\.offsets|\\.columns|\\.stamp(?:\\.[0-9]+)?)?");
  std::map<std::string, CacheEntry> found;
  std::error_code ignored;
  for (const auto& file : fs::directory_iterator(folder, ignored)) {
    const std::string name = file.path().filename().string();
    std::smatch parts;
    if (!std::regex_match(name, parts, kGraph)) continue;
    CacheEntry& entry = found[parts[1].str() + parts[2].str()];
    if (!add_file(file.path(), entry)) continue;
    entry.kind = CacheEntry::Kind::external;
    const auto known = names.find(parts[1].str());
    entry.name = known == names.end() ? parts[1].str() + parts[2].str()
                                      : fmt::format("{} as {}", known->second, parts[2].str());
  }
  for (auto& [key, entry] : found) {
    if (!entry.files.empty()) entries.push_back(std::move(entry));
  }
}

}  // namespace

std::vector<CacheEntry> cache_entries(const std::string& cache_folder) {
  std::vector<CacheEntry> entries;
  std::map<std::string, std::string> names;
  add_built(fs::path(cache_folder) / "csr", names, entries);
  add_external(fs::path(cache_folder) / "external", names, entries);
  std::ranges::sort(entries, {}, [](const CacheEntry& each) {
    return std::pair(std::string_view(each.name), std::string_view(each.files.front()));
  });
  return entries;
}

const char* to_text(CacheEntry::Kind kind) {
  switch (kind) {
    case CacheEntry::Kind::built:
      return "built";
    case CacheEntry::Kind::external:
      return "external";
    case CacheEntry::Kind::leftover:
      return "leftover";
  }
  return "";
}

void remove_entry(const CacheEntry& entry) {
  for (const std::string& file : entry.files) {
    std::error_code error;
    fs::remove(file, error);
    if (error) throw InputError(fmt::format("{}: cannot be removed: {}", file, error.message()));
  }
}

void note_use(const std::string& path) {
  static_cast<void>(::utimensat(AT_FDCWD, path.c_str(), nullptr, 0));
}

}  // namespace bfslab
