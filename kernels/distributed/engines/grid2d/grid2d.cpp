// grid2d: BFS over a 2D partition of the adjacency matrix, with bitmaps for queues (graph500-romeo,
// sections 3.4.1 to 3.4.5; the search is its Algorithm 3, after Checconi et al., SC 2012).
//
// Member (i, j) of an R x C grid stores the edges from its column's vertices to its row's
// (grid.hpp), as CSR for top-down and as CSC for bottom-up levels. The members of a column have the
// same In, those of a row make the same Out. A level is:
//
//   explore          Out from In and Vis, by CSR or CSC (explore.hpp), and a parent for each vertex
//   row_scan         lines 12 to 20: the finds of the members to the left. What is in Out and not
//                    among them is `assigned`: this member's parent counts.
//   row_broadcast    line 21: the union of the row's Out, which the last member of the row has
//   predecessors     line 22, WritePred(): the parents of what is assigned go to the owners, which
//                    are in the same row; in each level or at the end
//   update           line 23, and the levels of the vertices that this member owns, which every
//                    member of the row knows without being told
//   column_exchange  line 24: the next In
//   reduction        line 8, and the sums that a direction rule needs; it is under way while
//                    columns exchange
//
// Without parents nobody need know who found a vertex: the scan is left out, and row_union, a
// reduction, replaces scan and broadcast. Where the grid has one column, rows have nothing to say.
//
// Cost, for n vertices and m entries on R x C members: explore.hpp's, and in every level, however
// small, n / R bits three times along a row and n / C bits along a column. A parent is sent once,
// in 8 bytes. Memory is 8 m / (R C) bytes of edges (4 where a block is symmetric or only one
// direction is used), offsets of n / R + n / C rows and as many vertices of bitmaps. It wins where
// levels are few and large: each member talks to R + C - 2 others and not to R C - 1. It loses on
// deep graphs, whose levels are smaller than their bitmaps, and to a finer partition where C is
// large: bottom-up, C members look for the same vertex's parent, and none knows when another has
// found it.
//
// Of a symmetric graph's blocks only those on the diagonal of a square grid are symmetric
// themselves; there the CSR is the CSC, and held once. Every other block needs both.
//
// Deviations from the paper:
//   * Line 24 transposes, which needs a square grid (docs/errata.md#graph500-romeo-grid). On others
//     the columns' ranges are chosen so that a column's members own them, and gather Out there.
//   * Line 1 starts Vis as In, of another range: here it is the source, where it is in the row's.
//   * Line 8 asks whether all Out are empty before the row's phases; here it is asked after them,
//     when each find is counted once, and a search makes one more row_scan.
//   * Lines 15 to 19 pass the prefix from neighbour to neighbour; here the communicator scans.
//   * Algorithm 4 is explore.hpp's on a thread (docs/errata.md#graph500-romeo-exploration).

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernels/direction_rule.hpp"
#include "kernels/distributed/engines/distributed_engine.hpp"
#include "kernels/distributed/engines/grid2d/block.hpp"
#include "kernels/distributed/engines/grid2d/explore.hpp"
#include "kernels/distributed/engines/grid2d/grid.hpp"
#include "kernels/distributed/engines/grid2d/rows.hpp"
#include "kernels/unsupported.hpp"

