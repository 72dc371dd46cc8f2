// SPDX-License-Identifier: Apache-2.0
// The work of a member between two exchanges: the kernels of scalable-bfs, section IV, behind one
// interface, so that the search (search.cpp) is the same on CPUs (cpu_work.cpp) and GPUs
// (host_levels.cu; one_kernel_search.cuh, where one kernel runs all levels).
//
// A level has a pre-visit, which labels the level's vertices and sums up the workloads from which
// the directions are chosen, the visits of the subgraphs, and the taking in of what other members
// sent. Bits of delegates are in masks of Communicator words. Masks and lists are in the memory
// that the member's communicator for data works on: the host's, or its GPU's.
//
// Files gpu_* serve both kinds of launch; host_* are for levels that the host launches, a kernel
// per step; one_kernel* are for levels that run in one kernel.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "kernels/distributed/communicator/communicator.hpp"
#include "kernels/distributed/communicator/transport.hpp"
#include "kernels/distributed/engines/delegate/direction_rule.hpp"
#include "kernels/distributed/engines/distributed_engine.hpp"
#include "kernels/distributed/subgraphs/subgraphs.hpp"
#include "kernels/engine.hpp"
#include "kernels/interface.hpp"

namespace bfslab::distributed {
class MemberGpu;
struct DeviceSubgraphs;
}  // namespace bfslab::distributed

namespace bfslab::distributed::delegate {

struct Places;

// The workload of a level that begins.
struct Workloads {
  std::uint64_t normals = 0;    // the level's normal vertices of this member
  std::uint64_t delegates = 0;  // the level's delegates, and those of them that this member owns
  std::uint64_t own_delegates = 0;
  std::uint64_t unvisited_normals = 0;        // of this member
  std::uint64_t unvisited_own_delegates = 0;  // the same
  PerEdgeClass<Workload> by_class;
  double recording_ms = 0;  // spent on the record alone, which does not count as search time
};

// The result of the visit of a subgraph.
struct Visited {
  std::uint64_t edges = 0;  // entries read
  std::uint64_t found = 0;  // normal vertices of this member
};

// The parts of a member's time in a level or a search, as Figures 8 and 10 divide it.
enum class Phase { compute, local_exchange, normal_exchange, mask_reduction, agreement };
inline constexpr std::size_t kPhases = 5;

// The record of a level.
struct LevelFacts {
  Workloads load;
  Backward backward;
  PerEdgeClass<Visited> done;
  std::uint64_t own_delegates_found = 0;
  // Bytes of the agreement, masks and lists. The sizes of lists, which hosts exchange, are left
  // out.
  std::uint64_t bytes_sent = 0;
  std::uint64_t mask_bytes = 0;  // of these
  std::uint64_t list_bytes = 0;
  std::array<double, kPhases> phase_ms{};
  double overlap_ms = 0;  // by which the phases exceed the level (phase_clock.hpp)
  Clock clock = Clock::host;
  // Where a GPU has run the level by itself: its steps in order, without those for records alone.
  struct Step {
    const char* name;
    double ms;
  };
  std::vector<Step> steps;
};

// A vertex that is sent with its parent, in one store.
struct alignas(8) Carried {
  local_vertex_t vertex;
  vertex_t parent;
};

// Marks moments in the order of a member's work.
class Moments : public Interface {
 public:
  // Marks the moment at which all that the member has queued so far is done.
  virtual void mark() = 0;
  // Returns the ms between the moments since the last call, the last one of which begins the next
  // call's. Waits for them.
  virtual std::vector<double> take() = 0;
};

inline double ms_since(std::chrono::steady_clock::time_point then) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - then).count();
}

// Moments by the clock of a host, where nothing is queued.
class HostMoments final : public Moments {
 public:
  void mark() override {
    if (begun_) between_.push_back(ms_since(last_));
    begun_ = true;
    last_ = std::chrono::steady_clock::now();
  }
  std::vector<double> take() override { return std::exchange(between_, {}); }

 private:
  bool begun_ = false;
  std::chrono::steady_clock::time_point last_;
  std::vector<double> between_;
};

