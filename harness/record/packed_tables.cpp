// SPDX-License-Identifier: Apache-2.0
#include "harness/record/packed_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "datasets/graph/types.hpp"
#include "datasets/read/packings.hpp"
#include "datasets/write/gzip.hpp"
#include "harness/record/environment.hpp"
#include "harness/record/table_file.hpp"

namespace bfslab {

namespace fs = std::filesystem;

namespace {

constexpr std::array kGrowing = {"runs", "levels", "measures"};  // graphs.csv has one row per graph
constexpr std::string_view kEnding = ".gz";
constexpr const char* kMendPacked = "copy it again from where its rows are whole";
// A table's rows differ: they pack to a twentieth, and not to a hundredth. plots/files.py has the
// same number.
constexpr std::uint64_t kSmall = std::uint64_t{64} << 20;  // bytes that a table may always have
constexpr std::uint64_t kMaxRatio = 100;

std::string plain_path(const std::string& folder, const std::string& name) {
  return (fs::path(folder) / (name + ".csv")).string();
}

bool exists(const std::string& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

[[noreturn]] void refuse_both(const std::string& plain, const std::string& packed) {
  const std::string text = read_table(plain);
  const std::string other = read_table(packed);
  const auto both_there = [&](const std::string& kept, const std::string& superfluous) {
    return fmt::format("{} and {} are both there; delete {}, whose rows all are in {}", plain,
                       packed, superfluous, kept);
  };
  if (text.starts_with(other)) throw InputError(both_there(plain, packed));
  if (other.starts_with(text)) throw InputError(both_there(packed, plain));
  throw InputError(
      fmt::format("{} and {} are both there, and each has rows that the other lacks; delete the "
                  "one whose rows are not those of spec.json and environment.json beside them",
                  plain, packed));
}

// Writes `bytes` to the file `to` and removes `from`, whose unpacked text is `text`.
void replace(const std::string& from, const std::string& to, const std::string& text,
             const std::string& bytes) {
  const std::string folder = fs::path(from).parent_path().string();
  if (!exists(to)) write_file_atomically(to, bytes);
  if (read_table(to) != text) {
    const bool packing = to.ends_with(kEnding);
    refuse_both(packing ? from : to, packing ? to : from);
  }
  sync_folder(folder);
  std::error_code error;
  fs::remove(from, error);
  if (error) throw StorageError(fmt::format("cannot remove {}: {}", from, error.message()));
  sync_folder(folder);
}

}  // namespace

bool has_table(const std::string& folder, const std::string& name) {
  const std::string plain = plain_path(folder, name);
  return exists(plain) || exists(plain + std::string(kEnding));
}

bool has_both_forms(const std::string& folder) {
  return std::ranges::any_of(kGrowing, [&](const char* name) {
    const std::string plain = plain_path(folder, name);
    return exists(plain) && exists(plain + std::string(kEnding));
  });
}

std::string table_path(const std::string& folder, const std::string& name) {
  std::string plain = plain_path(folder, name);
  std::string packed = plain + std::string(kEnding);
  if (!exists(packed)) return plain;
  if (exists(plain)) refuse_both(plain, packed);
  return packed;
}

std::string read_table(const std::string& path) {
  std::string text = read_file(path);
  if (!path.ends_with(kEnding)) return text;
  if (text.empty()) {
    if (!exists(path)) return text;
    throw InputError(fmt::format("{}: is empty, and so no gzip file; {}", path, kMendPacked));
  }
  const std::uint64_t most = std::max(kSmall, kMaxRatio * text.size());
  const auto stream = open_gzip(path, kMendPacked);
  text.clear();
  std::array<char, 1 << 16> block{};
  while (const std::size_t got = stream->read(block)) {
    const std::string_view part(block.data(), got);
    const bool has_nul = part.find('\0') != std::string_view::npos;
    if (has_nul || text.size() + got > most) {
      throw InputError(fmt::format(
          "{}: has {}, and is no table; {}", path,
          has_nul ? std::string("NUL bytes") : fmt::format("more than {} MiB", most >> 20),
          kMendPacked));
    }
    text.append(part);
  }
  return text;
}

Packed pack_tables(const std::string& folder) {
  Packed packed;
  for (const char* name : kGrowing) {
    const std::string from = plain_path(folder, name);
    const std::string to = from + std::string(kEnding);
    if (!exists(from)) continue;
    const std::string text = read_file(from);
    const std::string bytes = gzip(text);
    if (bytes.size() >= text.size() && !exists(to)) continue;
    replace(from, to, text, bytes);
    ++packed.tables;
    packed.before += text.size();
    packed.after += bytes.size();
  }
  return packed;
}

Packed unpack_tables(const std::string& folder) {
  Packed unpacked;
  for (const char* name : kGrowing) {
    const std::string to = plain_path(folder, name);
    const std::string from = to + std::string(kEnding);
    if (!exists(from)) continue;
    const std::string text = read_table(from);
    const std::uint64_t bytes = fs::file_size(from);
    replace(from, to, text, text);
    ++unpacked.tables;
    unpacked.before += bytes;
    unpacked.after += text.size();
  }
  return unpacked;
}

Packed leave_out_tables(const std::string& folder, std::span<const std::string> tables) {
  const std::string file = (fs::path(folder) / "environment.json").string();
  const std::string recorded = read_file(file);
  const std::string changed = leave_out(recorded, tables);
  if (changed != recorded) write_file_atomically(file, changed);
  Packed gone;
  for (const std::string& name : tables) {
    const std::string plain = plain_path(folder, name);
    for (const std::string& path : {plain, plain + std::string(kEnding)}) {
      if (!exists(path)) continue;
      ++gone.tables;
      gone.before += fs::file_size(path);
      std::error_code error;
      fs::remove(path, error);
      if (error) throw StorageError(fmt::format("cannot remove {}: {}", path, error.message()));
    }
  }
  sync_folder(folder);
  return gone;
}

}  // namespace bfslab
