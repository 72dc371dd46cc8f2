// SPDX-License-Identifier: Apache-2.0
// The parts of every distributed engine: a search that is written for one member, and the engine
// that runs it on all members of this process, reports their levels, returns their answers and
// validates them in place.
#pragma once

#include <functional>
#include <memory>
#include <optional>
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

// One member's share of a level, or of a subgraph in it: as LevelReport, but trivially copyable.
// Texts that do not fit are cut.
struct MemberLevel {
  level_t level = 0;
  Direction direction = Direction::top_down;
  char technique[24] = {};  // "forward", "row_scan", ...
  char part[8] = "all";     // of the graph: "nn", "dd", ...
  std::uint64_t frontier_vertices = 0;
  std::uint64_t frontier_edges = 0;
  std::uint64_t edges_checked = 0;
  std::uint64_t found_vertices = 0;
  std::uint64_t unvisited_vertices = 0;  // before the level
  std::uint64_t bytes_sent = 0;
  double time_ms = 0;
  Clock clock = Clock::host;

  MemberLevel() = default;
  MemberLevel(level_t level, Direction direction, std::string_view technique,
              std::string_view part);
};

// A plain measure of a member: how long it was in a phase, what a partition holds.
struct MemberMeasure {
  char part[24] = {};
  char metric[24] = {};
  char unit[8] = "1";
  double value = 0;
  level_t level = kUnreached;  // kUnreached: of the whole search

  MemberMeasure() = default;
  MemberMeasure(std::string_view part, std::string_view metric, double value,
                std::string_view unit = "1", level_t level = kUnreached);
};

// A member's log of an instrumented search. Either every member has one, or none has. Each level is
// begun and ended, by all members alike; in between its parts are added.
class MemberLog {
 public:
  // `sink`: this process's, for the member on whose thread it is (gpu 0); else null.
  MemberLog(Member& member, LevelSink* sink, bool live)
      : member_(member), sink_(sink), live_(live) {}

  // `technique` is a string literal. `frontier_vertices`: of all members.
  void begin_level(level_t level, Direction direction, const char* technique,
                   std::uint64_t frontier_vertices);
  // Returns whether each level must be reported while it runs.
  [[nodiscard]] bool live() const { return live_; }
  void add(const MemberLevel& part) { levels_.push_back(part); }
  void add(const MemberMeasure& measure) { measures_.push_back(measure); }
  void end_level();
  // Reports to rank 0's sink all that has not been reported. To be called after the last level.
  // Collective.
  void tell();

 private:
  // Rank 0's member 0 gets what all members have noted since the last time.
  template <typename Plain>
  std::vector<std::vector<Plain>> gather(std::vector<Plain>& mine);
  void report_levels();

  Member& member_;
  LevelSink* sink_;
  bool live_;
  std::vector<MemberLevel> levels_;
  std::vector<MemberMeasure> measures_;
};

// An engine's search on one member. Made, searched and destroyed on the member's own thread; the
// calls are collective.
class MemberSearch : public Interface {
 public:
  // The timed region, reset included. `log` is null without instrumentation, on all members alike.
  virtual void search(global_vertex_t source, MemberLog* log) = 0;
  // Returns the last search's answer in the order of ownership().ids(), with the halves that the
  // settings ask for.
  [[nodiscard]] virtual AnswerPart answer() const = 0;
  [[nodiscard]] virtual Ownership ownership() const = 0;
  // Directed entries of the graph, as it was made by the rules of its share, whose tail the last
  // search reached and which this member stores.
  [[nodiscard]] virtual std::uint64_t reached_entries() const = 0;
  [[nodiscard]] virtual MemoryUse memory() const = 0;
  // Returns the last search's time in ms between two events on the member's GPU; empty on CPUs.
  [[nodiscard]] virtual std::optional<double> gpu_ms() const { return std::nullopt; }
  // Logs facts of the partition, once with the first counted search.
  virtual void describe(MemberLog& /*log*/) const {}

  // Returns the checker of answers in the memory of GPUs; null: answers are in host memory.
  [[nodiscard]] Checker* checker() const { return checker_.get(); }
  // On all members alike.
  void check_by(std::unique_ptr<Checker> checker) { checker_ = std::move(checker); }

 private:
  std::unique_ptr<Checker> checker_;
};

// Throws Unsupported on all members alike, before anything is sent.
using MakeSearch =
    std::function<std::unique_ptr<MemberSearch>(Member&, const EdgeShare&, const EngineSettings&)>;

class DistributedEngine : public Engine {
 public:
  DistributedEngine(EngineSettings settings, MakeSearch make);
  ~DistributedEngine() override;

  void load(const GraphSource& source) override;
  void traverse(vertex_t source, LevelSink* sink = nullptr) override;
  // The parts of this process's members.
  [[nodiscard]] AnswerView answer() const override;
  [[nodiscard]] MemoryUse memory() const override;  // of this process's members, together
  // Returns the value of member 0 of this process.
  [[nodiscard]] std::optional<double> gpu_ms() const override;
  [[nodiscard]] std::optional<CheckResult> check_in_place(std::uint64_t source,
                                                          bool rules) override;

 private:
  struct OfMember;
  EngineSettings settings_;
  MakeSearch make_;
  std::unique_ptr<Processes> alone_;  // where the settings name no others
  std::unique_ptr<Team> team_;
  std::vector<std::unique_ptr<OfMember>> members_;
  bool described_ = false;
};

}  // namespace bfslab::distributed
