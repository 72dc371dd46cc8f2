// SPDX-License-Identifier: Apache-2.0
#include "datasets/fetch/remote_graph.hpp"

#include <fmt/format.h>

#include "datasets/catalog/catalog.hpp"
#include "datasets/catalog/published.hpp"
#include "datasets/graph/types.hpp"
#include "datasets/name/addresses.hpp"

namespace bfslab {

bool is_remote(const GraphName& name) { return find_named_kind(name.kind) != nullptr; }

RemoteGraph find_remote(std::string label, const GraphName& name) {
  const NamedKind* kind = find_named_kind(name.kind);
  if (kind == nullptr) {
    throw InputError(fmt::format("graph \"{}\": is {}, so there is nothing to fetch", label,
                                 name.kind == "file" ? "a file named by its path" : "generated"));
  }
  RemoteGraph remote{std::move(label), name, {}, {}};
  const CatalogEntry* entry = catalog().find_graph(name.kind + ':' + name.path);
  if (entry != nullptr) remote.published = published_counts(*entry);
  constexpr std::uint64_t kMargin = std::uint64_t{64} << 20;
  constexpr std::uint64_t kEdge = 128;
  for (const OfferedFile& offered : offered_files(*kind, name.path)) {
    // An alternative may hold the graph in another distributor's form, whose text is different.
    const bool checksum_holds = entry != nullptr && offered.format == entry->format;
    const bool official = entry != nullptr && remote.files.empty();
    remote.files.push_back(
        {offered.address, offered.member, checksum_holds ? entry->sha256 : std::string(),
         official ? entry->packed_sha256 : std::string(),
         entry != nullptr && entry->edges != 0 ? kMargin + entry->edges * kEdge : 0});
  }
  return remote;
}

std::vector<RemoteGraph> find_remotes(const std::string& text) {
  const CatalogGroup* group = catalog().find_group(text);
  if (group == nullptr) return {find_remote(text, GraphName::parse(text))};
  std::vector<RemoteGraph> remotes;
  for (const std::string& member : group->members) {
    const GraphName name = GraphName::parse(member);
    if (is_remote(name)) remotes.push_back(find_remote(member, name));
  }
  return remotes;
}

}  // namespace bfslab
