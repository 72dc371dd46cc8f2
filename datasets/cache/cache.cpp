// SPDX-License-Identifier: Apache-2.0
#include "datasets/cache/cache.hpp"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <system_error>

#include "datasets/build/tree_hash.hpp"
#include "datasets/cache/csr_file.hpp"
#include "datasets/cache/inventory.hpp"

namespace bfslab {

namespace {

namespace fs = std::filesystem;

// Files left by writers that were killed; live writers finish within the hour.
void remove_leftovers(const fs::path& folder) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const bool temporary = entry.path().filename().string().find(".csr.tmp-") != std::string::npos;
    if (!temporary) continue;
    const auto age = fs::file_time_type::clock::now() - entry.last_write_time(ignored);
    if (age > std::chrono::hours(1)) fs::remove(entry.path(), ignored);
  }
}

}  // namespace

std::string cache_path(const std::string& cache_folder, const std::string& canonical) {
  const auto bytes = std::as_bytes(std::span(canonical));
  const std::string kind = canonical.substr(0, canonical.find(':'));
  const std::string file =
      fmt::format("{}-{}{}", kind, tree_hash(bytes, {}, 1).substr(0, 32), kCsrEnding);
  return (fs::path(cache_folder) / "csr" / file).string();
}

CsrGraph cached(const std::string& canonical, const std::string& source,
                const CacheOptions& options, const std::function<CsrGraph()>& build) {
  if (options.cache_folder.empty()) return build();
  const std::string path = cache_path(options.cache_folder, canonical);
  const auto notice = [&](const std::string& text) {
    if (options.notice) options.notice(text);
  };
  std::error_code ignored;
  const fs::file_status there = fs::status(path, ignored);
  if (fs::exists(there) && !fs::is_regular_file(there)) {
    notice(
        fmt::format("cache file {}: is not a regular file, so the graph is built and not cached; "
                    "remove it",
                    path));
    return build();
  }
  if (fs::exists(there)) {
    try {
      CsrFile file = read_csr_file(path, options.huge_pages, options.threads);
      if (file.graph.identity().name != canonical) throw CsrFileError("holds another graph");
      if (file.source == source) {
        note_use(path);
        return std::move(file.graph);
      }
      throw CsrFileError(fmt::format("made from {}, now {}", file.source, source));
    } catch (const CsrFileError& error) {
      notice(fmt::format("cache file {}: {}; building the graph again", path, error.what()));
    }
  }
  CsrGraph graph = build();
  try {
    const fs::path folder = fs::path(path).parent_path();
    fs::create_directories(folder);
    remove_leftovers(folder);
    write_csr_file(graph, path, source, options.threads);
  } catch (const std::system_error& error) {  // fs::filesystem_error is one
    notice(fmt::format("{} is not cached: {}", canonical, error.what()));
  }
  return graph;
}

}  // namespace bfslab
