// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "datasets/catalog/catalog.hpp"
#include "datasets/name/check_catalog.hpp"
#include "datasets/name/graph_name.hpp"
#include "tests/fuzz/invariants.hpp"
#include "tests/fuzz/target.hpp"

namespace bfslab::fuzz {

namespace {

Catalog parse(Input input) {
  try {
    Catalog catalog = parse_catalog(as_text(input), "fuzz.json");
    check_catalog(catalog, "fuzz.json");
    return catalog;
  } catch (const InputError& error) {
    const std::string message = error.what();
    require(message.starts_with("fuzz.json:"),
            "the message does not begin with the file: " + message);
    check_printable(message, "a message");
    throw;
  }
}

void run(Input input) {
  const Catalog catalog = parse(input);
  std::set<std::string> names;
  for (const CatalogEntry& entry : catalog.entries) {
    require(!entry.name.empty() && names.insert(entry.name).second,
            "an entry without a name, or twice: " + entry.name);
    require(catalog.find(entry.name) == &entry, "an entry is not found: " + entry.name);
    require(catalog.find_graph(entry.graph) != nullptr, "no entry of the graph " + entry.graph);
    static_cast<void>(GraphName::parse(entry.graph));
    if (!entry.stand_in.empty()) static_cast<void>(GraphName::parse(entry.stand_in));
    require(entry.sha256.empty() || entry.sha256.size() == 64, "a checksum of another length");
  }
  for (const CatalogGroup& group : catalog.groups) {
    require(names.insert(group.name).second, "a group with the name of another: " + group.name);
    require(catalog.find_group(group.name) == &group, "a group is not found: " + group.name);
    require(!group.members.empty(), "an empty group: " + group.name);
    for (const std::string& member : group.members) {
      require(catalog.find(member) != nullptr, "a group's member is no entry: " + member);
    }
  }
}

}  // namespace

Target catalog_target() { return {"catalog", "the parser of the catalogue", run}; }

}  // namespace bfslab::fuzz
