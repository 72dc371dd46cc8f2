// SPDX-License-Identifier: Apache-2.0
// The common part of all GPU engines: the graph and the answer in device memory, the reset, the
// timer, and the level loop that the host drives. An engine adds its rule and its parts.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "kernels/cuda/device/device_graph.hpp"
#include "kernels/cuda/device/stream.hpp"
#include "kernels/cuda/traversal/level_log.hpp"
#include "kernels/cuda/traversal/progress.hpp"
#include "kernels/cuda/traversal/traversal.hpp"
#include "kernels/engine.hpp"
#include "kernels/search_toggles.hpp"

namespace bfslab::cuda {

// The kind of a level, as level records name it.
struct LevelPlan {
  Direction direction = Direction::top_down;
  const char* technique = "";  // a string literal
};

class GpuEngine : public Engine {
 public:
  void load(const GraphSource& source) final;
  void traverse(vertex_t source, LevelSink* sink) final;
  [[nodiscard]] AnswerView answer() const final;
  [[nodiscard]] MemoryUse memory() const final;
  [[nodiscard]] std::size_t max_searches() const final { return searches_.size(); }
  std::vector<double> search_many(std::span<const vertex_t> sources) final;
  [[nodiscard]] AnswerView answer_of(std::size_t search) const final;
  [[nodiscard]] std::optional<double> gpu_ms() const final { return ms_between(begin_, end_); }

 protected:
  // `name` is the engine's, a string literal. An engine that may go bottom-up (`goes_up`) needs the
  // transpose of a directed graph. `searches` is the largest number of sources that search_many()
  // takes; it is above 1 only for engines that drive themselves. Throws InputError if there is no
  // usable GPU.
  GpuEngine(const char* name, Answer answer, bool goes_up, std::size_t searches = 1);

  // --- At load.

  // Called before anything is uploaded. Graphs that the device is too small for are refused here.
  virtual void prepare() {}
  // Called when the graph and the statuses are uploaded and work() names them. Allocates the rest,
  // and completes the engine's own copy of work().
  virtual void allocate() = 0;
  // Adds the memory that the engine holds beside the graph, the statuses and the slots.
  virtual void add_memory(MemoryUse& use) const = 0;

  // --- In a traversal.

  // Returns whether the engine runs all levels without the host. If so, run_on_device() queues
  // them, reset included, with `log` for the kernel's records.
  [[nodiscard]] virtual bool drives_itself() const { return false; }
  virtual void run_on_device(vertex_t /*source*/, const LevelLogView& /*log*/) {}
  // Queues several searches in one launch, in engines that have such a kernel. Each answer goes
  // into its part of `kept`. `times_ns` gets the begin and the end of each search by the device's
  // clock. `sources` [count], `times_ns` [count][2] and `kept` [count][n] are on the device.
  // Returns false if the searches must be launched one by one.
  virtual bool run_searches(const vertex_t* /*sources*/, std::size_t /*count*/,
                            const StatusView& /*kept*/, unsigned long long* /*times_ns*/) {
    return false;
  }
  // Returns whether search_many() searches together, as a batch that shares its levels. If so,
  // run_together() queues it. `sources` [count] and `kept` [count][n] are on the device.
  [[nodiscard]] virtual bool searches_together() const { return false; }
  virtual void run_together(const vertex_t* /*sources*/, std::size_t /*count*/,
                            const StatusView& /*kept*/) {}
  // Returns the level after which a search ends (kernels/search_toggles.hpp).
  [[nodiscard]] virtual level_t depth_limit() const { return kNoDepthLimit; }
  // Returns whether such a run keeps the log. Otherwise a level sink gets the host-launched twin.
  [[nodiscard]] virtual bool logs_levels() const { return false; }
  // Returns what the log says about a level, before which the traversal was `at`, and advances
  // `at`. `next`: the slot of the level after, empty if there was none.
  [[nodiscard]] virtual LevelPlan read_log(Progress& at, const LevelRecord& ran,
                                           const LevelSlot& next) const;
  // Reports measures of a logged level to a sink that counts. `generation_ms`: the time until the
  // level's frontier existed; 0 if the kernel does not record it.
  virtual void measure_log(LevelSink& /*sink*/, const Progress& /*ran*/, const LevelSlot& /*slot*/,
                           double /*generation_ms*/, double /*traversal_ms*/) {}
  // Returns the bytes that passed between several members in a level of the last run that counts
  // or is logged.
  [[nodiscard]] virtual std::uint64_t bytes_sent(level_t /*level*/) const { return 0; }
  // Whether Progress::edges is true in such a run.
  [[nodiscard]] virtual bool sums_edges() const { return false; }

  // The host drives the levels by these: they queue the reset, choose the next level, queue it, and
  // advance `at` by the slots, which have been read since. `watched` is set if there is a level
  // sink, `counts` if the sink also wants counts.
  virtual void begin(vertex_t source, bool watched, bool counts) = 0;
  [[nodiscard]] virtual LevelPlan plan(const Progress& at) const = 0;
  virtual void launch_level(const Progress& at) = 0;
  virtual void close_level(Progress& at) = 0;
  // Reports measures of the level that has just run to a sink that counts.
  virtual void measure_level(LevelSink& /*sink*/, const Progress& /*ran*/) {}
  // queue_verdict() is called after all levels, inside the timer. judge() is called when all work
  // is done, outside it, and throws Unsupported where the traversal has no answer.
  virtual void queue_verdict() {}
  virtual void judge() {}
  // Queues what an answer still lacks when it is requested, outside the timer.
  virtual void queue_completion() const {}

  [[nodiscard]] const CsrGraph& csr() const { return *csr_; }
  [[nodiscard]] vertex_t vertices() const { return csr_->vertex_count(); }
  [[nodiscard]] const Stream& stream() const { return stream_; }
  [[nodiscard]] const LevelSlot& seen(level_t level) const { return slots_.seen(level); }
  [[nodiscard]] Answer asked() const { return asked_; }
  // An engine that makes its own graph from it may release it; work() then has none.
  [[nodiscard]] const DeviceGraph& device_graph() const { return graph_; }
  void release_graph();
  // The graph, statuses and slots, without an engine's queues.
  [[nodiscard]] const Traversal& work() const { return work_; }

 private:
  // Events around one of several searches.
  struct SearchEvents {
    Event begin, end;
  };

  void run_from_host(vertex_t source, LevelSink* sink);
  std::vector<double> search_one_by_one(std::span<const vertex_t> sources);
  [[nodiscard]] AnswerView view_of(const StatusView& status) const;
  [[nodiscard]] StatusView kept(std::size_t search) const;
  void queue_keeping(std::size_t search) const;
  void report_log(LevelSink& sink);

  const char* name_;
  Answer asked_;
  bool goes_up_;

  const CsrGraph* csr_ = nullptr;
  Stream stream_;
  Event begin_, end_;
  DeviceGraph graph_;
  StatusArrays status_;
  StatusArrays kept_;  // [searches][n]
  std::vector<SearchEvents> searches_;
  DeviceBuffer<vertex_t> sources_;             // [searches]
  DeviceBuffer<unsigned long long> times_ns_;  // [searches][2]
  LevelSlots slots_;
  LevelLog log_;  // made when a sink first asks for it
  Traversal work_;
};

}  // namespace bfslab::cuda
