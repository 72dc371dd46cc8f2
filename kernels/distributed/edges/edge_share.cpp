// SPDX-License-Identifier: Apache-2.0
#include "kernels/distributed/edges/edge_share.hpp"

#include <fmt/format.h>

#include "datasets/generate/generator.hpp"
#include "datasets/load_graph.hpp"
#include "datasets/name/graph_name.hpp"
#include "kernels/unsupported.hpp"

namespace bfslab::distributed {

namespace {

// Member i of p has i/p to (i+1)/p of `total` things.
std::uint64_t share_begin(std::uint64_t total, const Member& member, unsigned index) {
  return static_cast<std::uint64_t>(static_cast<unsigned __int128>(total) * index / member.count());
}
std::uint64_t share_size(std::uint64_t total, const Member& member) {
  return share_begin(total, member, member.index() + 1) -
         share_begin(total, member, member.index());
}

void widen(std::span<const Edge> edges, std::span<GlobalEdge> out) {
  std::ranges::transform(edges, out.begin(), [](Edge e) { return GlobalEdge{e.from, e.to}; });
}

class GeneratedShare final : public EdgeShare {
 public:
  GeneratedShare(std::unique_ptr<EdgeSource> source, const BuildOptions& build,
                 const Member& member)
      : EdgeShare(source->vertex_count(), source->size(), share_size(source->size(), member),
                  {build.symmetrize, build.drop_self_loops, build.deduplicate, build.symmetrize}),
        source_(std::move(source)),
        begin_(share_begin(total(), member, member.index())) {}

  void fill(std::uint64_t first, std::span<GlobalEdge> out) const override {
    constexpr std::size_t kBatch = 1024;
    Edge batch[kBatch];
    while (!out.empty()) {
      const std::size_t count = std::min(out.size(), kBatch);
      source_->fill(begin_ + first, {batch, count});
      widen({batch, count}, out);
      first += count;
      out = out.subspan(count);
    }
  }
  [[nodiscard]] GeneratedTuples generated() const override { return {source_.get(), begin_}; }

 private:
  std::unique_ptr<EdgeSource> source_;
  std::uint64_t begin_;
};

EdgeRules rules_of(bool symmetric) {
  return {
      .symmetrize = false, .drop_self_loops = false, .deduplicate = false, .symmetric = symmetric};
}

// Entries first, first + 1, ... of a CSR.
void read_entries(const CsrGraph& graph, std::uint64_t first, std::span<Edge> out) {
  if (out.empty()) return;
  const std::span<const edge_t> offsets = graph.row_offsets();
  auto row = static_cast<vertex_t>(std::ranges::upper_bound(offsets, first) - offsets.begin() - 1);
  for (Edge& edge : out) {
    while (offsets[row + std::size_t{1}] <= first) ++row;
    edge = {row, graph.columns()[first++]};
  }
}

// A part of the entries of a CSR in this process.
class CsrShare final : public EdgeShare {
 public:
  CsrShare(const CsrGraph& graph, const Member& member)
      : EdgeShare(graph.vertex_count(), graph.edge_count(), share_size(graph.edge_count(), member),
                  rules_of(graph.symmetric())),
        graph_(graph),
        begin_(share_begin(total(), member, member.index())),
        first_(share_begin(vertices(), member, member.index())),
        count_(share_size(vertices(), member)) {}

  void fill(std::uint64_t first, std::span<GlobalEdge> out) const override {
    std::vector<Edge> entries(out.size());
    read_entries(graph_, begin_ + first, entries);
    widen(entries, out);
  }
  [[nodiscard]] CsrEntries entries() const override { return {&graph_, begin_}; }
  [[nodiscard]] std::optional<InputEdges> input_edges() const override {
    if (graph_.input_edges().empty()) return InputEdges{first_, {}};
    return InputEdges{first_, graph_.input_edges().subspan(first_, count_)};
  }

 private:
  const CsrGraph& graph_;
  std::uint64_t begin_, first_, count_;
};

struct ScatteredFacts {
  Word vertices = 0;
  Word entries = 0;
  Word symmetric = 0;
};

// The same, received from the process that has the CSR.
class ScatteredShare final : public EdgeShare {
 public:
  ScatteredShare(const ScatteredFacts& facts, const Member& member)
      : EdgeShare(facts.vertices, facts.entries, share_size(facts.entries, member),
                  rules_of(facts.symmetric != 0)),
        first_(share_begin(facts.vertices, member, member.index())) {}

