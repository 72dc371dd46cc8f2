// SPDX-License-Identifier: Apache-2.0
#include "datasets/build/build.hpp"

#include <utility>
#include <vector>

#include "datasets/build/csr_parts.hpp"
#include "datasets/build/csr_source.hpp"
#include "datasets/build/list_source.hpp"
#include "datasets/build/team.hpp"

namespace bfslab {

namespace {

CsrArrays arrays_of(const std::shared_ptr<const CsrParts>& parts) {
  return {parts->row_offsets.span(),
          parts->columns.span(),
          parts->input_edges.span(),
          parts->labels,
          parts,
          parts->first_label};
}

struct Labels {
  std::vector<std::uint64_t> all;
  std::uint64_t first = 0;
};

BuiltArrays build(const EdgeSource& source, const std::function<void()>& release, Labels labels,
                  bool symmetric, const BuildOptions& options) {
  const int threads = team(options.threads);
  CsrParts parts = partition_into_csr(
      source, {symmetric, options.drop_self_loops, options.deduplicate, threads}, release);
  parts.labels = std::move(labels.all);
  parts.first_label = labels.first;
  if (options.relabel != Relabel::none) {
    const auto new_of_old = options.relabel == Relabel::degree
                                ? degree_ids(parts.row_offsets, threads)
                                : shuffled_ids(static_cast<vertex_t>(parts.input_edges.size()),
                                               options.relabel_seed, threads);
    parts = relabel_parts(std::move(parts), new_of_old, threads);
  }
  const auto shared = std::make_shared<const CsrParts>(std::move(parts));
  return {arrays_of(shared), shared->self_loops, shared->duplicates};
}

CsrGraph described(const BuiltArrays& built, edge_t tuples, bool symmetric,
                   const BuildOptions& options, const std::string& name, Provenance provenance) {
  provenance.emplace_back("input_edges", std::to_string(tuples));
  provenance.emplace_back("build", options.canonical());
  if (symmetric && !options.symmetrize) {
    provenance.emplace_back("warning", "the file is undirected: symmetrize=false has no effect");
  }
  provenance.emplace_back("self_loops_found", std::to_string(built.self_loops));
  provenance.emplace_back("duplicate_entries_found", std::to_string(built.duplicates));
  GraphIdentity identity{
      name + (name.ends_with(':') ? "" : ",") + options.canonical(),
      content_hash(CsrGraph(built.arrays, symmetric, {}, {}), team(options.threads))};
  return {built.arrays, symmetric, std::move(identity), std::move(provenance)};
}

}  // namespace

std::string BuildOptions::canonical() const {
  std::string text = symmetrize ? "symmetrize=true" : "symmetrize=false";
  text += drop_self_loops ? ",self_loops=drop" : ",self_loops=keep";
  text += deduplicate ? ",duplicates=drop" : ",duplicates=keep";
  switch (relabel) {
    case Relabel::none:
      return text + ",relabel=none";
    case Relabel::degree:
      return text + ",relabel=degree";
    case Relabel::shuffle:
      break;
  }
  return text + ",relabel=shuffle,relabel_seed=" + std::to_string(relabel_seed);
}

CsrGraph build_csr(EdgeList list, const BuildOptions& options, const std::string& name) {
  const ListSource source(list);
  const edge_t tuples = source.size();
  const bool symmetric = options.symmetrize || list.undirected;
  const BuiltArrays built = build(
      source, [&] { const Buffer<Edge> gone = std::move(list.edges); },
      {std::move(list.labels), list.first_label}, symmetric, options);
  return described(built, tuples, symmetric, options, name, std::move(list.provenance));
}

CsrGraph build_csr(const EdgeSource& source, const BuildOptions& options, const std::string& name,
                   Provenance provenance, const BuildElsewhere& elsewhere) {
  std::optional<BuiltArrays> built;
  if (elsewhere) built = elsewhere(source, options);
  if (!built) {
    built = build(
        source, [] {}, {}, options.symmetrize, options);
  }
  return described(*built, source.size(), options.symmetrize, options, name, std::move(provenance));
}

std::shared_ptr<const CsrGraph> build_transpose(const CsrGraph& graph, int threads) {
  const PartitionRules as_it_is{false, false, false, team(threads)};
  CsrParts parts = partition_into_csr(ReversedCsrSource(graph), as_it_is, [] {});
  parts.input_edges = {};  // the tuples were given in the opposite direction
  parts.labels.assign(graph.labels().begin(), graph.labels().end());
  parts.first_label = graph.first_label();
  const auto shared = std::make_shared<const CsrParts>(std::move(parts));
  const CsrArrays arrays = arrays_of(shared);
  GraphIdentity identity{graph.identity().name + ",transpose",
                         content_hash(CsrGraph(arrays, graph.symmetric(), {}, {}), threads)};
  return std::make_shared<const CsrGraph>(arrays, graph.symmetric(), std::move(identity),
                                          graph.provenance());
}

}  // namespace bfslab
