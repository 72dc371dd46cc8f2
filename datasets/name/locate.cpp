// SPDX-License-Identifier: Apache-2.0
#include "datasets/name/locate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "datasets/catalog/catalog.hpp"
#include "datasets/catalog/published.hpp"
#include "datasets/name/addresses.hpp"
#include "datasets/name/file_path.hpp"
#include "datasets/name/named_kinds.hpp"
#include "datasets/read/reader.hpp"

namespace bfslab {

namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 4> kPackings = {"", ".gz", ".zst", ".bz2"};

bool is_file(const std::string& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

// The file under its own name, then the same in other packings.
std::vector<std::string> any_packing(const std::string& file) {
  std::string plain = file;
  for (const std::string_view packing : kPackings) {
    if (!packing.empty() && file.ends_with(packing)) plain.resize(file.size() - packing.size());
  }
  std::vector<std::string> files = {file};
  for (const std::string_view packing : kPackings) {
    const std::string other = plain + std::string(packing);
    if (other != file) files.push_back(other);
  }
  return files;
}

std::string last_part(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// A name and its places, without the folder.
class Places {
 public:
  explicit Places(const GraphName& name) : kind_(*find_named_kind(name.kind)) {
    entry_ = catalog().find_graph(name.kind + ':' + name.path);
    offered_ = offered_files(kind_, name.path);
    names_.push_back(last_part(name.path));
    if (entry_ != nullptr && entry_->name != names_.front()) names_.push_back(entry_->name);
  }

  [[nodiscard]] std::optional<LocatedFile> in(const std::string& folder) const {
    for (const std::string& root : {folder, (fs::path(folder) / "local").string()}) {
      if (auto found = by_name(root)) return found;
    }
    for (const OfferedFile& offered : offered_) {
      for (const std::string& root : {folder, (fs::path(folder) / "mirror").string()}) {
        for (const std::string& file : any_packing(below_mirror(offered.address))) {
          if (auto found = at(fs::path(root) / file, offered)) return found;
        }
      }
    }
    return std::nullopt;
  }

  [[nodiscard]] const CatalogEntry* entry() const { return entry_; }
  [[nodiscard]] const std::vector<OfferedFile>& offered() const { return offered_; }
  // Suggests a name for a file that is put there by hand where no address is known.
  [[nodiscard]] std::string plainest() const {
    const auto formats = own_formats();
    return names_.back() + (formats.empty() ? ".txt" : formats.front()->endings.front());
  }

 private:
  // The formats that DIR/NAME.ENDING may have: the graph's own first, and every other one where no
  // distributor's rule says the form. A .csr file is a graph that was already built, under its own
  // options: never one that a name stands for.
  [[nodiscard]] std::vector<const GraphFormat*> own_formats() const {
    const std::string& own = entry_ != nullptr ? entry_->format : kind_.format;
    std::vector<const GraphFormat*> formats;
    for (const GraphFormat& format : graph_formats()) {
      if (format.name == own) formats.insert(formats.begin(), &format);
      if (format.name != own && kind_.folder.empty() && format.name != "csr") {
        formats.push_back(&format);
      }
    }
    return formats;
  }

  [[nodiscard]] std::optional<LocatedFile> by_name(const std::string& root) const {
    for (const std::string& name : names_) {
      for (const GraphFormat* format : own_formats()) {
        for (const std::string& ending : format->endings) {
          const std::string path = (fs::path(root) / (name + ending)).string();
          if (is_file(path)) return LocatedFile{path, format->name, "", ""};
        }
        for (const std::string& prefix : format->prefixes) {
          for (const std::string& file : any_packing(prefix + name)) {
            const std::string path = (fs::path(root) / file).string();
            if (is_file(path)) return LocatedFile{path, format->name, "", ""};
          }
        }
      }
    }
    for (const OfferedFile& offered : offered_) {
      for (const std::string& file : any_packing(last_part(offered.address))) {
        if (auto found = at(fs::path(root) / file, offered)) return found;
      }
    }
    return std::nullopt;
  }

  static std::optional<LocatedFile> at(const fs::path& path, const OfferedFile& offered) {
    if (!is_file(path.string())) return std::nullopt;
    return LocatedFile{path.string(), offered.format, offered.member, offered.address};
  }

  const NamedKind& kind_;
  const CatalogEntry* entry_ = nullptr;
  std::vector<OfferedFile> offered_;
  std::vector<std::string> names_;
};

constexpr const char* kNameFolder = "or name its folder with --data DIR or BFSLAB_DATA";

}  // namespace

Detected format_of(const LocatedFile& file) {
  const GraphFormat* const format = format_named(file.format);
  if (format == nullptr && !file.format.empty()) {
    throw InputError(
        fmt::format("{}: this bfslab has no reader for the format {}", file.path, file.format));
  }
  if (file.format_given) return {format, {}};
  return detect_format(file.path, file.member, format);
}

bool stands_for_file(const GraphName& name) {
  return name.kind == "file" || find_named_kind(name.kind) != nullptr;
}

std::optional<LocatedFile> locate_file(const GraphName& name,
                                       const std::vector<std::string>& folders) {
  if (name.kind == "file") {
    if (!is_file(name.path)) return std::nullopt;
    LocatedFile file{name.path, std::string(name.value("format")), "", ""};
    file.format_given = file.format != "auto";
    if (file.format_given) return file;
    const GraphFormat* const format = format_by_name(name.path);
    file.format = format == nullptr ? "" : format->name;
    return file;
  }
  const Places places(name);
  for (const std::string& folder : folders) {
    if (auto found = places.in(folder)) return found;
  }
  return std::nullopt;
}

std::string remedy_by_hand(const GraphName& name, const std::string& folder) {
  const Places places(name);
  const CatalogEntry* const entry = places.entry();
  const std::string page =
      entry == nullptr || entry->see.empty() ? "" : fmt::format("see {}, and ", entry->see);
  std::string remedy =
      fmt::format("{}put the file at {}, or there with the ending of another format, {}", page,
                  (fs::path(folder) / places.plainest()).string(), kNameFolder);
  if (entry == nullptr) return remedy;
  const std::string published = published_counts(*entry);
  if (!published.empty()) remedy += "; it has " + published;
  if (!entry->sha256.empty()) {
    remedy +=
        fmt::format("; its text in the format {} has the sha256 {}", entry->format, entry->sha256);
  }
  if (!entry->note.empty()) remedy += "; " + entry->note;
  return remedy;
}

LocatedFile find_file(const GraphName& name, const std::vector<std::string>& folders) {
  if (auto found = locate_file(name, folders)) return *found;
  if (name.kind == "file") {
    throw InputError(fmt::format("{}: {}", name.path, why_no_file(name.path)));
  }
  const Places places(name);
  const std::string graph = name.kind + ':' + name.path;
  // Fetched files go to the last folder, the cache's own.
  const fs::path folder = folders.empty() ? "DIR" : folders.back();
  std::string remedy;
  if (places.offered().empty()) {
    remedy = "no address of it is known: " + remedy_by_hand(name, folder);
  } else {
    const std::string& address = places.offered().front().address;
    remedy =
        fmt::format("fetch it with `bfslab graph fetch {}`, or download {} and put it at {}, {}",
                    graph, address, (folder / below_mirror(address)).string(), kNameFolder);
  }
  std::string stand_in;
  if (places.entry() != nullptr && !places.entry()->stand_in.empty()) {
    stand_in =
        fmt::format("; in experiments --allow-stand-ins lets the generated {}{} take its place",
                    places.entry()->name, kStandInEnding);
  }
  throw InputError(fmt::format("graph \"{}\": no file of it in {}; {}{}", graph,
                               folders.empty() ? "any data folder (none was named)"
                                               : fmt::format("{}", fmt::join(folders, ", ")),
                               remedy, stand_in));
}

}  // namespace bfslab
