// SPDX-License-Identifier: Apache-2.0
#include "datasets/catalog/catalog.hpp"

#include <algorithm>

#include "datasets/catalog/embedded.hpp"

namespace bfslab {

namespace {

template <typename T>
const T* find_named(const std::vector<T>& list, std::string_view name) {
  const auto found =
      std::find_if(list.begin(), list.end(), [&](const T& each) { return each.name == name; });
  return found == list.end() ? nullptr : &*found;
}

}  // namespace

const CatalogEntry* Catalog::find(std::string_view name) const { return find_named(entries, name); }

const CatalogEntry* Catalog::find_graph(std::string_view kind_and_path) const {
  const auto found = std::find_if(entries.begin(), entries.end(), [&](const CatalogEntry& entry) {
    return entry.graph == kind_and_path;
  });
  return found == entries.end() ? nullptr : &*found;
}

const CatalogGroup* Catalog::find_group(std::string_view name) const {
  return find_named(groups, name);
}

const Catalog& catalog() {
  static const Catalog built_in = parse_catalog(kCatalogText, "the built-in catalogue");
  return built_in;
}

}  // namespace bfslab
