// SPDX-License-Identifier: Apache-2.0
#include "datasets/name/addresses.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "datasets/catalog/catalog.hpp"
#include "datasets/graph/types.hpp"

namespace bfslab {

namespace {

std::string_view last_part(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// Returns the kind of file at an address. It depends on the distributor, since an entry's
// alternatives need not have the format of its official file.
OfferedFile offered_at(const std::string& address, const CatalogEntry& entry) {
  const std::string_view file = last_part(address);
  const std::string_view stem = file.substr(0, file.find(".tar"));
  if (address.find("//sparse.tamu.edu/") != std::string::npos) {
    return {address, "matrix-market", fmt::format("{}.mtx", stem)};
  }
  if (address.find("//konect.cc/") != std::string::npos) {
    return {address, "konect", entry.format == "konect" ? entry.member : "out.*"};
  }
  return {address, entry.format, entry.member};
}

// The 9th DIMACS challenge keeps its files by family: USA-road-d/USA-road-d.NY.gr.gz. Empty for a
// name of no family.
std::string challenge9_file(std::string_view name, std::string_view ending) {
  const std::size_t dot = name.find('.');
  if (!name.starts_with("USA-road-") || dot == std::string_view::npos) return {};
  return fmt::format("{}/{}{}", name.substr(0, dot), name, ending);
}

}  // namespace

std::vector<OfferedFile> offered_files(const NamedKind& kind, std::string_view path) {
  std::vector<OfferedFile> files;
  if (const CatalogEntry* entry = catalog().find_graph(fmt::format("{}:{}", kind.name, path))) {
    for (const std::string& address : entry->addresses) {
      files.push_back(offered_at(address, *entry));
    }
    return files;
  }
  if (kind.folder.empty() || !wrong_named_path(kind, path).empty()) return files;
  const std::string file = kind.name == "dimacs9" ? challenge9_file(path, kind.ending)
                                                  : fmt::format("{}{}", path, kind.ending);
  if (file.empty()) return files;
  std::string member = kind.member;
  if (const std::size_t hole = member.find("{}"); hole != std::string::npos) {
    member.replace(hole, 2, last_part(path));
  }
  files.push_back({kind.folder + file, kind.format, std::move(member)});
  return files;
}

std::string below_mirror(std::string_view address) {
  const auto refuse = [&](std::string_view why) {
    return InputError(
        fmt::format("address \"{}\": {}; expected http(s)://HOST/PATH", address, why));
  };
  std::string_view rest;
  for (const std::string_view scheme : {"https://", "http://"}) {
    if (address.starts_with(scheme)) rest = address.substr(scheme.size());
  }
  if (rest.empty()) throw refuse("found another scheme, or no host");
  std::string place(rest.substr(0, rest.find('#')));
  std::size_t begin = 0;
  std::size_t parts = 0;
  while (begin <= place.size()) {
    const std::size_t end = std::min(place.find('/', begin), place.size());
    const std::string_view part = std::string_view(place).substr(begin, end - begin);
    if (part.empty() || part == "." || part == "..")
      throw refuse("a part of its path is empty, . or ..");
    if (part.find('\\') != part.npos || part.find('\0') != part.npos)
      throw refuse("its path holds a \\");
    ++parts;
    begin = end + 1;
  }
  if (parts < 2) throw refuse("it has no path");
  return place;
}

}  // namespace bfslab