namespace bfslab::distributed::grid2d {
namespace {

constexpr std::uint64_t kLocalVertices = std::uint64_t{1} << 32;

// Throws Unsupported where the members make no such grid or it is too small for the graph.
Grid choose_grid(const Member& member, const EdgeShare& share, const EngineSettings& settings) {
  const unsigned members = member.count();
  auto rows = static_cast<unsigned>(settings.toggles.integer("rows"));
  if (rows == 0) rows = Grid::fitting_rows(members);
  if (members % rows != 0) {
    throw Unsupported(fmt::format(
        "grid2d: {} members make no grid of {} rows: choose a divisor of {} for 'rows', or 0",
        members, rows, members));
  }
  const Grid grid(share.vertices(), rows, members / rows);
  if (std::max(grid.row_size(), grid.column_size()) > kLocalVertices) {
    throw Unsupported(fmt::format(
        "grid2d: a row or column of {} x {} members has more than 2^32 of the {} vertices: take "
        "more members",
        grid.rows, grid.columns, grid.vertices));
  }
  if (wants_parents(settings.answer) && grid.vertices > kNoVertex) {
    throw Unsupported(
        fmt::format("grid2d: parents are 32-bit ids, and there are {} vertices", grid.vertices));
  }
  return grid;
}

class Stopwatch {
 public:
  [[nodiscard]] double ms() const {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin_)
        .count();
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

template <typename Visit>
void for_each_vertex(std::span<const word_t> bits, const Visit& visit) {
  for (std::size_t w = 0; w < bits.size(); ++w) {
    for_each_bit(bits[w], [&](vertex_t bit) { visit(w * kWordBits + bit); });
  }
}

// A parent on its way to the owner of its child, where the child has this number.
struct Predecessor {
  local_t vertex;
  vertex_t parent;
};

template <typename Offset>
class Search final : public MemberSearch {
 public:
  // Collective.
  Search(Member& member, const EngineSettings& settings, const Grid& grid, const EdgeRules& rules,
         std::vector<LocalEdge> edges);

  void search(global_vertex_t source, MemberLog* log) override;

  [[nodiscard]] AnswerPart answer() const override {
    return {
        .ids = ownership().ids(all_.index()),
        .rank = rank_,
        .levels = wants_levels(answer_) ? levels_.data() : nullptr,
        .parents = wants_parents(answer_) ? (one_column() ? found_by_ : parents_).data() : nullptr};
  }
  [[nodiscard]] Ownership ownership() const override { return grid_.ownership(); }
  // Counted where the tail is owned.
  [[nodiscard]] std::uint64_t reached_entries() const override { return edges_of(own(visited_)); }
  [[nodiscard]] MemoryUse memory() const override {
    return {.graph = block_.csr_bytes() + block_.csc_bytes() + degrees_.size() * sizeof(Word) +
                     without_row_.bytes() + enterable_.bytes(),
            .status = visited_.bytes() + levels_.bytes() + parents_.bytes() + found_by_.bytes(),
            .queues = in_.bytes() + out_.bytes() + prefix_.bytes() + assigned_.bytes(),
            .scratch = list_bytes_};
  }
  void describe(MemberLog& log) const override;

 private:
  // Of the vertices that this member owns: those that a level found, and their edges.
  struct Found {
    Word vertices = 0;
    Word edges = 0;
  };

  void reset(global_vertex_t source);
  std::uint64_t explore(bool bottom_up);
  void join_row(level_t level, MemberLog* log);
  void send_predecessors(const Buffer<word_t>& which);
  [[nodiscard]] bool choose(bool is_bottom_up, const DirectionState& at) const {
    return direction_ == "hybrid" ? rule_.bottom_up(is_bottom_up, at) : direction_ == "bottom_up";
  }
  Found update(level_t level, bool counts_edges);
  void exchange_columns();
  void erase_unreached();
  template <typename Work>
  void phase(MemberLog* log, level_t level, const char* name, const Work& work) const;

  [[nodiscard]] bool one_column() const { return grid_.columns == 1; }
  [[nodiscard]] bool owns(global_vertex_t v) const { return ownership().owner(v) == all_.index(); }
  // The piece that this member owns, in a bitmap of the row's range.
  [[nodiscard]] std::span<const word_t> own(const Buffer<word_t>& bits) const {
    const std::size_t words = grid_.block / kWordBits;
    return bits.span().subspan(column_ * words, words);
  }
  // The last level's finds among them. A member on its own has made its Out its In.
  [[nodiscard]] std::span<const word_t> own_frontier() const {
    return own(grid_.members() == 1 ? in_ : out_);
  }
  [[nodiscard]] Word edges_of(std::span<const word_t> owned) const {
    Word edges = 0;
    for_each_vertex(owned, [&](std::size_t v) { edges += degrees_[v]; });
    return edges;
  }
  void set(std::uint64_t owned, level_t level, vertex_t parent) {
    if (wants_levels(answer_)) levels_[owned] = level;
    if (wants_parents(answer_)) (one_column() ? found_by_ : parents_)[owned] = parent;
  }
  [[nodiscard]] std::uint64_t sent() const {
    return all_.bytes_sent() + in_row_->bytes_sent() + in_column_->bytes_sent();
  }

