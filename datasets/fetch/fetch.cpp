#include "datasets/fetch/fetch.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <optional>
#include <system_error>
#include <vector>

#include "datasets/fetch/distributors.hpp"
#include "datasets/fetch/gzip_integrity.hpp"
#include "datasets/fetch/part_file.hpp"
#include "datasets/graph/types.hpp"

namespace bfslab {

namespace {

namespace fs = std::filesystem;

// Where a reader looks for the file, in its order; the last is where a fetched one goes.
std::array<std::string, 4> places(const RemoteFile& remote, const std::string& folder) {
  const fs::path base(folder);
  const std::string whole = (base / remote.below_mirror()).string();
  const std::string unpacked = whole.substr(0, whole.size() - std::string_view(".gz").size());
  return {(base / (remote.name + ".txt")).string(), (base / (remote.name + ".txt.gz")).string(),
          unpacked, whole};
}

std::optional<FetchResult> find_present(const RemoteFile& remote, const std::string& folder) {
  for (const std::string& place : places(remote, folder)) {
    std::error_code error;
    const auto bytes = fs::file_size(place, error);
    if (!error) return FetchResult{place, bytes, true};
  }
  return std::nullopt;
}

[[noreturn]] void refuse(const RemoteFile& remote, const std::string& from,
                         const std::string& target, const std::string& reason) {
  throw InputError(fmt::format(
      "graph fetch: {} could not be had from {}: {}. By hand: download {} elsewhere and "
      "put it at {}",
      remote.name, from, reason, remote.address(), target));
}

void say(const FetchOptions& options, const std::string& text) {
  if (options.notice) options.notice(text);
}

void copy_from_folder(const RemoteFile& remote, const FetchOptions& options,
                      const std::string& target, PartFile& part) {
  const std::string from = (fs::path(options.mirror) / remote.below_mirror()).string();
  std::ifstream source(from, std::ios::binary);
  std::error_code error;
  const std::uint64_t total = fs::file_size(from, error);
  if (!source || error) {
    refuse(remote, options.mirror, target, fmt::format("it has no file {}", from));
  }
  part.clear();
  std::vector<char> block(std::size_t{1} << 20);
  std::uint64_t done = 0;
  while (source.read(block.data(), static_cast<std::streamsize>(block.size())),
         source.gcount() > 0) {
    const char* data = block.data();
    auto left = static_cast<std::size_t>(source.gcount());
    while (left > 0) {
      const ssize_t count = ::write(part.descriptor(), data, left);
      if (count < 0) throw std::system_error(errno, std::generic_category(), part.path());
      data += count;
      left -= static_cast<std::size_t>(count);
      done += static_cast<std::uint64_t>(count);
    }
    if (options.progress) options.progress(done, total);
  }
  const auto verdict = check_gzip(part.path());
  if (verdict.state != GzipVerdict::State::whole) {
    part.discard();
    refuse(remote, options.mirror, target,
           fmt::format("{} is no whole gzip file: {}", from, verdict.reason));
  }
}

void download(const RemoteFile& remote, const FetchOptions& options, const std::string& target,
              PartFile& part) {
  std::string address = remote.address();
  if (!options.mirror.empty()) {
    const bool slash = options.mirror.ends_with('/');
    address = options.mirror + (slash ? "" : "/") + remote.below_mirror();
  }
  // A continued file may turn out to be of another edition than what the server has now: its
  // checksum shows that, and one more try begins at byte zero.
  for (bool from_zero = part.size() == 0;; from_zero = true) {
    if (from_zero) {
      part.clear();
    } else {
      say(options, fmt::format("continuing {} at {} bytes", part.path(), part.size()));
    }
    const HttpResult got = http_download(address, part.descriptor(), part.size(), options.progress);
    if (got.state == HttpResult::State::refused) refuse(remote, address, target, got.reason);
    if (got.state == HttpResult::State::interrupted) {
      const std::uint64_t kept = part.size();
      refuse(remote, address, target,
             kept == 0 ? got.reason
                       : fmt::format("{} ({} bytes are kept; the same command continues there)",
                                     got.reason, kept));
    }
    const auto verdict = check_gzip(part.path());
    if (verdict.state == GzipVerdict::State::whole) return;
    if (!from_zero) {
      say(options, "what was continued is no whole gzip file: beginning anew");
      continue;
    }
    part.discard();
    refuse(remote, address, target,
           fmt::format("what it sent is no whole gzip file: {}", verdict.reason));
  }
}

}  // namespace

FetchResult fetch_graph(std::string_view name, const FetchOptions& options) {
  const RemoteFile remote = locate_graph(name);
  if (auto present = find_present(remote, options.folder)) return *present;

  const std::string target = places(remote, options.folder).back();
  PartFile part(target, [&] {
    say(options, fmt::format("another bfslab is fetching {}: waiting for it", target));
  });
  // The process that we waited for may have brought it.
  if (auto present = find_present(remote, options.folder)) {
    part.discard();
    return *present;
  }
  const bool from_address =
      options.mirror.empty() || options.mirror.find("://") != std::string::npos;
  if (from_address) {
    download(remote, options, target, part);
  } else {
    copy_from_folder(remote, options, target, part);
  }
  const std::uint64_t bytes = part.size();
  part.commit();
  return {target, bytes, false};
}

}  // namespace bfslab
