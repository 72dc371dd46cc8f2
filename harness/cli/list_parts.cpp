// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/list_parts.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "datasets/graph/types.hpp"
#include "harness/cli/text_table.hpp"
#include "kernels/gpu_parts.hpp"

namespace bfslab {
namespace {

using Json = nlohmann::ordered_json;
using cuda::named;

// The switches of dfq (expansions and frontiers) or of xbfs (balances) that select a part, and what
// an expansion takes.
struct ListedPart {
  std::string kind;
  std::string name;
  std::vector<std::pair<std::string, std::string>> switches;
  std::string takes;
  std::string doc;
  std::string paper;
};

std::vector<ListedPart> all_parts() {
  std::vector<ListedPart> parts;
  for (const cuda::ExpansionPart& part : cuda::kExpansions) {
    parts.push_back({.kind = "expansion",
                     .name = part.name,
                     .switches = {{"expand", part.name}},
                     .takes = named(cuda::kTakes, part.takes).name,
                     .doc = part.doc,
                     .paper = part.paper});
  }
  for (const cuda::FrontierPart& part : cuda::kFrontiers) {
    const auto& [queue, collect, in_global_memory] = part.frontier;
    parts.push_back({.kind = "frontier",
                     .name = part.name,
                     .switches = {{"queue", named(cuda::kQueues, queue).name},
                                  {"collect", named(cuda::kCollects, collect).name},
                                  {"memory", in_global_memory ? "global" : "shared"}},
                     .takes = "",
                     .doc = part.doc,
                     .paper = part.paper});
  }
  for (const cuda::BalancePart& part : cuda::kBalances) {
    parts.push_back({.kind = "balance",
                     .name = part.name,
                     .switches = {{"balance", part.name}},
                     .takes = "",
                     .doc = part.doc,
                     .paper = part.paper});
  }
  return parts;
}

std::vector<ListedPart> parts_of(const std::string& kind) {
  std::vector<ListedPart> parts = all_parts();
  if (kind.empty()) return parts;
  std::erase_if(parts, [&](const ListedPart& part) { return part.kind != kind; });
  if (parts.empty()) {
    throw InputError(fmt::format(
        "no kind of parts is called \"{}\"; there are expansion, frontier, balance", kind));
  }
  return parts;
}

std::string text_of(const std::vector<std::pair<std::string, std::string>>& switches) {
  std::string text;
  for (const auto& [name, value] : switches) {
    text += (text.empty() ? "" : ", ") + name + " = " + value;
  }
  return text;
}

}  // namespace

void print_parts(const std::string& kind) {
  std::vector<std::vector<std::string>> rows = {
      {"kind", "part", "takes", "source", "what it does"}};
  for (const ListedPart& part : parts_of(kind)) {
    rows.push_back({part.kind, part.name, part.takes, part.paper, part.doc});
  }
  print_table(rows, 0);
}

void print_parts_json(const std::string& kind) {
  Json json = Json::array();
  for (const ListedPart& part : parts_of(kind)) {
    json.push_back({{"kind", part.kind},
                    {"name", part.name},
                    {"switches", Json::object()},
                    {"takes", part.takes},
                    {"doc", part.doc},
                    {"paper", part.paper}});
    for (const auto& [name, value] : part.switches) json.back()["switches"][name] = value;
  }
  fmt::print("{}\n", json.dump(1));
}

void print_parts_markdown(const std::string& kind) {
  fmt::print("{}", R"(# GPU parts

`bfslab list parts --markdown` prints this page, and `bfslab list parts --json` the same table for programs. `dfq` combines
every frontier with every expansion that can take it. The top-down levels of `xbfs` take any expansion but
`virtual_split`, its bottom-up levels take a balance, and `gunrock` offers some of the expansions as its advance.

- An expansion that takes `vertices` goes with every frontier. One that takes `entries` needs a queue, and one that takes
  `whole` a queue that is not decentralized. One that takes `classes` needs a central queue. One that takes `shares`
  needs `collect = single_scan`, and no hierarchical queue.
- The source is a work in [references](references.md), with its section where bfslab has a short name for it. It is empty
  where a part is ours.
)");
  std::string last;
  std::vector<std::vector<std::string>> rows;
  const auto print_rows = [&] {
    if (!rows.empty()) fmt::print("\n{}", markdown_table(rows));
  };
  for (const ListedPart& part : parts_of(kind)) {
    const bool expands = part.kind == "expansion";
    if (part.kind != last) {
      print_rows();
      last = part.kind;
      rows = {{last, expands ? "takes" : "switches", "what it does", "source"}};
    }
    rows.push_back({'`' + part.name + '`', expands ? part.takes : text_of(part.switches), part.doc,
                    part.paper});
  }
  print_rows();
}

}  // namespace bfslab
