#include <map>
#include <nlohmann/json.hpp>

#include "harness/spec/fields.hpp"
#include "harness/spec/json_path.hpp"
#include "harness/spec/read.hpp"

namespace bfslab {

namespace {

const char* const kExpected =
    "a graph's name such as \"kronecker:scale=16\", or {\"name\": ..., \"stand_in_for\": ...}";

// The entry's name, or nullptr when there is none to read.
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
                      "\"allow_stand_ins\": true in a spec that uses stand-ins");
    }
  }
  const Json* name = member(entry, "name");
  if (name != nullptr && !name->is_string()) {
    diagnostics.add(child_path(path, "name"), describe(*name),
                    "a graph's name such as \"kronecker:scale=16\"");
    return nullptr;
  }
  return name;
}

// Ids that a graph whose size its name tells cannot have.
void check_listed_sources(const Spec& spec, const GraphEntry& graph, Diagnostics& diagnostics) {
  const std::uint64_t vertices = predict_size(graph.name).vertices;
  if (vertices == 0) return;
  for (std::size_t i = 0; i < spec.sources.listed.size(); ++i) {
    if (spec.sources.listed[i] < vertices) continue;
    diagnostics.add(element_path("sources", i), std::to_string(spec.sources.listed[i]),
                    "a vertex of " + graph.text + ", 0 to " + std::to_string(vertices - 1));
  }
}

}  // namespace

void read_graphs(const Json& json, Spec& spec, Diagnostics& diagnostics) {
  const Json* graphs = member(json, "graphs");
  if (graphs == nullptr) return;  // reported as missing
  if (!graphs->is_array() || graphs->empty()) {
    diagnostics.add("graphs", describe(*graphs),
                    std::string("a list of at least one: ") + kExpected);
    return;
  }
  const Json* allow = member(json, "allow_stand_ins");
  const bool stand_ins_allowed = allow != nullptr && *allow == true;
  std::map<std::string, std::string> seen;  // canonical name -> the path that names it first
  for (std::size_t i = 0; i < graphs->size(); ++i) {
    const std::string path = element_path("graphs", i);
    const Json& element = (*graphs)[i];
    GraphEntry entry;
    const Json* name = read_entry(element, path, stand_ins_allowed, entry, diagnostics);
    if (name == nullptr) continue;
    const std::string place = element.is_object() ? child_path(path, "name") : path;
    entry.text = name->get<std::string>();
    try {
      entry.name = GraphName::parse(entry.text);
    } catch (const InputError& error) {
      diagnostics.add_text(place, error.what());
      continue;
    }
    const auto [first, fresh] = seen.emplace(entry.name.canonical, path);
    if (!fresh) {
      diagnostics.add(place, describe(*name) + ", the same graph as `" + first->second + "`",
                      "each graph once");
      continue;
    }
    check_listed_sources(spec, entry, diagnostics);
    spec.graphs.push_back(std::move(entry));
  }
}

}  // namespace bfslab
