// SPDX-License-Identifier: Apache-2.0
#include "datasets/fetch/fetch.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "datasets/fetch/download.hpp"
#include "datasets/fetch/part_file.hpp"
#include "datasets/graph/types.hpp"
#include "datasets/name/addresses.hpp"
#include "datasets/name/locate.hpp"

namespace bfslab {

namespace {

namespace fs = std::filesystem;

std::string target_of(const RemoteFile& file, const std::string& folder) {
  return (fs::path(folder) / below_mirror(file.address)).string();
}

std::string by_hand(const RemoteGraph& graph, const FetchOptions& options) {
  if (graph.files.empty()) return {};
  return fmt::format(" By hand: download {} elsewhere and put it at {}",
                     graph.files.front().address, fetch_target(graph, options.folder));
}

[[noreturn]] void refuse_offline(const RemoteGraph& graph, const FetchOptions& options) {
  throw InputError(fmt::format(
      "graph {}: its file is not here, and --offline (BFSLAB_OFFLINE) forbids the network. Name a "
      "folder that has it with --data DIR or --mirror DIR.{}",
      graph.label, by_hand(graph, options)));
}

FetchResult present(const std::string& file) {
  std::error_code ignored;
  return {file, {}, fs::file_size(file, ignored), true};
}

FetchResult fetch_file(const RemoteGraph& graph, const RemoteFile& file,
                       const FetchOptions& options) {
  const std::string target = target_of(file, options.folder);
  PartFile part(
      target,
      [&] {
        if (options.notice) {
          options.notice(fmt::format("another bfslab is fetching {}: waiting for it", target));
        }
      },
      options.poll);
  // The process that we waited for may have fetched it.
  if (const std::string found = find_fetched(graph, options.folder); !found.empty()) {
    part.discard();
    return present(found);
  }
  Download(file, options, part).run();
  const std::uint64_t bytes = part.size();
  part.commit();
  return {target, file.address, bytes, false};
}

}  // namespace

bool may_fetch(const FetchOptions& options) {
  return !options.offline || (!options.mirror.empty() && !is_address(options.mirror));
}

std::string find_fetched(const RemoteGraph& graph, const std::string& folder) {
  const auto found = locate_file(graph.name, {folder});
  return found ? found->path : std::string();
}

std::string fetch_target(const RemoteGraph& graph, const std::string& folder) {
  return graph.files.empty() ? std::string() : target_of(graph.files.front(), folder);
}

FetchResult fetch_graph(const RemoteGraph& graph, const FetchOptions& options) {
  if (const std::string found = find_fetched(graph, options.folder); !found.empty()) {
    return present(found);
  }
  if (graph.files.empty()) {
    throw InputError(fmt::format("graph {}: no address is known to fetch it from: {}", graph.label,
                                 remedy_by_hand(graph.name, options.folder)));
  }
  const bool folder_mirror = !options.mirror.empty() && !is_address(options.mirror);
  if (!may_fetch(options)) refuse_offline(graph, options);
  std::error_code ignored;
  if (folder_mirror && !fs::is_directory(options.mirror, ignored)) {
    throw InputError(
        fmt::format("--mirror {}: no such folder (an address begins with http:// or "
                    "https://)",
                    options.mirror));
  }
  std::string reasons;
  for (std::size_t i = 0; i < graph.files.size(); ++i) {
    const RemoteFile& file = graph.files[i];
    try {
      return fetch_file(graph, file, options);
    } catch (const Unavailable& unavailable) {
      if (i + 1 < graph.files.size() && options.notice) {
        options.notice(fmt::format("{}: {}; trying {}", file.address, unavailable.reason,
                                   graph.files[i + 1].address));
      }
      if (!reasons.empty()) reasons += "; ";
      reasons += fmt::format("{}: {}", file.address, unavailable.reason);
    }
  }
  throw InputError(
      fmt::format("graph {} could not be fetched{}: {}.{}", graph.label,
                  options.mirror.empty() ? "" : fmt::format(" from the mirror {}", options.mirror),
                  reasons, by_hand(graph, options)));
}

}  // namespace bfslab
