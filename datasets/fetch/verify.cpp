// SPDX-License-Identifier: Apache-2.0
#include "datasets/fetch/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <new>
#include <string_view>
#include <system_error>
#include <vector>

#include "datasets/graph/types.hpp"
#include "datasets/read/byte_stream.hpp"
#include "datasets/text/sha256.hpp"

namespace bfslab {

namespace {

using namespace std::string_view_literals;

#ifdef BFSLAB_NO_ARCHIVES
constexpr bool kArchives = false;
#else
constexpr bool kArchives = true;
#endif
#ifdef BFSLAB_NO_ZSTD
constexpr bool kZstd = false;
#else
constexpr bool kZstd = true;
#endif

struct Packing {
  std::string_view ending;
  std::string_view magic;
  std::string_view name;
  bool protects;  // checksums over all of the data: zstd's are optional
  bool readable;
};

constexpr std::array kPackings{
    Packing{".gz", "\x1f\x8b"sv, "gzip", true, true},
    Packing{".bz2", "BZh"sv, "bzip2", true, kArchives},
    Packing{".zst", "\x28\xb5\x2f\xfd"sv, "zstd", false, kZstd},
};

const Packing* packing_of(std::string_view target) {
  const auto* found = std::find_if(kPackings.begin(), kPackings.end(), [&](const Packing& row) {
    return target.ends_with(row.ending);
  });
  return found == kPackings.end() ? nullptr : found;
}

// "x.tar.gz", "x.tar".
bool is_archive(std::string_view target) {
  if (const Packing* packing = packing_of(target)) target.remove_suffix(packing->ending.size());
  return target.ends_with(".tar");
}

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

File open_file(const std::string& path) {
  File file(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (!file) throw std::system_error(errno, std::generic_category(), path);
  return file;
}

std::string first_bytes(const std::string& path) {
  const File file = open_file(path);
  std::string head(4096, '\0');
  head.resize(std::fread(head.data(), 1, head.size(), file.get()));
  return head;
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Fit for a message: printable ASCII on one line.
std::string one_line(std::string_view text, std::size_t most) {
  std::string line;
  for (const char c : text) {
    const bool blank = c == ' ' || (c >= '\t' && c <= '\r');
    if (blank && (line.empty() || line.back() == ' ')) continue;
    line += blank ? ' ' : c > ' ' && c <= '~' ? c : '?';
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  if (line.size() > most) line = line.substr(0, most) + "...";
  return line;
}

// Servers send a web page, with a status of success, where they want a login or have moved files.
// Empty: not a page.
std::string web_page(std::string_view head) {
  std::string text(head);
  std::transform(text.begin(), text.end(), text.begin(), lower);
  const std::size_t mark = text.starts_with("\xef\xbb\xbf") ? 3 : 0;
  const std::size_t first = text.find_first_not_of(" \t\r\n", mark);
  if (first == std::string::npos) return {};
  const std::string_view start = std::string_view(text).substr(first);
  const bool page = std::ranges::any_of(
      std::array{"<!doctype html"sv, "<html"sv, "<head"sv, "<body"sv, "<?xml"sv, "<!--"sv},
      [&](std::string_view opening) { return start.starts_with(opening); });
  if (!page) return {};
  std::string title;
  if (const std::size_t open = text.find("<title>"); open != std::string::npos) {
    const std::size_t begin = open + "<title>"sv.size();
    title = one_line(head.substr(begin, text.find("</title", begin) - begin), 80);
  }
  return title.empty() ? "it is a web page (HTML), not a graph"
                       : fmt::format("it is a web page (HTML) titled \"{}\", not a graph", title);
}

}  // namespace

bool packing_protects(const std::string& target) {
  const Packing* packing = packing_of(target);
  return packing != nullptr && packing->protects;
}

std::string file_sha256(const std::string& path, const std::function<void()>& poll) {
  const File file = open_file(path);
  Sha256 hash;
  std::vector<char> block(std::size_t{1} << 18);
  while (const std::size_t count = std::fread(block.data(), 1, block.size(), file.get())) {
    hash.add({block.data(), count});
    if (poll) poll();
  }
  if (std::ferror(file.get()) != 0) throw std::system_error(errno, std::generic_category(), path);
  return hash.hex();
}

Verdict verify_file(const std::string& path, const Expected& expected,
                    const std::function<void()>& poll) {
  const std::string head = first_bytes(path);
  if (head.empty()) return {Verdict::State::damaged, "it is empty"};
  if (std::string page = web_page(head); !page.empty()) {
    return {Verdict::State::damaged, std::move(page)};
  }
  const Packing* packing = packing_of(expected.target);
  if (packing != nullptr && !head.starts_with(packing->magic)) {
    return {Verdict::State::damaged,
            fmt::format("it is not a {} file: it begins with \"{}\"", packing->name,
                        one_line(std::string_view(head).substr(0, 64), 40))};
  }
  if ((packing != nullptr && !packing->readable) || (is_archive(expected.target) && !kArchives)) {
    return {Verdict::State::unreadable,
            fmt::format("this bfslab was built without {}, so its contents could not be checked",
                        packing != nullptr && packing->name == "zstd" ? "libzstd" : "libarchive")};
  }
  try {
    std::vector<std::string> members;
    if (!expected.member.empty()) members.push_back(expected.member);
    const auto stream = open_bytes(path, members);
    Sha256 hash;
    std::vector<char> block(std::size_t{1} << 18);
    while (const std::size_t count = stream->read(block)) {
      hash.add({block.data(), count});
      if (poll) poll();
    }
    if (is_archive(expected.target) && stream->packing().find("tar") == std::string::npos) {
      return {Verdict::State::damaged, "it is not a tar archive"};
    }
    const std::string sha256 = hash.hex();
    if (!expected.sha256.empty() && sha256 != expected.sha256) {
      return {Verdict::State::mismatch,
              fmt::format("the sha256 of its text is {}, expected {}", sha256, expected.sha256)};
    }
  } catch (const InputError& error) {
    return {Verdict::State::damaged, error.what()};
  }
  return {};
}

}  // namespace bfslab
