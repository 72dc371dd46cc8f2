// SPDX-License-Identifier: Apache-2.0
#include "datasets/name/check_catalog.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "datasets/generate/generator.hpp"
#include "datasets/graph/types.hpp"
#include "datasets/name/addresses.hpp"
#include "datasets/name/graph_name.hpp"
#include "datasets/text/printable.hpp"

namespace bfslab {

namespace {

class Checker {
 public:
  Checker(const Catalog& catalog, std::string file) : catalog_(catalog), file_(std::move(file)) {}

  void run() {
    for (const CatalogEntry& entry : catalog_.entries) {
      place_ = fmt::format("entry \"{}\"", entry.name);
      check_name(entry.name);
      if (const auto name = parse("graph", entry.graph)) check_graph(entry, *name);
      if (entry.stand_in.empty()) continue;
      const auto stand_in = parse("stand_in", entry.stand_in);
      if (stand_in && find_generator(stand_in->kind) == nullptr) {
        report(fmt::format("stand_in: \"{}\" is no generator", stand_in->kind));
      }
    }
    for (const CatalogGroup& group : catalog_.groups) {
      place_ = fmt::format("group \"{}\"", group.name);
      check_name(group.name);
    }
    if (!errors_.empty()) throw InputError(errors_);
  }

 private:
  void report(const std::string& problem) {
    errors_ += fmt::format("{}{}: {}: {}", errors_.empty() ? "" : "\n", file_, printable(place_),
                           printable(problem));
  }

  void check_name(const std::string& name) {
    const auto& kinds = graph_kinds();
    if (std::any_of(kinds.begin(), kinds.end(), [&](const auto& k) { return k.name == name; })) {
      report(fmt::format("name: \"{}\" is a kind of graph", name));
    }
  }

  std::optional<GraphName> parse(const char* key, const std::string& text) {
    if (text.find(':') == std::string::npos) {
      report(fmt::format("{}: found \"{}\", expected KIND:...", key, text));
      return std::nullopt;
    }
    try {
      return GraphName::parse(text);
    } catch (const InputError& error) {
      report(fmt::format("{}: {}", key, error.what()));
      return std::nullopt;
    }
  }

  void check_graph(const CatalogEntry& entry, const GraphName& name) {
    const bool generated = find_generator(name.kind) != nullptr;
    for (const GraphParameter& option : build_parameters()) {
      if (entry.graph.find(option.name + '=') == std::string::npos) continue;
      report(fmt::format("graph: {} belongs where the graph is used", option.name));
    }
    if (name.kind == "file") report("graph: a path on one machine is no catalogue's business");
    if (!generated && catalog_.find_graph(entry.graph) != &entry) {
      report(fmt::format("graph: \"{}\" has an entry already", entry.graph));
    }
    if (generated != entry.format.empty()) {
      report(generated ? "format: a generator has none" : "the key \"format\" is missing");
    }
    if (!generated && entry.addresses.empty() == entry.see.empty()) {
      report(entry.see.empty() ? "see: missing, which says where a file without an address is had"
                               : "see: a file with addresses needs none");
    }
    for (const std::string& address : entry.addresses) {
      try {
        static_cast<void>(below_mirror(address));
      } catch (const InputError& error) {
        report(fmt::format("addresses: {}", error.what()));
      }
    }
  }

  const Catalog& catalog_;
  std::string file_;
  std::string place_;
  std::string errors_;
};

}  // namespace

void check_catalog(const Catalog& catalog, const std::string& file) {
  Checker(catalog, file).run();
}

}  // namespace bfslab
