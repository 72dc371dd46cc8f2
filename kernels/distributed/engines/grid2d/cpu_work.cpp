// SPDX-License-Identifier: Apache-2.0
// The local work of grid2d on one CPU thread: explore.hpp's ExploreFrontier(), and bitmaps in host
// memory.
#include <algorithm>
#include <bit>
#include <utility>

#include "kernels/bitmap.hpp"
#include "kernels/distributed/engines/grid2d/explore.hpp"
#include "kernels/distributed/engines/grid2d/local_work.hpp"

namespace bfslab::distributed::grid2d {
namespace {

template <typename Visit>
void for_each_vertex(std::span<const word_t> bits, const Visit& visit) {
  for (std::size_t w = 0; w < bits.size(); ++w) {
    for_each_bit(bits[w], [&](vertex_t bit) { visit(w * kWordBits + bit); });
  }
}

template <typename Offset>
class CpuWork final : public LocalWork {
 public:
  CpuWork(Block<Offset> block, VertexFacts facts, const Grid& grid, unsigned member,
          const WorkSettings& settings)
      : grid_(grid),
        member_(member),
        column_(member % grid.columns),
        answer_(settings.answer),
        each_level_(settings.each_level),
        block_(std::move(block)),
        facts_(std::move(facts)),
        in_(grid.column_size() / kWordBits),
        out_(grid.row_size() / kWordBits),
        visited_(grid.row_size() / kWordBits) {
    if (wants_levels(answer_)) levels_ = Buffer<level_t>(grid_.block);
    if (wants_parents(answer_)) {
      found_by_ = Buffer<local_t>(grid_.row_size());
      if (!one_column()) {
        parents_ = Buffer<vertex_t>(grid_.block);
        prefix_ = Buffer<word_t>(out_.size());
        if (!each_level_) assigned_ = Buffer<word_t>(out_.size());
        lists_.resize(grid_.columns);
      }
    }
    for (std::uint64_t v = 0; v < grid_.block; ++v) set(v, kUnreached, kNoVertex);
  }

  void reset(const Start& start) override {
    for (Buffer<word_t>* bits : {&in_, &visited_, &assigned_}) std::ranges::fill(*bits, word_t{0});
    // finish() does not see a source that no edge enters.
    if (last_source_) set(*last_source_, kUnreached, kNoVertex);
    last_source_ = start.owned;
    if (start.in_row) claim_alone(visited_.data(), *start.in_row);
    if (start.in_column) claim_alone(in_.data(), *start.in_column);
    if (start.owned) set(*start.owned, 0, start.source);
  }

  void explore(bool bottom_up, bool /*counts_checked*/) override {
    const auto run = [&]<bool Parents>() {
      if (bottom_up) {
        return explore_bottom_up<Parents>(block_.csc(), block_.first(), facts_.without_row.span(),
                                          in_.data(), visited_.span(), out_.span(),
                                          found_by_.span());
      }
      return explore_top_down<Parents>(block_.csr(), in_.span(), visited_.span(), out_.span(),
                                       found_by_.span());
    };
    counts_.checked =
        wants_parents(answer_) ? run.template operator()<true>() : run.template operator()<false>();
  }

  std::span<Word> in() override { return in_.span(); }
  std::span<Word> out() override { return out_.span(); }

  std::span<Word> begin_scan() override {
    std::ranges::copy(out_, prefix_.begin());
    return prefix_.span();
  }

  void end_scan() override {
    for (std::size_t w = 0; w < out_.size(); ++w) {
      const word_t assigned = out_[w] & ~prefix_[w];
      out_[w] |= prefix_[w];
      prefix_[w] = assigned;
      if (!each_level_) assigned_[w] |= assigned;
    }
  }

  std::vector<Bytes> predecessors() override {
    const Buffer<word_t>& which = each_level_ ? prefix_ : assigned_;
    const std::size_t words = grid_.block / kWordBits;
    std::uint64_t bytes = 0;
    for (unsigned k = 0; k < grid_.columns; ++k) {
      lists_[k].clear();
      for (std::size_t w = 0; w < words; ++w) {
        for_each_bit(which[k * words + w], [&](vertex_t bit) {
          const auto vertex = static_cast<local_t>(w * kWordBits + bit);
          const local_t tail = found_by_[k * grid_.block + vertex];
          lists_[k].push_back({vertex, static_cast<vertex_t>(grid_.column_vertex(column_, tail))});
        });
      }
      bytes += lists_[k].capacity() * sizeof(Predecessor);
    }
    list_bytes_ = std::max(list_bytes_, bytes);
    return as_lists(lists_);
  }

  void take_predecessors(Bytes list) override {
    for (const auto [vertex, parent] : values_of<Predecessor>(list)) parents_[vertex] = parent;
  }