  Communicator& all_;
  unsigned rank_;
  Grid grid_;
  unsigned row_, column_;
  std::unique_ptr<Communicator> in_row_, in_column_;
  Answer answer_;
  std::string direction_;
  bool each_level_;
  DirectionRule rule_;

  Block<Offset> block_;
  std::vector<Word> degrees_;   // [block] out-degrees in the whole graph, of owned vertices
  Buffer<word_t> without_row_;  // of the row's range: no edge of this block enters
  Buffer<word_t> enterable_;    // of owned vertices: some edge of the graph enters
  Buffer<word_t> in_;           // of the column's range
  Buffer<word_t> out_, visited_, prefix_, assigned_;  // of the row's range
  // [row_size] the tail, where this member found a vertex. In a grid of one column these are the
  // parents: tails' numbers are their ids, and a member finds only what it owns.
  Buffer<local_t> found_by_;
  Buffer<level_t> levels_;                       // [block]
  Buffer<vertex_t> parents_;                     // [block]
  std::vector<std::vector<Predecessor>> lists_;  // [columns]
  std::uint64_t list_bytes_ = 0;                 // the most that these have held
  std::optional<global_vertex_t> last_source_;
};

template <typename Offset>
Search<Offset>::Search(Member& member, const EngineSettings& settings, const Grid& grid,
                       const EdgeRules& rules, std::vector<LocalEdge> edges)
    : all_(*member.all),
      rank_(member.rank),
      grid_(grid),
      row_(member.index() / grid.columns),
      column_(member.index() % grid.columns),
      in_row_(member.all->split(row_, column_)),
      in_column_(member.all->split(column_, row_)),
      answer_(settings.answer),
      direction_(settings.toggles.choice("direction")),
      each_level_(settings.toggles.choice("predecessors") == "each_level"),
      rule_(settings.toggles),
      block_(std::move(edges), grid, row_, column_, rules, direction_ != "bottom_up",
             direction_ != "top_down"),
      in_(grid.column_size() / kWordBits),
      out_(grid.row_size() / kWordBits),
      visited_(grid.row_size() / kWordBits) {
  const std::vector<local_t> entering = block_.entering();
  without_row_ = bits_where(entering, true);
  degrees_ = sum_at_owners(all_, grid_, block_.leaving(),
                           [&](unsigned k) { return grid_.column_piece(column_, k); });
  const std::vector<Word> in_degrees =
      sum_at_owners(all_, grid_, entering, [&](unsigned k) { return grid_.row_piece(row_, k); });
  enterable_ = bits_where(in_degrees, false);
  RowLengths incoming;
  const std::uint64_t owned = ownership().count(all_.index());
  for (std::uint64_t v = 0; v < owned; ++v) incoming.add(in_degrees[v]);
  all_.all_reduce(incoming.rows, Reduction::sum);
  all_.all_reduce(incoming.entries, Reduction::sum);
  rule_.set_graph(incoming);

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

// Runs `work`; a log learns how long it took, and what it sent.
template <typename Offset>
template <typename Work>
void Search<Offset>::phase(MemberLog* log, level_t level, const char* name,
                           const Work& work) const {
  if (log == nullptr) return work();
  const std::uint64_t sent_before = sent();
  const Stopwatch watch;
  work();
  log->add(MemberMeasure("phase", name, watch.ms(), "ms", level));
  const std::uint64_t bytes = sent() - sent_before;
  if (bytes > 0) log->add(MemberMeasure("phase", name, static_cast<double>(bytes), "B", level));
}

template <typename Offset>
void Search<Offset>::search(global_vertex_t source, MemberLog* log) {
  reset(source);
  Found found{1, degrees_[ownership().local(source)]};  // of the frontier
  if (!owns(source)) found = {};
  Word unvisited = ownership().count(all_.index()) - found.vertices;
  DirectionState at{
      .edges = all_.sum(found.edges), .unexplored = rule_.edges(), .candidates = rule_.enterable()};
  bool bottom_up = false;
  for (level_t level = 0; at.frontier > 0; ++level) {
    const bool was_bottom_up = std::exchange(bottom_up, choose(bottom_up, at));
    if (was_bottom_up && !bottom_up) at.edges = all_.sum(edges_of(own_frontier()));
    const Stopwatch watch;
    const std::uint64_t sent_before = sent();
    const char* const technique = bottom_up ? "csc" : "csr";
    MemberLevel facts(level, bottom_up ? Direction::bottom_up : Direction::top_down, technique,
                      "all");
    facts.frontier_vertices = found.vertices;
    facts.frontier_edges = found.edges;
    facts.unvisited_vertices = unvisited;
    if (log != nullptr) log->begin_level(level, facts.direction, technique, at.frontier);

    phase(log, level, "explore", [&] { facts.edges_checked = explore(bottom_up); });
    if (log != nullptr) phase(log, level, "wait", [&] { all_.barrier(); });
    if (!one_column()) join_row(level, log);
    const bool counts_edges = log != nullptr || !bottom_up || rule_.needs_edges();
    phase(log, level, "update", [&] { found = update(level, counts_edges); });
    std::array<Word, 2> sums{found.vertices, found.edges};
    all_.begin_all_reduce(sums, Reduction::sum);
    phase(log, level, "column_exchange", [&] { exchange_columns(); });
    phase(log, level, "reduction", [&] { all_.finish_all_reduce(); });
    at.advance(bottom_up, sums[0], sums[1]);
    unvisited -= found.vertices;

    if (log == nullptr) continue;
    facts.found_vertices = found.vertices;
    facts.bytes_sent = sent() - sent_before;
    facts.time_ms = watch.ms();
    log->add(facts);
    log->end_level();
  }
  const level_t whole = kUnreached;  // of the search
  if (wants_parents(answer_) && !one_column() && !each_level_) {
    phase(log, whole, "predecessors", [&] { send_predecessors(assigned_); });
  }
  erase_unreached();
}

template <typename Offset>
void Search<Offset>::reset(global_vertex_t source) {
  for (Buffer<word_t>* bits : {&in_, &visited_, &assigned_}) std::ranges::fill(*bits, word_t{0});
  const Ownership owners = ownership();
  // A source that no edge enters is not among those that erase_unreached() sees.
  if (last_source_ && owns(*last_source_)) set(owners.local(*last_source_), kUnreached, kNoVertex);
  last_source_ = source;
  const Grid::Place at = grid_.place(source);
  if (at.row == row_) claim_alone(visited_.data(), at.in_row);
  if (at.column == column_) claim_alone(in_.data(), at.in_column);
  if (owns(source)) set(owners.local(source), 0, static_cast<vertex_t>(source));
}

template <typename Offset>
std::uint64_t Search<Offset>::explore(bool bottom_up) {
  const auto run = [&]<bool Parents>() {
    if (bottom_up) {
      return explore_bottom_up<Parents>(block_.csc(), block_.first(), without_row_.span(),
                                        in_.data(), visited_.span(), out_.span(), found_by_.span());
    }
    return explore_top_down<Parents>(block_.csr(), in_.span(), visited_.span(), out_.span(),
                                     found_by_.span());
  };
  return wants_parents(answer_) ? run.template operator()<true>()
                                : run.template operator()<false>();
}

// Out of the whole row, and whose parents count.
template <typename Offset>
void Search<Offset>::join_row(level_t level, MemberLog* log) {
  if (!wants_parents(answer_)) {
    phase(log, level, "row_union", [&] { in_row_->all_reduce(out_.span(), Reduction::bit_or); });
    return;
  }
  phase(log, level, "row_scan", [&] {
    std::ranges::copy(out_, prefix_.begin());
    in_row_->exclusive_scan(prefix_.span(), Reduction::bit_or);
  });
  for (std::size_t w = 0; w < out_.size(); ++w) {
    const word_t assigned = out_[w] & ~prefix_[w];
    out_[w] |= prefix_[w];
    prefix_[w] = assigned;
    if (!each_level_) assigned_[w] |= assigned;
  }
  phase(log, level, "row_broadcast",
        [&] { in_row_->broadcast(std::as_writable_bytes(out_.span()), grid_.columns - 1); });
  if (each_level_) phase(log, level, "predecessors", [&] { send_predecessors(prefix_); });
}

// Collective in the row. `which`: of what this member found.
template <typename Offset>
void Search<Offset>::send_predecessors(const Buffer<word_t>& which) {
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
  for (const Bytes list : in_row_->all_to_all(as_lists(lists_))) {
    for (const auto [vertex, parent] : values_of<Predecessor>(list)) parents_[vertex] = parent;
  }
}

// Takes in what the row found.
template <typename Offset>
auto Search<Offset>::update(level_t level, bool counts_edges) -> Found {
  for (std::size_t w = 0; w < out_.size(); ++w) visited_[w] |= out_[w];
  Found found;
  const std::span<const word_t> mine = own(out_);
  for (const word_t word : mine) found.vertices += static_cast<Word>(std::popcount(word));
  if (counts_edges) found.edges = edges_of(mine);
  if (wants_levels(answer_)) {
    for_each_vertex(mine, [&](std::size_t v) { levels_[v] = level + 1; });
  }
  return found;
}

// Line 24.
template <typename Offset>
void Search<Offset>::exchange_columns() {
  if (grid_.members() == 1) return std::swap(in_, out_);
  const std::span<std::byte> in = std::as_writable_bytes(in_.span());
  if (!grid_.square()) return in_column_->all_gather(std::as_bytes(own(out_)), in);
  const unsigned partner = column_ * grid_.columns + row_;
  all_.exchange(partner, std::as_bytes(out_.span()), partner, in);
}

// The answer is never cleared: what the last search reached and this one did not is erased here.
template <typename Offset>
void Search<Offset>::erase_unreached() {
  const std::span<const word_t> mine = own(visited_);
  for (std::size_t w = 0; w < mine.size(); ++w) {
    const word_t erased = enterable_[w] & ~mine[w];
    for_each_bit(erased, [&](vertex_t bit) { set(w * kWordBits + bit, kUnreached, kNoVertex); });
  }
}

template <typename Offset>
void Search<Offset>::describe(MemberLog& log) const {
  const auto note = [&](const char* metric, std::uint64_t value, const char* unit = "1") {
    log.add(MemberMeasure("block", metric, static_cast<double>(value), unit));
  };
  note("grid_rows", grid_.rows);
  note("grid_columns", grid_.columns);
  note("entries", block_.entries());
  note("csr_bytes", block_.csr_bytes(), "B");
  note("csc_bytes", block_.csc_bytes(), "B");
}

std::unique_ptr<MemberSearch> make_search(Member& member, const EdgeShare& share,
                                          const EngineSettings& settings) {
  const Grid grid = choose_grid(member, share, settings);
  std::vector<LocalEdge> edges = edges_of_block(member, share, grid);
  const bool wide = settings.toggles.choice("offsets") == "wide" ||
                    edges.size() > std::numeric_limits<std::uint32_t>::max();
  const auto make = [&]<typename Offset>() -> std::unique_ptr<MemberSearch> {
    return std::make_unique<Search<Offset>>(member, settings, grid, share.rules(),
                                            std::move(edges));
  };
  return wide ? make.template operator()<std::uint64_t>()
              : make.template operator()<std::uint32_t>();
}

std::vector<Toggle> toggles() {
  std::vector<Toggle> table{
      Toggle::integer("rows", 0, 0, 4096,
                      "Rows of the grid of members, a divisor of their number; 0: as near to a "
                      "square as there is, and not fewer than columns",
                      "graph500-romeo 3.4.2"),
      Toggle::choice("direction", "hybrid", {"top_down", "bottom_up", "hybrid"},
                     "By the CSR, by the CSC, or by what the rule decides at each level",
                     "graph500-romeo 3.4.3"),
      Toggle::choice("predecessors", "at_end", {"each_level", "at_end"},
                     "When parents are sent to their owners: less memory, or fewer messages",
                     "graph500-romeo 3.4.2"),
      Toggle::choice(
          "offsets", "automatic", {"automatic", "wide"},
          "Width of the offsets of CSR and CSC: as the number of edges of a block needs, "
          "or 64 bits always"),
  };
  for (Toggle& toggle : DirectionRule::toggles()) {
    toggle.legal_with.push_back({"direction", {"hybrid"}, "only a hybrid search has a rule"});
    table.push_back(std::move(toggle));
  }
  return table;
}

// Of all members together, without what rounds pieces up to whole words.
Estimate estimate(const GraphFacts& facts, const Toggles& toggles, Answer answer) {
  auto rows = static_cast<unsigned>(toggles.integer("rows"));
  if (rows == 0 || facts.members % rows != 0) rows = Grid::fitting_rows(facts.members);
  const unsigned columns = facts.members / rows;
  const auto n = static_cast<double>(facts.vertices);
  const auto m = static_cast<double>(facts.edges);
  const bool both = toggles.choice("direction") == "hybrid";
  const bool parents = wants_parents(answer);
  const bool joins = parents && columns > 1;
  const double offset = toggles.choice("offsets") == "wide" ? 8 : 4;
  // A row's range is held by each of its members, a column's likewise. Of a symmetric graph the
  // blocks on the diagonal are held once.
  const double in_rows = n * columns;
  const double in_columns = n * rows;
  const double diagonal = facts.symmetric && columns == rows ? 1.0 / columns : 0;
  double bytes = n * (8 + 1 / 8.0 + (wants_levels(answer) ? 4 : 0));  // degrees, enterable
  if (both || toggles.choice("direction") == "top_down") bytes += 4 * m + offset * in_columns;
  if (toggles.choice("direction") == "bottom_up") bytes += 4 * m + offset * in_rows;
  if (both) bytes += (4 * m + offset * in_rows) * (1 - diagonal);
  if (toggles.choice("direction") != "top_down") bytes += 4 * in_rows;  // first entries
  bytes += (in_columns + 3 * in_rows) / 8;  // in; out, visited, without_row
  if (parents) bytes += 4 * in_rows + (joins ? 4 * n : 0);
  if (joins) bytes += in_rows / 8 * (toggles.choice("predecessors") == "at_end" ? 2 : 1);
  return {.bytes = bytes, .seconds = 1e-4 + (n * columns * 4e-9 + m * 2e-10) / facts.members};
}

const RegisterEngine registration{{
    .name = "grid2d",
    .paper = "graph500-romeo",
    .section = "3.4",
    .summary = "A 2D partition of the adjacency matrix over several members, with bitmaps for "
               "queues, direction-optimising",
    .can = {.recipe = true, .distributed = true},
    .toggles = toggles(),
    .estimate = estimate,
    .make = [](const EngineSettings& settings) -> std::unique_ptr<Engine> {
      return std::make_unique<DistributedEngine>(settings, make_search);
    },
    .may_refuse = [](const Toggles& toggles) { return toggles.integer("rows") > 0; },
}};

}  // namespace
}  // namespace bfslab::distributed::grid2d