class LocalWork : public Interface {
 public:
  // Begins a search. `delegate` is the source's number if it is a delegate; otherwise `vertex` is
  // its local id on its owner. Both are kNone elsewhere. `in_one_kernel`: run_levels() follows.
  static constexpr local_vertex_t kNone = ~local_vertex_t{0};
  virtual void reset(local_vertex_t delegate, local_vertex_t vertex, bool in_one_kernel) = 0;
  // Labels the level's vertices where that is not done yet, queues those that visits forward may
  // begin from, and sums up the workloads that `rule` asks for after the directions of `last`, or
  // all of them if the level is `recorded`. For others `forward` means nothing, and for nn and nd
  // `frontier` may count vertices without edges.
  virtual Workloads pre_visit(level_t level, const DirectionRule& rule, const Backward& last,
                              bool recorded) = 0;
  // Visits the active subgraphs. Unless it is `counted`, the result may lack everything but the
  // normal vertices that were found and, with one member, these, too.
  virtual PerEdgeClass<Visited> visit(const PerEdgeClass<bool>& active, const Backward& backward,
                                      level_t level, bool counted) = 0;
  // Returns the delegates that the visits of this level found, to be reduced in place. Delegates
  // that were visited before, on all members alike, may be among them.
  virtual std::span<Word> found_delegates() = 0;
  [[nodiscard]] virtual bool found_any_delegate() const = 0;
  // Called after the reduction: makes them the next level's.
  virtual void take_delegates() = 0;
  // Returns how many of these this member owns.
  [[nodiscard]] virtual std::uint64_t own_delegates_found() const = 0;
  // Returns what nn found for the member `to`: local ids there or, where parents travel along,
  // values of Carried. It stays as it is until the level after the next.
  [[nodiscard]] virtual Bytes outgoing(unsigned to) const = 0;
  // Removes repeated vertices from each of `lists`, which lie here as long as outgoing() does.
  // Where parents travel along, any one of a vertex's is kept.
  virtual void make_unique(std::span<Bytes> lists) = 0;
  // Returns the lists as one, for the members of `rank`. It lies here as long as outgoing() does.
  virtual Bytes join(std::span<const Bytes> lists, unsigned rank) = 0;
  // Takes what another member sent. Returns how many vertices were new, if that is `counted`.
  virtual std::uint64_t take_normals(Bytes list, level_t level, bool counted) = 0;
  // Returns true if a GPU runs all levels by itself, on all members alike: run_levels() then
  // replaces everything between reset() and finish().
  [[nodiscard]] virtual bool runs_levels() const { return false; }
  // Collective. Returns the levels if they are `recorded`, or the first ones of a very deep search.
  virtual std::vector<LevelFacts> run_levels(const DirectionRule& /*rule*/, bool /*recorded*/) {
    return {};
  }
  // Completes the answer: the levels of owned delegates, and parents that others know. Collective.
  // `data` moves what is in the memory of the lists.
  virtual void finish(Communicator& data) = 0;
  // Waits for all queued work, before a clock is read.
  virtual void wait() {}
  // Returns new marks in the order of the queued work, which this outlives.
  [[nodiscard]] virtual std::unique_ptr<Moments> moments() const {
    return std::make_unique<HostMoments>();
  }

  [[nodiscard]] virtual AnswerPart answer() const = 0;
  [[nodiscard]] virtual std::uint64_t reached_entries() const = 0;
  [[nodiscard]] virtual MemoryUse memory() const = 0;
  // Returns the time of the last search on the GPU.
  [[nodiscard]] virtual std::optional<double> gpu_ms() const { return std::nullopt; }
};

struct WorkSettings {
  Answer answer = Answer::levels;
  bool carry_parents = false;  // with what nn sends, instead of being requested at the end
  bool merge_all = false;      // on GPUs: all forward visits by merge path, not dd's alone
  bool one_kernel = false;     // on GPUs: a kernel that runs all levels; with merge_all
  TeamMemory team_memory = TeamMemory::peer;  // of these kernels
  bool backward = true;                       // subgraphs may be visited backward
  bool hubs_first = false;                    // delegates are numbered by degree
};

// Returns the work on this thread, in host memory.
std::unique_ptr<LocalWork> make_cpu_work(const Subgraphs& graph, const Member& member,
                                         const WorkSettings& settings);
// Returns the work on `graph`, which lies on `gpu` and has `places`; all outlive the result. There
// are at most 2^31 delegates where `settings` say backward. Only with CUDA.
std::unique_ptr<LocalWork> make_gpu_work(const DeviceSubgraphs& graph, const Places& places,
                                         const MemberGpu& gpu, const Member& member,
                                         const WorkSettings& settings);

}  // namespace bfslab::distributed::delegate