  void update(level_t level, bool counts_edges) override {
    for (std::size_t w = 0; w < out_.size(); ++w) visited_[w] |= out_[w];
    const std::span<const word_t> owned = own(out_);
    counts_.vertices = counts_.edges = 0;
    for (const word_t word : owned) counts_.vertices += static_cast<Word>(std::popcount(word));
    if (counts_edges) counts_.edges = edges_of(owned);
    if (wants_levels(answer_)) {
      for_each_vertex(owned, [&](std::size_t v) { levels_[v] = level + 1; });
    }
  }

  Counts counts() override { return counts_; }
  void make_out_in() override { std::swap(in_, out_); }

  Word source_edges(local_t owned) override { return facts_.degrees[owned]; }
  Word frontier_edges() override { return edges_of(own(grid_.members() == 1 ? in_ : out_)); }
  [[nodiscard]] Word reached_entries() const override { return edges_of(own(visited_)); }

  // Erases entries of the previous search that this one did not reach: reset() clears no answer.
  void finish() override {
    const std::span<const word_t> owned = own(visited_);
    for (std::size_t w = 0; w < owned.size(); ++w) {
      for_each_bit(facts_.enterable[w] & ~owned[w],
                   [&](vertex_t bit) { set(w * kWordBits + bit, kUnreached, kNoVertex); });
    }
  }

  [[nodiscard]] AnswerPart answer() const override {
    return {
        .ids = grid_.ownership().ids(member_),
        .levels = wants_levels(answer_) ? levels_.data() : nullptr,
        .parents = wants_parents(answer_) ? (one_column() ? found_by_ : parents_).data() : nullptr};
  }

  [[nodiscard]] MemoryUse memory() const override {
    return {.graph = block_.csr_bytes() + block_.csc_bytes() + facts_.bytes(),
            .status = visited_.bytes() + levels_.bytes() + parents_.bytes() + found_by_.bytes(),
            .queues = in_.bytes() + out_.bytes() + prefix_.bytes() + assigned_.bytes(),
            .scratch = list_bytes_};
  }

 private:
  [[nodiscard]] bool one_column() const { return grid_.columns == 1; }
  // Returns the piece that this member owns, of a bitmap of the row's range.
  [[nodiscard]] std::span<const word_t> own(const Buffer<word_t>& bits) const {
    const std::size_t words = grid_.block / kWordBits;
    return bits.span().subspan(column_ * words, words);
  }
  [[nodiscard]] Word edges_of(std::span<const word_t> owned) const {
    Word edges = 0;
    for_each_vertex(owned, [&](std::size_t v) { edges += facts_.degrees[v]; });
    return edges;
  }
  void set(std::uint64_t owned, level_t level, vertex_t parent) {
    if (wants_levels(answer_)) levels_[owned] = level;
    if (wants_parents(answer_)) (one_column() ? found_by_ : parents_)[owned] = parent;
  }

  Grid grid_;
  unsigned member_, column_;
  Answer answer_;
  bool each_level_;

  Block<Offset> block_;
  VertexFacts facts_;
  Buffer<word_t> in_;                                 // the column's range
  Buffer<word_t> out_, visited_, prefix_, assigned_;  // the row's range
  // [row_size] the tail of each vertex that this member found. In a grid of one column these are
  // the parents: the number of a tail is its id, and a member finds only vertices that it owns.
  Buffer<local_t> found_by_;
  Buffer<level_t> levels_;                       // [block]
  Buffer<vertex_t> parents_;                     // [block]
  std::vector<std::vector<Predecessor>> lists_;  // [columns]
  std::uint64_t list_bytes_ = 0;                 // maximum size of `lists_` so far
  std::optional<local_t> last_source_;           // if this member owned it
  Counts counts_;
};

template <typename Offset>
BlockWork block_of(std::vector<LocalEdge> edges, const BlockPlan& plan) {
  const auto block = std::make_shared<Block<Offset>>(std::move(edges), plan);
  return {block->leaving(),
          block->entering(),
          {block->entries(), block->csr_bytes(), block->csc_bytes()},
          [block, grid = plan.grid](VertexFacts facts, unsigned member,
                                    const WorkSettings& settings) -> std::unique_ptr<LocalWork> {
            return std::make_unique<CpuWork<Offset>>(std::move(*block), std::move(facts), grid,
                                                     member, settings);
          }};
}

}  // namespace

BlockWork make_cpu_block(std::vector<LocalEdge> edges, const BlockPlan& plan) {
  return plan.wide_for(edges.size()) ? block_of<std::uint64_t>(std::move(edges), plan)
                                     : block_of<std::uint32_t>(std::move(edges), plan);
}

}  // namespace bfslab::distributed::grid2d
