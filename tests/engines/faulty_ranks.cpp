// SPDX-License-Identifier: Apache-2.0
// `faulty-ranks` and `faulty-parts`: distributed engines that misbehave on purpose on one rank, for
// the driver's tests. Rank 0 searches and hands the levels to all, each of which answers for every
// ranks-th vertex; otherwise they are what a distributed engine is. faulty-parts needs no CSR.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <memory>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "datasets/load_graph.hpp"
#include "harness/check/check.hpp"
#include "kernels/distributed/communicator/processes.hpp"
#include "kernels/engine.hpp"
#include "kernels/unsupported.hpp"

namespace bfslab {

namespace {

using distributed::Bytes;
using distributed::Processes;

constexpr unsigned kRoom = 4;  // ranks x GPUs of the made-up cluster

class FaultyRanks final : public Engine {
 public:
  explicit FaultyRanks(const EngineSettings& settings)
      : settings_(settings),
        alone_(distributed::alone()),
        processes_(settings.processes != nullptr ? *settings.processes : *alone_),
        fault_(settings.toggles.choice("fault")),
        in_load_(settings.toggles.choice("where") == "load"),
        here_(settings.toggles.integer("rank") == processes_.rank()),
        call_(settings.toggles.integer("call")) {}

  void load(const GraphSource& source) override {
    if (processes_.size() != settings_.ranks) throw std::logic_error("faulty: ranks are lacking");
    const unsigned wanted = settings_.ranks * settings_.gpus_per_rank;
    if (wanted > kRoom) {
      throw Unsupported("faulty: " + std::to_string(wanted) + " GPUs wanted, and there are 4");
    }
    // Everywhere or, where rank 0 has it, on rank 0 alone.
    distributed::Word has = source.csr != nullptr ? 1 : 0;
    processes_.all_reduce({&has, 1}, distributed::Reduction::sum);
    if (has > 1) throw std::logic_error("faulty: more than one rank has the CSR");
    graph_ = source.csr;
    if (has == 0) {
      made_ = load_graph(GraphName::parse(source.recipe), *source.load);
      graph_ = &made_;
    }
    distributed::Word vertices = graph_ != nullptr ? graph_->vertex_count() : 0;
    processes_.broadcast(std::as_writable_bytes(std::span(&vertices, 1)), 0);
    levels_.resize(vertices);
    if (in_load_) misbehave();
  }

  void traverse(vertex_t source, LevelSink* sink) override {
    std::this_thread::sleep_for(std::chrono::milliseconds(settings_.toggles.integer("sleep_ms")));
    if (processes_.rank() == 0) search(source, sink);
    if (!in_load_ && calls_++ == call_) misbehave();
    processes_.broadcast(std::as_writable_bytes(std::span(levels_)), 0);
    part_.clear();
    for (std::uint64_t i = 0; i < ids().count; ++i) part_.push_back(levels_[ids()[i]]);
    if (fault_ == "wrong_levels" && here_ && !part_.empty()) part_.back() = 77;
  }

  [[nodiscard]] AnswerView answer() const override {
    AnswerPart part;
    part.ids = ids();
    part.rank = processes_.rank();
    part.levels = part_.data();
    return {levels_.size(), {part}};
  }

  // In a row, its clock counts searches, as that of `faulty` does.
  [[nodiscard]] std::size_t max_searches() const override {
    const std::int64_t searches = settings_.toggles.integer("searches");
    return searches > 1 ? static_cast<std::size_t>(searches) : 0;
  }
  std::vector<double> search_many(std::span<const vertex_t> sources) override {
    kept_.clear();
    std::vector<double> ms;
    for (const vertex_t source : sources) {
      traverse(source, nullptr);
      kept_.push_back(part_);
      ms.push_back(static_cast<double>(++searched_) + 0.5);
    }
    return ms;
  }
  std::optional<CheckResult> check_in_place_of(std::size_t search, std::uint64_t source,
                                               bool rules) override {
    part_ = kept_.at(search);
    return check_in_place(source, rules);
  }

  [[nodiscard]] MemoryUse memory() const override {
    return {0, levels_.size() * sizeof(level_t), 1000 + std::uint64_t{settings_.gpus_per_rank}, 0};
  }

  std::optional<CheckResult> check_in_place(std::uint64_t source, bool rules) override {
    std::vector<Bytes> out(processes_.size());
    out[0] = std::as_bytes(std::span(part_));
    std::vector<distributed::Chunk> received;
    std::vector<Bytes> parts = processes_.all_to_all(out, received);
    struct Told {
      bool ok;
      char reason[200];
      std::uint64_t levels, reached, edges, input_edges, level_sum;
    } told{};
    if (processes_.rank() == 0) {
      parts[0] = out[0];
      std::vector<level_t> whole(levels_.size());
      for (unsigned rank = 0; rank < parts.size(); ++rank) {
        const auto* const levels = reinterpret_cast<const level_t*>(parts[rank].data());
        const PartIds theirs = PartIds::round_robin(rank, processes_.size(), whole.size());
        for (std::uint64_t i = 0; i < theirs.count; ++i) whole[theirs[i]] = levels[i];
      }
      const WholeAnswer answer{.vertex_count = graph_->vertex_count(), .levels = whole.data()};
      const auto from = static_cast<vertex_t>(source);
      const CheckResult result =
          rules ? check_answer(*graph_, from, answer) : summarize_answer(*graph_, from, answer);
      told = {result.ok,
              {},
              result.levels,
              result.reached_vertices,
              result.component_edges,
              result.component_input_edges,
              result.level_sum};
      result.reason.copy(told.reason, sizeof told.reason - 1);
    }
    processes_.broadcast(std::as_writable_bytes(std::span(&told, 1)), 0);
    return CheckResult{told.ok,    told.reason,      told.levels,   told.reached,
                       told.edges, told.input_edges, told.level_sum};
  }

