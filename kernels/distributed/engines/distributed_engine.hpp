// SPDX-License-Identifier: Apache-2.0
// The parts of every distributed engine: a search that is written for one member, and the engine
// that runs it on all members of this process, reports their levels, returns their answers and
// validates them in place.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/check_result.hpp"
#include "kernels/distributed/check/check.hpp"
#include "kernels/distributed/communicator/team.hpp"
#include "kernels/distributed/edges/edge_share.hpp"
#include "kernels/distributed/ownership.hpp"
#include "kernels/engine.hpp"
#include "kernels/interface.hpp"

namespace bfslab::distributed {

// The facts of a level, or of one subgraph in it, on one member: LevelReport as a trivially
// copyable type. Texts that do not fit are cut.
struct MemberLevel {
  level_t level = 0;
  Direction direction = Direction::top_down;
  char technique[24] = {};  // "forward", "row_scan", ...
  char part[8] = "all";     // part of the graph: "nn", "dd", ...
  std::uint64_t frontier_vertices = 0;
  std::optional<std::uint64_t> frontier_edges = 0;  // empty: not counted
  std::optional<std::uint64_t> edges_checked = 0;
  std::uint64_t found_vertices = 0;
  std::uint64_t unvisited_vertices = 0;  // before the level
  std::uint64_t bytes_sent = 0;
  double time_ms = 0;
  Clock clock = Clock::host;

  MemberLevel() = default;
  MemberLevel(level_t level, Direction direction, std::string_view technique,
              std::string_view part);
};

// A trivially copyable measure of a member: time in a phase, size of a partition.
struct MemberMeasure {
  char part[24] = {};
  char metric[24] = {};
  char unit[8] = "1";
  double value = 0;
  level_t level = kUnreached;  // kUnreached: the whole search

  MemberMeasure() = default;
  MemberMeasure(std::string_view part, std::string_view metric, double value,
                std::string_view unit = "1", level_t level = kUnreached);
};

// The log of an instrumented search on one member. Either every member has one, or none has. All
// members begin and end each level; its parts are added in between.
class MemberLog {
 public:
  // `sink` is the sink of this process for its member 0 (gpu 0), null for the others.
  MemberLog(Member& member, LevelSink* sink, bool live)
      : member_(member), sink_(sink), live_(live) {}

  // `technique` is a string literal. `frontier_vertices` counts all members.
  void begin_level(level_t level, Direction direction, const char* technique,
                   std::uint64_t frontier_vertices);
  // Returns true if each level must be reported while it runs.
  [[nodiscard]] bool live() const { return live_; }
  void add(const MemberLevel& part) { levels_.push_back(part); }
  void add(const MemberMeasure& measure) { measures_.push_back(measure); }
  void end_level();
  // Reports to rank 0's sink everything that is not reported yet. Called after the last level.
  // Collective.
  void report_all();

 private:
  // Collects, on member 0 of rank 0, the entries of all members, and clears them.
  template <typename Plain>
  std::vector<std::vector<Plain>> gather(std::vector<Plain>& own);
  void report_levels();

  Member& member_;
  LevelSink* sink_;
  bool live_;
  std::vector<MemberLevel> levels_;
  std::vector<MemberMeasure> measures_;
};

// The search of an engine on one member. It is constructed, called and destroyed on the member's
// own thread; all calls are collective.
class MemberSearch : public Interface {
 public:
  // Searches: the timed region, reset included. `log` is null on all members or on none.
  virtual void search(global_vertex_t source, MemberLog* log) = 0;
  // Returns the last search's answer in the order of ownership().ids(), with the halves (levels,
  // parents) that the settings request.
  [[nodiscard]] virtual AnswerPart answer() const = 0;
  [[nodiscard]] virtual Ownership ownership() const = 0;
  // Returns the number of directed entries that this member stores and whose tail the last search
  // reached. Entries are those that the rules of its share make.
  [[nodiscard]] virtual std::uint64_t reached_entries() const = 0;
  [[nodiscard]] virtual MemoryUse memory() const = 0;
  // Returns the last search's time in ms between two events on the member's GPU; empty on CPUs.
  [[nodiscard]] virtual std::optional<double> gpu_ms() const { return std::nullopt; }
  // --- Searches in a row, as Engine::search_many().
  // Returns the maximum number of sources; 0 for engines that search one at a time.
  [[nodiscard]] virtual std::size_t max_searches() const { return 0; }
  // Returns the nanoseconds of each search on this member; the longest member's count.
  virtual std::vector<Word> search_many(std::span<const vertex_t> sources);
  // The same as answer() and reached_entries() for search `search` of the last search_many().
  [[nodiscard]] virtual AnswerPart answer_of(std::size_t search) const;
  [[nodiscard]] virtual std::uint64_t reached_entries_of(std::size_t search) const;
  // Logs facts of the partition; called once, with the first counted search.
  virtual void describe(MemberLog& /*log*/) const {}

  // Returns the checker of answers in GPU memory, or null for answers in host memory.
  [[nodiscard]] Checker* checker() const { return checker_.get(); }
  // Called on all members or on none.
  void check_by(std::unique_ptr<Checker> checker) { checker_ = std::move(checker); }

 private:
  std::unique_ptr<Checker> checker_;
};

// Makes a member's search. Throws Unsupported on all members alike, before any data is sent.
using MakeSearch =
    std::function<std::unique_ptr<MemberSearch>(Member&, const EdgeShare&, const EngineSettings&)>;

class DistributedEngine : public Engine {
 public:
  DistributedEngine(EngineSettings settings, MakeSearch make);
  ~DistributedEngine() override;

  void load(const GraphSource& source) override;
  void traverse(vertex_t source, LevelSink* sink = nullptr) override;
  // Returns the parts of this process's members.
  [[nodiscard]] AnswerView answer() const override;
  [[nodiscard]] MemoryUse memory() const override;  // sum of this process's members
  // Returns the value of member 0 of this process.
  [[nodiscard]] std::optional<double> gpu_ms() const override;
  [[nodiscard]] std::optional<CheckResult> check_in_place(std::uint64_t source,
                                                          bool rules) override;
  [[nodiscard]] std::size_t max_searches() const override;
  std::vector<double> search_many(std::span<const vertex_t> sources) override;
  [[nodiscard]] AnswerView answer_of(std::size_t search) const override;
  [[nodiscard]] std::optional<CheckResult> check_in_place_of(std::size_t search,
                                                             std::uint64_t source,
                                                             bool rules) override;

 private:
  struct MemberState;
  // Validates a member's part of an answer. Collective.
  static CheckResult check(Member& member, MemberState& state, global_vertex_t source,
                           const AnswerPart& part, std::uint64_t reached_entries, bool rules);
  EngineSettings settings_;
  MakeSearch make_;
  std::unique_ptr<Processes> alone_;  // if the settings have no processes
  std::unique_ptr<Team> team_;
  std::vector<std::unique_ptr<MemberState>> members_;
  bool described_ = false;
};

}  // namespace bfslab::distributed
