// SPDX-License-Identifier: Apache-2.0
#include "kernels/distributed/engines/grid2d/search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "kernels/direction_rule.hpp"
#include "kernels/unsupported.hpp"

namespace bfslab::distributed::grid2d {
namespace {

constexpr std::uint64_t kLocalVertices = std::uint64_t{1} << 32;

class Stopwatch {
 public:
  [[nodiscard]] double ms() const {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin_)
        .count();
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

class Search final : public MemberSearch {
 public:
  // Collective.
  Search(Member& member, const EngineSettings& settings, const Grid& grid,
         const RowLengths& incoming, BlockSize block, std::unique_ptr<LocalWork> work,
         std::unique_ptr<Communicator> bulk)
      : all_(*member.all),
        rank_(member.rank),
        grid_(grid),
        row_(member.index() / grid.columns),
        column_(member.index() % grid.columns),
        answer_(settings.answer),
        direction_(settings.toggles.choice("direction")),
        each_level_(settings.toggles.choice("predecessors") == "each_level"),
        rule_(settings.toggles),
        block_(block),
        work_(std::move(work)),
        own_bulk_(std::move(bulk)),
        bulk_(own_bulk_ ? *own_bulk_ : all_) {
    if (grid_.columns > 1) in_row_ = bulk_.split(row_, column_);
    if (!grid_.square()) in_column_ = bulk_.split(column_, row_);
    rule_.set_graph(incoming);
  }

  void search(global_vertex_t source, MemberLog* log) override;

  [[nodiscard]] AnswerPart answer() const override {
    AnswerPart part = work_->answer();
    part.rank = rank_;
    return part;
  }
  [[nodiscard]] Ownership ownership() const override { return grid_.ownership(); }
  // Counts each entry at the owner of its tail.
  [[nodiscard]] std::uint64_t reached_entries() const override { return work_->reached_entries(); }
  [[nodiscard]] MemoryUse memory() const override { return work_->memory(); }
  [[nodiscard]] std::optional<double> gpu_ms() const override { return work_->gpu_ms(); }
  void describe(MemberLog& log) const override;

 private:
  [[nodiscard]] Start start_at(global_vertex_t source) const;
  void join_row(level_t level, MemberLog* log);
  void send_predecessors();
  void exchange_columns();
  [[nodiscard]] bool choose(bool is_bottom_up, const DirectionState& at) const {
    return direction_ == "hybrid" ? rule_.bottom_up(is_bottom_up, at) : direction_ == "bottom_up";
  }
  template <typename Work>
  void phase(MemberLog* log, level_t level, const char* name, const Work& work) const;

  [[nodiscard]] bool one_column() const { return grid_.columns == 1; }
  // Returns the bytes sent for bitmaps and lists. If `bulk_` is the members' own communicator,
  // other calls on it count, too.
  [[nodiscard]] std::uint64_t sent() const {
    std::uint64_t bytes = bulk_.bytes_sent();
    for (const auto* part : {&in_row_, &in_column_}) {
      if (*part) bytes += (*part)->bytes_sent();
    }
    return bytes;
  }

  Communicator& all_;  // for sums and decisions
  unsigned rank_;
  Grid grid_;
  unsigned row_, column_;
  Answer answer_;
  std::string direction_;
  bool each_level_;
  DirectionRule rule_;
  BlockSize block_;

