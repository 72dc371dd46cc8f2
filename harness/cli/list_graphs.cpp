// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/list_graphs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "datasets/cache/inventory.hpp"
#include "datasets/catalog/catalog.hpp"
#include "datasets/catalog/published.hpp"
#include "datasets/name/graph_name.hpp"
#include "datasets/name/locate.hpp"
#include "datasets/text/spelling.hpp"
#include "harness/cli/print_json.hpp"
#include "harness/cli/short_names.hpp"
#include "harness/cli/text_table.hpp"
#include "harness/spec/spec.hpp"

namespace bfslab {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using Rows = std::vector<std::vector<std::string>>;

std::string values_of(const GraphParameter& parameter) {
  switch (parameter.kind) {
    case GraphParameter::Kind::choice:
      return fmt::format("{}", fmt::join(parameter.choices, "|"));
    case GraphParameter::Kind::integer:
      return parameter.maximum >= 1e15
                 ? fmt::format("integer {:.0f}..", parameter.minimum)
                 : fmt::format("integer {:.0f}..{:.0f}", parameter.minimum, parameter.maximum);
    case GraphParameter::Kind::real:
      break;
  }
  return fmt::format("number {:g}..{:g}", parameter.minimum, parameter.maximum);
}

Rows parameter_rows(const std::vector<GraphParameter>& parameters) {
  Rows rows;
  for (const GraphParameter& parameter : parameters) {
    rows.push_back({parameter.name, values_of(parameter),
                    parameter.default_value.empty() ? "required" : parameter.default_value,
                    parameter.doc});
  }
  return rows;
}

Json parameters_json(const std::vector<GraphParameter>& parameters) {
  static constexpr const char* kKinds[] = {"integer", "real", "choice"};
  Json list = Json::array();
  for (const GraphParameter& parameter : parameters) {
    Json json = {{"name", parameter.name}, {"kind", kKinds[static_cast<int>(parameter.kind)]}};
    if (parameter.kind == GraphParameter::Kind::choice) {
      json["choices"] = parameter.choices;
    } else {
      json["minimum"] = parameter.minimum;
      json["maximum"] = parameter.maximum;
    }
    if (!parameter.default_value.empty()) json["default"] = parameter.default_value;
    json["doc"] = parameter.doc;
    list.push_back(json);
  }
  return list;
}

std::string grouped_if_known(std::uint64_t count) { return count == 0 ? "" : grouped(count); }

// Returns the path of the entry's file, "generated", or nothing.
std::optional<std::string> place_of(const CatalogEntry& entry,
                                    const std::vector<std::string>& folders) {
  const GraphName name = GraphName::parse(entry.graph);
  if (!stands_for_file(name)) return "generated";
  if (const auto file = locate_file(name, folders)) return file->path;
  return std::nullopt;
}

struct NamedFile {
  std::string name;  // as in snap:NAME
  std::string path;
};

// Returns the files that no entry of the catalogue names and that snap:NAME would find; the first
// folder that has a name wins.
std::vector<NamedFile> named_files(const std::vector<std::string>& folders) {
  std::vector<NamedFile> files;
  std::set<std::string> seen;
  for (const std::string& folder : folders) {
    for (const char* inner : {"", "snap.stanford.edu/data"}) {
      std::error_code ignored;
      std::vector<NamedFile> found;
      for (const auto& entry : fs::directory_iterator(fs::path(folder) / inner, ignored)) {
        std::string name = entry.path().filename();
        for (const char* ending : {".gz", ".txt"}) {
          if (name.ends_with(ending)) name.resize(name.size() - std::string(ending).size());
        }
        const std::string file = entry.path().filename();
        if (file != name + ".txt" && file != name + ".txt.gz") continue;
        if (catalog().find_graph("snap:" + name) != nullptr) continue;
        found.push_back({name, entry.path().string()});
      }
      std::sort(found.begin(), found.end(),
                [](const NamedFile& a, const NamedFile& b) { return a.path < b.path; });
      for (NamedFile& file : found) {
        if (seen.insert(file.name).second) files.push_back(std::move(file));
      }
    }
  }
  return files;
}

// Returns the graphs that CACHE/csr holds.
std::vector<CacheEntry> built_graphs(const std::string& cache) {
  std::vector<CacheEntry> graphs = cache_entries(cache);
  std::erase_if(graphs,
                [](const CacheEntry& each) { return each.kind != CacheEntry::Kind::built; });
  return graphs;
}

void print_entries(const std::vector<const CatalogEntry*>& entries,
                   const std::vector<std::string>& folders) {
  Rows rows{{"name", "vertices", "edges", "format", "here", "stand-in"}};
  for (const CatalogEntry* entry : entries) {
    rows.push_back({entry->name, grouped_if_known(entry->vertices), grouped_if_known(entry->edges),
                    entry->format.empty() ? "generated" : entry->format,
                    place_of(*entry, folders) ? "yes" : "-",
                    entry->stand_in.empty() ? "-" : "yes"});
  }
  print_table(rows, 2, {1, 2});
}

void print_entry(const CatalogEntry& entry, const std::vector<std::string>& folders) {
  fmt::print("{}\n", entry.name);
  Rows rows{{"title", entry.title}, {"means", entry.graph}};
  if (!entry.format.empty()) rows.push_back({"format", entry.format});
  rows.push_back({"edges", entry.directed ? "directed" : "undirected"});
  const std::string published = published_counts(entry);
  if (!published.empty()) rows.push_back({"published", published});
  if (!entry.edition.empty()) rows.push_back({"edition", entry.edition});
  for (const std::string& address : entry.addresses) rows.push_back({"address", address});
  if (!entry.see.empty()) rows.push_back({"see", entry.see});
  if (!entry.sha256.empty()) rows.push_back({"sha256", entry.sha256});
  rows.push_back({"terms", entry.terms});
  rows.push_back({"used by", entry.used_by.empty()
                                 ? "no paper of this collection"
                                 : fmt::format("{}", fmt::join(entry.used_by, ", "))});
  rows.push_back({"here", place_of(entry, folders).value_or("no")});
  if (!entry.stand_in.empty()) rows.push_back({"stand-in", entry.stand_in});
  if (!entry.note.empty()) rows.push_back({"note", entry.note});
  print_table(rows, 2);
}

Json entry_json(const CatalogEntry& entry, const std::vector<std::string>& folders) {
  const auto count = [](std::uint64_t n) { return n == 0 ? Json() : Json(n); };
  const auto place = place_of(entry, folders);
  return {{"name", entry.name},
          {"title", entry.title},
          {"graph", entry.graph},
          {"format", entry.format},
          {"addresses", entry.addresses},
          {"see", entry.see},
          {"member", entry.member},
          {"directed", entry.directed},
          {"vertices", count(entry.vertices)},
          {"edges", count(entry.edges)},
          {"edges_are", entry.edges_are},
          {"sha256", entry.sha256},
          {"terms", entry.terms},
          {"used_by", entry.used_by},
          {"edition", entry.edition},
          {"stand_in", entry.stand_in},
          {"note", entry.note},
          {"here", place ? Json(*place) : Json()}};
}

void print_kind(const GraphKind& kind) {
  fmt::print("{}:{}\n", kind.name, kind.form);
  print_table({{kind.doc}}, 2);
  print_table(parameter_rows(kind.parameters), 4);
  fmt::print("\nAfter it, separated by commas:\n");
  print_table(parameter_rows(build_parameters()), 4);
}

std::vector<const CatalogEntry*> members_of(const CatalogGroup& group) {
  std::vector<const CatalogEntry*> entries;
  for (const std::string& member : group.members) entries.push_back(catalog().find(member));
  return entries;
}

Json kind_json(const GraphKind& kind) {
  return {{"name", kind.name},
          {"doc", kind.doc},
          {"takes_path", kind.takes_path},
          {"form", kind.form},
          {"parameters", parameters_json(kind.parameters)}};
}

Json group_json(const CatalogGroup& group) {
  return {{"name", group.name}, {"doc", group.doc}, {"members", group.members}};
}

void print_all_json(const std::vector<std::string>& folders, const std::string& cache) {
  Json json = {{"kinds", Json::array()},  {"build_parameters", parameters_json(build_parameters())},
               {"groups", Json::array()}, {"catalogue", Json::array()},
               {"files", Json::array()},  {"built", Json::array()}};
  for (const GraphKind& kind : graph_kinds()) json["kinds"].push_back(kind_json(kind));
  for (const CatalogGroup& group : catalog().groups) json["groups"].push_back(group_json(group));
  for (const CatalogEntry& entry : catalog().entries) {
    json["catalogue"].push_back(entry_json(entry, folders));
  }
  for (const NamedFile& file : named_files(folders)) {
    json["files"].push_back({{"name", "snap:" + file.name}, {"path", file.path}});
  }
  for (const CacheEntry& graph : built_graphs(cache)) {
    json["built"].push_back({{"name", graph.name},
                             {"path", graph.files.front()},
                             {"vertices", graph.vertices},
                             {"edges", graph.edges}});
  }
  print_json(json);
}

void print_all(const std::vector<std::string>& folders, const std::string& cache) {
  fmt::print("Kinds of graphs (bfslab list graphs KIND for their parameters):\n");
  Rows rows;
  for (const GraphKind& kind : graph_kinds()) {
    rows.push_back({kind.name + ':' + kind.form, kind.doc});
  }
  print_table(rows, 2);
  fmt::print("\nAfter any of them, and after a name of the catalogue, separated by commas:\n");
  print_table(parameter_rows(build_parameters()), 2);
  fmt::print("\nThe catalogue (bfslab list graphs NAME for more); \"here\": in one of\n");
  for (const std::string& folder : folders) fmt::print("  {}\n", printable(folder));
  fmt::print("\n");
  std::vector<const CatalogEntry*> entries;
  for (const CatalogEntry& entry : catalog().entries) entries.push_back(&entry);
  print_entries(entries, folders);
  fmt::print("\nGroups, for a spec's graphs:\n");
  rows.clear();
  for (const CatalogGroup& group : catalog().groups) rows.push_back({group.name, group.doc});
  print_table(rows, 2);
  rows.clear();
  for (const NamedFile& file : named_files(folders)) {
    rows.push_back({"snap:" + file.name, file.path});
  }
  if (!rows.empty()) fmt::print("\nOther files available here:\n");
  print_table(rows, 2);
  fmt::print("\nBuilt graphs in {}/csr:\n", printable(cache));
  rows.clear();
  const ShortNames names;
  for (const CacheEntry& graph : built_graphs(cache)) {
    rows.push_back(
        {fmt::format("{:.1f} MiB", static_cast<double>(graph.bytes) / 1048576),
         graph.vertices == 0 ? "" : fmt::format("{} vertices", graph.vertices),
         graph.vertices == 0 ? "" : fmt::format("{} edges", graph.edges),
         names.of(graph.name) + (graph.damage.empty() ? "" : " (damaged: " + graph.damage + ")")});
  }
  if (rows.empty()) rows.push_back({"none"});
  print_table(rows, 2);
}

[[noreturn]] void no_such_graph(const std::string& name) {
  std::vector<std::string> names;
  for (const GraphKind& kind : graph_kinds()) names.push_back(kind.name);
  for (const CatalogGroup& group : catalog().groups) names.push_back(group.name);
  for (const CatalogEntry& entry : catalog().entries) names.push_back(entry.name);
  const std::string nearest = nearest_spelling(name, names);
  throw InputError(
      fmt::format("no kind of graph, graph of the catalogue or group is called \"{}\"{}", name,
                  nearest.empty() ? "; `bfslab list graphs` shows all"
                                  : "; did you mean \"" + nearest + "\"?"));
}

}  // namespace

void print_graphs(const std::string& name, const std::vector<std::string>& folders,
                  const std::string& cache, bool json) {
  if (name.empty()) {
    json ? print_all_json(folders, cache) : print_all(folders, cache);
    return;
  }
  const auto& kinds = graph_kinds();
  const auto kind =
      std::find_if(kinds.begin(), kinds.end(), [&](const GraphKind& k) { return k.name == name; });
  const CatalogEntry* entry = catalog().find(name);
  const CatalogGroup* group = catalog().find_group(name);
  if (json) {
    if (kind == kinds.end() && entry == nullptr && group == nullptr) no_such_graph(name);
    const Json found = kind != kinds.end() ? kind_json(*kind)
                       : entry != nullptr  ? entry_json(*entry, folders)
                                           : group_json(*group);
    print_json(found);
  } else if (kind != kinds.end()) {
    print_kind(*kind);
  } else if (entry != nullptr) {
    print_entry(*entry, folders);
  } else if (group != nullptr) {
    fmt::print("{}: {}\n", group->name, group->doc);
    print_entries(members_of(*group), folders);
  } else {
    no_such_graph(name);
  }
}

}  // namespace bfslab
