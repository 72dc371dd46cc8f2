// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "datasets/catalog/catalog.hpp"
#include "harness/spec/fields.hpp"
#include "harness/spec/json_path.hpp"
#include "harness/spec/read.hpp"

namespace bfslab {

namespace {

const char* const kExpected =
    "a graph's name such as \"kronecker:scale=16\", or {\"name\": ..., \"stand_in_for\": ..., "
    "\"sources\": ...}";
const char* const kAllow = "\"allow_stand_ins\": true in a spec that uses stand-ins";

// Returns the entry's name, or nullptr if there is none to read.
const Json* read_entry(const Json& entry, const std::string& path, bool stand_ins_allowed,
                       GraphEntry& out, Diagnostics& diagnostics) {
  if (entry.is_string()) return &entry;
  if (!entry.is_object()) {
    diagnostics.add(path, describe(entry), kExpected);
    return nullptr;
  }
  check_object(graph_entry_fields(), entry, path, diagnostics);
  if (const Json* original = member(entry, "stand_in_for")) {
    if (original->is_string()) out.stand_in_for = original->get<std::string>();
    if (!stand_ins_allowed) {
      diagnostics.add(child_path(path, "stand_in_for"), "a stand-in for " + describe(*original),
                      kAllow);
    }
  }
  take_integer(entry, graph_entry_fields(), "sources", out.max_sources);
  const Json* name = member(entry, "name");
  if (name != nullptr && !name->is_string()) {
    diagnostics.add(child_path(path, "name"), describe(*name),
                    "a graph's name such as \"kronecker:scale=16\"");
    return nullptr;
  }
  return name;
}

// Reports ids that a graph of known size cannot have.
void check_listed_sources(const Spec& spec, const GraphEntry& graph, Diagnostics& diagnostics) {
  const std::uint64_t vertices = predict_size(graph.name).vertices;
  if (vertices == 0 || spec.sources.listed.empty()) return;
  for (std::size_t i = 0; i < spec.source_count(graph); ++i) {
    if (spec.sources.listed[i] < vertices) continue;
    diagnostics.add(element_path("sources", i), std::to_string(spec.sources.listed[i]),
                    "a vertex of " + graph.text + ", 0 to " + std::to_string(vertices - 1));
  }
}

// Reads the elements of "graphs" one after another.
class GraphReader {
 public:
  GraphReader(Spec& spec, Diagnostics& diagnostics) : spec_(spec), diagnostics_(diagnostics) {}

  void read(const Json& element, const std::string& path) {
    if (element.is_string()) {
      if (const CatalogGroup* group = catalog().find_group(element.get<std::string>())) {
        add_group(*group, path);
        return;
      }
    }
    GraphEntry entry;
    const Json* name = read_entry(element, path, spec_.allow_stand_ins, entry, diagnostics_);
    if (name == nullptr) return;
    const std::string place = element.is_object() ? child_path(path, "name") : path;
    entry.text = name->get<std::string>();
    try {
      entry.name = GraphName::parse(entry.text, folder_of(spec_.file));
    } catch (const InputError& error) {
      diagnostics_.add_text(place, error.what());
      return;
    }
    if (!entry.name.stand_in_for.empty()) {
      if (!spec_.allow_stand_ins) {
        diagnostics_.add(place, "a stand-in for " + bfslab::quoted(entry.name.stand_in_for),
                         kAllow);
      }
      if (entry.stand_in_for.empty()) entry.stand_in_for = entry.name.stand_in_for;
    }
    const auto [first, fresh] = seen_.emplace(entry.name.canonical, path);
    if (!fresh) {
      diagnostics_.add(place, describe(*name) + ", the same graph as `" + first->second + "`",
                       "each graph once");
      return;
    }
    add(std::move(entry));
  }

 private:
  void add(GraphEntry entry) {
    check_listed_sources(spec_, entry, diagnostics_);
    spec_.graphs.push_back(std::move(entry));
  }

  // Members in the paper's order; one that is already listed, for example by another group, stays
  // where it is.
  void add_group(const CatalogGroup& group, const std::string& path) {
    for (const std::string& member : group.members) {
      GraphEntry entry;
      entry.text = member;
      entry.name = GraphName::parse(member);
      if (seen_.emplace(entry.name.canonical, path).second) add(std::move(entry));
    }
  }

  Spec& spec_;
  Diagnostics& diagnostics_;
  std::map<std::string, std::string> seen_;  // canonical name -> the path that names it first
};

}  // namespace

std::string folder_of(const std::string& file) {
  return std::filesystem::path(file).parent_path().string();
}

void read_graphs(const Json& json, Spec& spec, Diagnostics& diagnostics) {
  const Json* graphs = member(json, "graphs");
  if (graphs == nullptr) return;  // reported as missing
  if (!graphs->is_array() || graphs->empty()) {
    diagnostics.add("graphs", describe(*graphs),
                    std::string("a list of at least one: ") + kExpected);
    return;
  }
  GraphReader reader(spec, diagnostics);
  for (std::size_t i = 0; i < graphs->size(); ++i) {
    reader.read((*graphs)[i], element_path("graphs", i));
  }
}

}  // namespace bfslab
