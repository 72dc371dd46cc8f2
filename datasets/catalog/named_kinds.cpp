#include "datasets/catalog/named_kinds.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "datasets/catalog/catalog.hpp"
#include "datasets/fetch/distributors.hpp"
#include "datasets/graph/types.hpp"

namespace bfslab {

namespace {

constexpr const char* kPlain =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.+@";

bool is_plain(std::string_view part) {
  return !part.empty() && part.front() != '.' &&
         part.find_first_not_of(kPlain) == std::string_view::npos;
}

std::string_view last_part(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// What is found at an address, by its distributor: an entry's alternatives need not have the format
// of its official file.
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

}  // namespace

const std::vector<NamedKind>& named_kinds() {
  static const std::vector<NamedKind> kinds = {
      {"snap", "NAME", "snap", "an edge list of SNAP, snap.stanford.edu"},
      {"konect", "NAME", "konect", "a network of KONECT, konect.cc"},
      {"suitesparse", "GROUP/NAME", "matrix-market",
       "a matrix of the SuiteSparse collection, sparse.tamu.edu"},
      {"dimacs9", "NAME", "dimacs9", "a road network of the 9th DIMACS challenge"},
      {"dimacs10", "NAME", "metis", "a graph of the 10th DIMACS challenge, in METIS form"},
      {"law", "NAME", "arcs", "a web graph of LAW, decoded to a list of arcs"},
      {"local", "NAME", "", "a file that no distributor's rule names; its ending tells the format"},
  };
  return kinds;
}

const NamedKind* find_named_kind(std::string_view kind) {
  const auto& kinds = named_kinds();
  const auto found =
      std::find_if(kinds.begin(), kinds.end(), [&](const NamedKind& k) { return k.name == kind; });
  return found == kinds.end() ? nullptr : &*found;
}

std::string wrong_named_path(const NamedKind& kind, std::string_view path) {
  const bool grouped = kind.form.find('/') != std::string::npos;
  const std::size_t slash = path.find('/');
  const bool sound = grouped ? slash != std::string_view::npos && is_plain(path.substr(0, slash)) &&
                                   is_plain(path.substr(slash + 1))
                             : is_plain(path);
  if (sound) return {};
  return fmt::format("found \"{}\", expected {}:{} of letters, digits and - _ . + @", path,
                     kind.name, kind.form);
}

std::vector<OfferedFile> offered_files(const NamedKind& kind, std::string_view path) {
  std::vector<OfferedFile> files;
  if (const CatalogEntry* entry = catalog().find_graph(fmt::format("{}:{}", kind.name, path))) {
    for (const std::string& address : entry->addresses) {
      files.push_back(offered_at(address, *entry));
    }
    return files;
  }
  if (distributor_spelling(kind.name).empty()) return files;
  try {
    DistributedFile file = locate_distributed(kind.name, path);
    files.push_back({std::move(file.address), kind.format, std::move(file.member)});
  } catch (const InputError&) {
    // A name that the distributor's rule does not cover; the file may exist nevertheless.
  }
  return files;
}

}  // namespace bfslab
