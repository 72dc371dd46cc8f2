// SPDX-License-Identifier: Apache-2.0
// `in-parts`: a plain breadth-first search that reports its levels and answers as an engine of
// several ranks with two GPUs each does, or as a persistent kernel does, and breaks that contract
// on request. Linked into bfslab-faulty only, for the driver's tests.
#include <memory>
#include <string>
#include <vector>

#include "kernels/engine.hpp"

namespace bfslab {

namespace {

constexpr unsigned kGpusPerRank = 2;

class InParts final : public Engine {
 public:
  explicit InParts(const EngineSettings& settings)
      : answer_(settings.answer),
        owners_(static_cast<std::size_t>(settings.toggles.integer("owners"))),
        ownership_(settings.toggles.choice("ownership")),
        tells_(settings.toggles.choice("tells")),
        wrong_part_(settings.toggles.integer("wrong_part")) {}

  void load(const GraphSource& source) override {
    graph_ = source.csr;
    const std::uint64_t n = graph_->vertex_count();
    parts_.assign(owners_, {});
    owner_.assign(n, 0);
    for (std::size_t o = 0; o < owners_; ++o) {
      PartIds ids = PartIds::round_robin(o, owners_, n);
      if (ownership_ == "ranges") {
        ids = PartIds::range(o * n / owners_, (o + 1) * n / owners_ - o * n / owners_);
      }
      if (ownership_ == "listed") {
        for (std::uint64_t i = ids.count; i-- > 0;) parts_[o].list.push_back(ids[i]);
        ids = PartIds::listed(parts_[o].list.data(), ids.count);
      }
      parts_[o].ids = ids;
      for (std::uint64_t i = 0; i < ids.count; ++i) owner_[ids[i]] = o;
    }
  }

  void traverse(vertex_t source, LevelSink* sink) override {
    search(source);
    for (std::size_t o = 0; o < owners_; ++o) {
      Part& part = parts_[o];
      part.levels.clear();
      part.parents.clear();
      for (std::uint64_t i = 0; i < part.ids.count; ++i) {
        part.levels.push_back(levels_[part.ids[i]]);
        part.parents.push_back(parents_[part.ids[i]]);
      }
      if (wrong_part_ == static_cast<std::int64_t>(o) && !part.levels.empty()) {
        part.levels.back() = graph_->vertex_count() - 1;
      }
    }
    if (sink != nullptr) tell(*sink);
  }

  [[nodiscard]] AnswerView answer() const override {
    AnswerView view{.vertex_count = graph_->vertex_count(), .parts = {}};
    for (std::size_t o = 0; o < owners_; ++o) {
      const Part& part = parts_[o];
      view.parts.push_back({.ids = part.ids,
                            .rank = rank_of(o),
                            .levels = wants_levels(answer_) ? part.levels.data() : nullptr,
                            .parents = wants_parents(answer_) ? part.parents.data() : nullptr});
    }
    if (ownership_ == "missing") --view.parts.back().ids.count;
    if (ownership_ == "overlapping") view.parts.back().ids.first = 0;
    if (ownership_ == "no_levels") view.parts.back().levels = nullptr;
    return view;
  }

  [[nodiscard]] MemoryUse memory() const override {
    return {0, (levels_.size() + parents_.size()) * 8, 0, 0};
  }

 private:
  struct Part {
    PartIds ids;
    std::vector<std::uint64_t> list;
    std::vector<level_t> levels;
    std::vector<vertex_t> parents;
  };

  static unsigned rank_of(std::size_t owner) { return static_cast<unsigned>(owner) / kGpusPerRank; }

  void search(vertex_t source) {
    levels_.assign(graph_->vertex_count(), kUnreached);
    parents_.assign(graph_->vertex_count(), kNoVertex);
    frontiers_.assign(1, {source});
    levels_[source] = 0;
    parents_[source] = source;
    while (true) {
      std::vector<vertex_t> next;
      for (const vertex_t v : frontiers_.back()) {
        for (const vertex_t u : graph_->neighbors(v)) {
          if (levels_[u] != kUnreached) continue;
          levels_[u] = static_cast<level_t>(frontiers_.size());
          parents_[u] = v;
          next.push_back(u);
        }
      }
      if (next.empty()) break;
      frontiers_.push_back(std::move(next));
    }
  }