  // Communicators of the work's memory are destroyed before the work.
  std::unique_ptr<LocalWork> work_;
  std::unique_ptr<Communicator> own_bulk_;
  Communicator& bulk_;
  std::unique_ptr<Communicator> in_row_, in_column_;
};

// Logs what a GPU has counted of its threads in a top-down level.
void note_threads(MemberLog& log, level_t level, const Counts& found) {
  const auto note = [&](const char* metric, const std::optional<Word>& value) {
    if (!value) return;
    log.add(MemberMeasure("explore", metric, static_cast<double>(*value), "1", level));
  };
  note("lanes", found.lanes);
  note("claims", found.claims);
}

// Runs `work` and logs its time and the bytes that it sent.
template <typename Work>
void Search::phase(MemberLog* log, level_t level, const char* name, const Work& work) const {
  if (log == nullptr) return work();
  const std::uint64_t sent_before = sent();
  const Stopwatch watch;
  work();
  work_->wait();
  log->add(MemberMeasure("phase", name, watch.ms(), "ms", level));
  const std::uint64_t bytes = sent() - sent_before;
  if (bytes > 0) log->add(MemberMeasure("phase", name, static_cast<double>(bytes), "B", level));
}

void Search::search(global_vertex_t source, MemberLog* log) {
  const Start start = start_at(source);
  work_->reset(start);
  Counts found;  // counts of the frontier
  if (start.owned) found = {.vertices = 1, .edges = work_->source_edges(*start.owned)};
  Word unvisited = ownership().count(all_.index()) - found.vertices;
  DirectionState at{.edges = all_.sum(found.edges),
                    .unexplored = rule_.edges(),
                    .rest = rule_.edges(),
                    .candidates = rule_.enterable()};
  bool bottom_up = false;
  for (level_t level = 0; at.frontier > 0; ++level) {
    const bool was_bottom_up = std::exchange(bottom_up, choose(bottom_up, at));
    if (was_bottom_up && !bottom_up) at.edges = all_.sum(work_->frontier_edges());
    const Stopwatch watch;
    const std::uint64_t sent_before = sent();
    const char* const technique = bottom_up ? "csc" : "csr";
    MemberLevel facts(level, bottom_up ? Direction::bottom_up : Direction::top_down, technique,
                      "all");
    facts.frontier_vertices = found.vertices;
    facts.frontier_edges = found.edges;
    facts.unvisited_vertices = unvisited;
    if (log != nullptr) log->begin_level(level, facts.direction, technique, at.frontier);

    phase(log, level, "explore", [&] { work_->explore(bottom_up, log != nullptr); });
    if (log != nullptr) phase(log, level, "wait", [&] { all_.barrier(); });
    if (!one_column()) join_row(level, log);
    const bool counts_edges = log != nullptr || !bottom_up || rule_.needs_edges();
    phase(log, level, "update", [&] { work_->update(level, counts_edges); });
    // A CPU thread reduces its counts while columns exchange. A GPU enqueues the exchange before
    // the host waits for the counts.
    std::array<Word, 2> sums{};
    const auto begin_sums = [&] {
      found = work_->counts();
      sums = {found.vertices, found.edges};
      all_.begin_all_reduce(sums, Reduction::sum);
    };
    if (!work_->queues()) begin_sums();
    phase(log, level, "column_exchange", [&] { exchange_columns(); });
    if (work_->queues()) begin_sums();
    phase(log, level, "reduction", [&] { all_.finish_all_reduce(); });
    at.advance(bottom_up, sums[0], sums[1], !bottom_up || rule_.needs_edges());
    unvisited -= found.vertices;

    if (log == nullptr) continue;
    facts.edges_checked = found.checked;
    facts.found_vertices = found.vertices;
    facts.bytes_sent = sent() - sent_before;
    facts.time_ms = watch.ms();
    log->add(facts);
    if (!bottom_up) note_threads(*log, level, found);
    log->end_level();
  }
  const level_t whole = kUnreached;  // the whole search
  if (wants_parents(answer_) && !one_column() && !each_level_) {
    phase(log, whole, "predecessors", [&] { send_predecessors(); });
  }
  work_->finish();
}

Start Search::start_at(global_vertex_t source) const {
  const Grid::Place at = grid_.place(source);
  const Ownership owners = ownership();
  Start start;
  start.source = static_cast<vertex_t>(source);
  if (at.row == row_) start.in_row = at.in_row;
  if (at.column == column_) start.in_column = at.in_column;
  if (owners.owner(source) == all_.index()) {
    start.owned = static_cast<local_t>(owners.local(source));
  }
  return start;
}

// Joins Out of the whole row and assigns each find to one member, whose parent counts.
void Search::join_row(level_t level, MemberLog* log) {
  if (!wants_parents(answer_)) {
    phase(log, level, "row_union", [&] { in_row_->all_reduce(work_->out(), Reduction::bit_or); });
    return;
  }
  phase(log, level, "row_scan", [&] {
    in_row_->exclusive_scan(work_->begin_scan(), Reduction::bit_or);
    work_->end_scan();
  });
  phase(log, level, "row_broadcast",
        [&] { in_row_->broadcast(std::as_writable_bytes(work_->out()), grid_.columns - 1); });
  if (each_level_) phase(log, level, "predecessors", [&] { send_predecessors(); });
}

// Collective in the row.
void Search::send_predecessors() {
  for (const Bytes list : in_row_->all_to_all(work_->predecessors())) {
    if (!list.empty()) work_->take_predecessors(list);
  }
}

// Line 24: makes the next In.
void Search::exchange_columns() {
  if (grid_.members() == 1) return work_->make_out_in();
  const std::span<const Word> out = work_->out();
  const std::span<std::byte> in = std::as_writable_bytes(work_->in());
  if (!grid_.square()) {
    const std::size_t words = grid_.block / kWordBits;
    return in_column_->all_gather(std::as_bytes(out.subspan(column_ * words, words)), in);
  }
  const unsigned partner = column_ * grid_.columns + row_;
  bulk_.exchange(partner, std::as_bytes(out), partner, in);
}

void Search::describe(MemberLog& log) const {
  const auto note = [&](const char* metric, std::uint64_t value, const char* unit = "1") {
    log.add(MemberMeasure("block", metric, static_cast<double>(value), unit));
  };
  note("grid_rows", grid_.rows);
  note("grid_columns", grid_.columns);
  note("entries", block_.entries);
  note("csr_bytes", block_.csr_bytes, "B");
  note("csc_bytes", block_.csc_bytes, "B");
}

}  // namespace

unsigned columns_of(unsigned members, const Toggles& toggles) {
  auto rows = static_cast<unsigned>(toggles.integer("rows"));
  if (rows == 0 || members % rows != 0) rows = Grid::fitting_rows(members);
  return members / rows;
}

Grid choose_grid(const Member& member, const EdgeShare& share, const EngineSettings& settings) {
  const unsigned members = member.count();
  const auto rows = static_cast<unsigned>(settings.toggles.integer("rows"));
  if (rows > 0 && members % rows != 0) {
    throw Unsupported(fmt::format(
        "grid2d: {} members make no grid of {} rows: choose a divisor of {} for 'rows', or 0",
        members, rows, members));
  }
  const unsigned columns = columns_of(members, settings.toggles);
  const Grid grid(share.vertices(), members / columns, columns);
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

std::unique_ptr<MemberSearch> make_search(Member& member, const EdgeShare& share,
                                          const EngineSettings& settings, const Grid& grid,
                                          const MakeBlock& make_block,
                                          std::unique_ptr<Communicator> bulk) {
  const std::string& direction = settings.toggles.choice("direction");
  const BlockPlan plan{.grid = grid,
                       .row = member.index() / grid.columns,
                       .column = member.index() % grid.columns,
                       .rules = share.rules(),
                       .wants_csr = direction != "bottom_up",
                       .wants_csc = direction != "top_down",
                       .wide = settings.toggles.choice("offsets") == "wide"};
  BlockWork block = make_block(plan);
  VertexFacts facts = vertex_facts(member, grid, block.leaving, block.entering);
  block.leaving = block.entering = {};
  const RowLengths incoming = facts.incoming;
  const WorkSettings work_settings{
      .answer = settings.answer,
      .each_level = settings.toggles.choice("predecessors") == "each_level"};
  auto work = block.work(std::move(facts), member.index(), work_settings);
  return std::make_unique<Search>(member, settings, grid, incoming, block.size, std::move(work),
                                  std::move(bulk));
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

Estimate estimate(const GraphFacts& facts, const Toggles& toggles, Answer answer) {
  const unsigned columns = columns_of(facts.members, toggles);
  const unsigned rows = facts.members / columns;
  const auto n = static_cast<double>(facts.vertices);
  const auto m = static_cast<double>(facts.edges);
  const bool both = toggles.choice("direction") == "hybrid";
  const bool parents = wants_parents(answer);
  const bool joins = parents && columns > 1;
  const double offset = toggles.choice("offsets") == "wide" ? 8 : 4;
  // Each member of a row holds the row's range; likewise for columns. Diagonal blocks of a
  // symmetric graph are held once.
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

}  // namespace bfslab::distributed::grid2d