  // Collective; `graph` is null on all members but one.
  void scatter(const CsrGraph* graph, const Member& member) {
    constexpr std::uint64_t kPortion = std::uint64_t{1} << 20;  // entries to a member at once
    std::vector<std::vector<Edge>> lists(member.count());
    const std::uint64_t rounds = total() / member.count() / kPortion + 1;
    entries_.reserve(size());
    for (std::uint64_t round = 0; round < rounds; ++round) {
      for (unsigned to = 0; graph != nullptr && to < member.count(); ++to) {
        const std::uint64_t end = share_begin(total(), member, to + 1);
        const std::uint64_t from =
            std::min(end, share_begin(total(), member, to) + round * kPortion);
        lists[to].resize(std::min(end - from, kPortion));
        read_entries(*graph, from, lists[to]);
      }
      for (const Bytes list : member.all->all_to_all(as_lists(lists))) {
        const std::span<const Edge> got = values_of<Edge>(list);
        entries_.insert(entries_.end(), got.begin(), got.end());
      }
      member.all->barrier();
    }
    std::vector<Bytes> counts(member.count());
    for (unsigned to = 0; graph != nullptr && to < member.count(); ++to) {
      if (graph->input_edges().empty()) break;
      const std::uint64_t begin = share_begin(vertices(), member, to);
      const std::uint64_t end = share_begin(vertices(), member, to + 1);
      counts[to] = std::as_bytes(graph->input_edges().subspan(begin, end - begin));
    }
    for (const Bytes list : member.all->all_to_all(counts)) {
      const std::span<const std::uint32_t> got = values_of<std::uint32_t>(list);
      input_.insert(input_.end(), got.begin(), got.end());
    }
    member.all->barrier();
  }

  void fill(std::uint64_t first, std::span<GlobalEdge> out) const override {
    widen(std::span(entries_).subspan(first, out.size()), out);
  }
  [[nodiscard]] std::optional<InputEdges> input_edges() const override {
    return InputEdges{first_, input_};
  }
  [[nodiscard]] std::uint64_t bytes() const override {
    return entries_.size() * sizeof(Edge) + input_.size() * sizeof(std::uint32_t);
  }

 private:
  std::uint64_t first_;
  std::vector<Edge> entries_;
  std::vector<std::uint32_t> input_;
};

}  // namespace

void EdgeShare::for_each_batch(
    std::uint64_t first, std::uint64_t last,
    const std::function<void(std::span<const GlobalEdge>)>& visit) const {
  std::vector<GlobalEdge> batch(4096);
  for (; first < last; first += batch.size()) {
    const auto some = std::span(batch).first(std::min<std::uint64_t>(batch.size(), last - first));
    fill(first, some);
    visit(some);
  }
}

bool generated_in_parts(const std::string& recipe) {
  const GraphName name = GraphName::parse(recipe);
  return find_generator(name.kind) != nullptr && name.build.relabel == Relabel::none;
}

std::unique_ptr<EdgeShare> share_edges(const GraphSource& source, Member& member) {
  Communicator& all = *member.all;
  const Word none = member.ranks;
  const Word root = all.minimum(source.csr != nullptr ? member.rank : none);
  if (root == none) {
    if (!generated_in_parts(source.recipe)) {
      throw Unsupported(fmt::format(
          "{}: a graph without a CSR is made in parts by its generator, and keeps its ids",
          source.recipe));
    }
    const GraphName name = GraphName::parse(source.recipe);
    return std::make_unique<GeneratedShare>(find_generator(name.kind)->make(name), name.build,
                                            member);
  }
  if (member.ranks == 1) return std::make_unique<CsrShare>(*source.csr, member);
  const bool is_root = member.rank == root && member.gpu == 0;
  ScatteredFacts facts;
  if (is_root) {
    facts = {source.csr->vertex_count(), source.csr->edge_count(),
             source.csr->symmetric() ? Word{1} : Word{0}};
  }
  all.broadcast(std::as_writable_bytes(std::span(&facts, 1)), static_cast<unsigned>(root));
  auto share = std::make_unique<ScatteredShare>(facts, member);
  share->scatter(is_root ? source.csr : nullptr, member);
  return share;
}

}  // namespace bfslab::distributed