  // One owner's share of a level. It finds what lies in its own part, and sends 4 bytes for each
  // vertex that it found in another's.
  [[nodiscard]] LevelReport share(level_t level, std::size_t owner, bool counts) const {
    LevelReport report{.start = {level, Direction::top_down, "made_up", 0}};
    LevelFacts& facts = report.facts;
    std::uint64_t edges = 0;
    std::uint64_t found = 0;
    for (const vertex_t v : frontiers_[level]) {
      if (owner_[v] != owner) continue;
      ++report.start.frontier_vertices;
      edges += graph_->degree(v);
    }
    if (level + 1 < frontiers_.size()) {
      for (const vertex_t u : frontiers_[level + std::size_t{1}]) {
        found += owner_[u] == owner ? 1 : 0;
        if (owner_[u] != owner && owner_[parents_[u]] == owner) facts.bytes_sent += 4;
      }
    }
    facts.frontier_edges = edges;
    if (counts && tells_ != "uncounted") facts.edges_checked = edges;
    facts.found_vertices = found;
    std::uint64_t unvisited = 0;
    for (vertex_t v = 0; v < graph_->vertex_count(); ++v) {
      unvisited += owner_[v] == owner && levels_[v] > level ? 1 : 0;
    }
    facts.unvisited_vertices = unvisited;
    facts.time_ms = 0.5 * level + 0.125 * static_cast<double>(owner);
    facts.clock = Clock::device_timer;
    report.rank = rank_of(owner);
    report.gpu = static_cast<unsigned>(owner) % kGpusPerRank;
    return report;
  }

  void tell(LevelSink& sink) const {
    const bool live = (sink.live() || tells_ == "live") && tells_ != "never_live";
    for (std::size_t i = 0; i < frontiers_.size(); ++i) {
      const auto level =
          static_cast<level_t>(tells_ == "backwards" ? frontiers_.size() - 1 - i : i);
      if (live) sink.begin({level, Direction::top_down, "made_up", frontiers_[level].size()});
      for (std::size_t o = 0; o < owners_; ++o) sink.report(share(level, o, sink.counts()));
      if (tells_ == "twice") sink.report(share(level, 0, sink.counts()));
      if (live) sink.end({});
    }
  }

  Answer answer_;
  std::size_t owners_;
  std::string ownership_;
  std::string tells_;
  std::int64_t wrong_part_;
  const CsrGraph* graph_ = nullptr;
  std::vector<Part> parts_;
  std::vector<std::size_t> owner_;  // [n]
  std::vector<level_t> levels_;
  std::vector<vertex_t> parents_;
  std::vector<std::vector<vertex_t>> frontiers_;
};

const RegisterEngine registration{
    {.name = "in-parts",
     .paper = "",
     .section = "",
     .summary = "Tells levels and answers in parts: for the tests of the driver.",
     .can = {},
     .toggles = {Toggle::integer("owners", 4, 1, 8, "Parts, two to a rank"),
                 Toggle::choice(
                     "ownership", "round_robin",
                     {"round_robin", "ranges", "listed", "missing", "overlapping", "no_levels"},
                     "Whose vertices are whose, and what is wrong with it"),
                 Toggle::choice(
                     "tells", "afterwards",
                     {"afterwards", "live", "uncounted", "twice", "backwards", "never_live"},
                     "How it tells its levels, and what is wrong with it"),
                 Toggle::integer("wrong_part", -1, -1, 7, "Whose last vertex has a wrong level")},
     .estimate =
         [](const GraphFacts& graph, const Toggles&, Answer) {
           return Estimate{16.0 * static_cast<double>(graph.vertices),
                           1e-8 * static_cast<double>(graph.edges)};
         },
     .make = [](const EngineSettings& settings) -> std::unique_ptr<Engine> {
       return std::make_unique<InParts>(settings);
     }}};

}  // namespace

}  // namespace bfslab