 private:
  [[nodiscard]] PartIds ids() const {
    return PartIds::round_robin(processes_.rank(), processes_.size(), levels_.size());
  }

  void search(vertex_t source, LevelSink* sink) {
    std::ranges::fill(levels_, kUnreached);
    levels_[source] = 0;
    std::vector<vertex_t> frontier = {source};
    for (level_t level = 0; !frontier.empty(); ++level) {
      if (sink != nullptr) sink->begin({level, Direction::top_down, "queue", frontier.size()});
      std::vector<vertex_t> next;
      LevelFacts facts{.frontier_edges = 0};
      for (const vertex_t v : frontier) {
        *facts.frontier_edges += graph_->degree(v);
        for (const vertex_t u : graph_->neighbors(v)) {
          if (levels_[u] != kUnreached) continue;
          levels_[u] = level + 1;
          next.push_back(u);
        }
      }
      facts.edges_checked = facts.frontier_edges;
      facts.found_vertices = next.size();
      if (sink != nullptr) sink->end(facts);
      frontier = std::move(next);
    }
  }

  void misbehave() {
    if (fault_ == "refuse") throw Unsupported("faulty: all ranks refuse this graph");
    if (fault_ == "kill_late") {  // the others learn of it before their launcher does
      if (!here_) std::raise(SIGPIPE);
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
      std::raise(SIGKILL);
    }
    if (!here_) return;
    if (fault_ == "kill") std::raise(SIGKILL);
    if (fault_ == "crash") {
      std::signal(SIGSEGV, SIG_DFL);
      std::raise(SIGSEGV);
    }
    if (fault_ == "exit") std::_Exit(7);
    if (fault_ == "absent") throw InputError("faulty: this host has no GPU");
    if (fault_ == "throw") throw std::runtime_error("faulty: thrown on purpose");
    if (fault_ == "bad_alloc") throw std::bad_alloc();
    if (fault_ == "chatter") std::puts("faulty: an engine must not print");
    if (fault_ == "crowded") count_threads();
    if (fault_ == "hungry") eaten_.assign(std::size_t{1} << 30, 1);
    while (fault_ == "hang" || fault_ == "hungry") ::pause();
  }

  // An engine that brings its own threads wants the processors for them.
  static void count_threads() {
    const std::filesystem::directory_iterator tasks("/proc/self/task");
    const auto others = std::distance(begin(tasks), end(tasks)) - 1;
    if (others > 0) throw std::runtime_error(std::to_string(others) + " threads beside the search");
  }

  EngineSettings settings_;
  std::unique_ptr<Processes> alone_;
  Processes& processes_;
  std::string fault_;
  bool in_load_;
  bool here_;
  std::int64_t call_;
  std::int64_t calls_ = 0;
  CsrGraph made_;
  const CsrGraph* graph_ = nullptr;
  std::vector<level_t> levels_;
  std::vector<level_t> part_;
  std::vector<std::vector<level_t>> kept_;  // parts of searches in a row
  std::uint64_t searched_ = 0;              // of these, in all calls
  std::vector<char> eaten_;
};

EngineInfo info(const char* name, const char* summary, bool recipe) {
  return {
      .name = name,
      .paper = "",
      .section = "",
      .summary = summary,
      .can = {.parents = false, .recipe = recipe, .distributed = true},
      .toggles = {Toggle::choice(
                      "fault", "none",
                      {"none", "kill", "crash", "exit", "throw", "bad_alloc", "absent", "chatter",
                       "hungry", "hang", "refuse", "wrong_levels", "crowded", "kill_late"},
                      "What it does wrong"),
                  Toggle::integer("rank", 1, 0, 64, "On which rank"),
                  Toggle::choice("where", "traverse", {"traverse", "load"}, "In which call"),
                  Toggle::integer("call", 0, 0, 1'000'000, "In which traversal"),
                  Toggle::integer("sleep_ms", 0, 0, 60'000, "Sleep in every traversal"),
                  Toggle::integer("searches", 1, 1, 64, "Searches in a row"),
                  Toggle::integer("twin", 0, 0, 1000, "Nothing: tells configurations apart")},
      .estimate = [](const GraphFacts& graph, const Toggles&, Answer) -> Estimate {
        return {4.0 * static_cast<double>(graph.vertices), 1e-8 * static_cast<double>(graph.edges)};
      },
      .make = [](const EngineSettings& settings) -> std::unique_ptr<Engine> {
        return std::make_unique<FaultyRanks>(settings);
      }};
}

const RegisterEngine of_ranks{info(
    "faulty-ranks", "Runs as several ranks, or misbehaves: for the tests of the driver.", false)};
const RegisterEngine of_parts{
    info("faulty-parts", "The same from a recipe alone: for the tests of the driver.", true)};

}  // namespace

}  // namespace bfslab
