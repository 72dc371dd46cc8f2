// SPDX-License-Identifier: Apache-2.0
// The engine of `dfq` and `tigr`: one search (top_down/), top-down from the first level to the
// last, by one cooperative launch per traversal or per level.
//
// The time includes the reset of the statuses and every launch. If persistent, the host sees
// nothing before the end. A level sink gets one launch per level, and makes expansions claim what
// they find, so that a level's size is known before it runs.
#include <algorithm>
#include <limits>

#include "kernels/cuda/engines/make_engine.hpp"
#include "kernels/cuda/top_down/prepared_top_down.hpp"
#include "kernels/cuda/traversal/gpu_engine.hpp"
#include "kernels/cuda/traversal/reset.cuh"

namespace bfslab::cuda {
namespace {

// Returns the name of the frontier in rows of levels.
const char* technique_of(const TopDownSettings& settings) {
  const auto* const part =
      std::ranges::find(kFrontiers, settings.frontier, &FrontierPart::frontier);
  return part == std::end(kFrontiers) ? "" : part->name;
}

class SearchEngine final : public GpuEngine {
 public:
  SearchEngine(const char* name, const TopDownSettings& settings, Answer answer)
      : GpuEngine(name, answer, false), prepared_(settings) {}

 private:
  void prepare() override { prepared_.choose_grid(); }
  void allocate() override { prepared_.allocate(csr(), work(), true, stream()); }
  void add_memory(MemoryUse& use) const override { prepared_.add_memory(use); }

  [[nodiscard]] bool drives_itself() const override { return prepared_.settings().persistent; }
  void run_on_device(vertex_t source, const LevelLogView& log) override {
    begin(source, false, false);
    TopDown search = prepared_.search();
    search.log = log;
    prepared_.launch(search, {}, std::numeric_limits<level_t>::max(), stream().get());
  }
  // Possible only if a queue's entries are the frontier's vertices: neither shares of them, nor
  // only those that have edges.
  [[nodiscard]] bool logs_levels() const override {
    const TopDownSettings& settings = prepared_.settings();
    const bool all_enter = !settings.by_class() && settings.frontier.collect != Collect::prefix_sum;
    return settings.frontier.queue != Queue::none && settings.split == 0 && all_enter;
  }

  void begin(vertex_t source, bool watched, bool /*counts*/) override {
    watched_ = watched;
    reset(prepared_.search(), {.given = source}, prepared_.source_in(), stream().get(),
          prepared_.reset_extra());
  }
  [[nodiscard]] LevelPlan plan(const Progress& /*at*/) const override {
    return {Direction::top_down, technique_of(prepared_.settings())};
  }
  void launch_level(const Progress& at) override {
    TopDown search = prepared_.search();
    search.collecting.counts = watched_;
    prepared_.launch(search, {.given = at.level}, 1, stream().get());
  }
  // Without a sink, a level's size is known only when it has run.
  void close_level(Progress& at) override {
    const LevelSlot& next = seen(at.level + 1);
    at.advance(watched_ ? next.vertices : seen(at.level).all_queued(), next.edges, false);
  }

  void measure_level(LevelSink& sink, const Progress& ran) override {
    measure(sink, ran.level, seen(ran.level));
  }
  void measure_log(LevelSink& sink, const Progress& ran, const LevelSlot& slot,
                   double /*generation_ms*/, double /*traversal_ms*/) override {
    measure(sink, ran.level, slot);
  }
  // Reports how the level's frontier was collected. A scan-free level counts nothing here.
  static void measure(LevelSink& sink, level_t level, const LevelSlot& slot) {
    const auto report = [&](const char* metric, double value) {
      if (value > 0) sink.measure({"queue", metric, value, "1", level});
    };
    report("atomics", static_cast<double>(slot.queue_atomics));
    report("drains", slot.drains);
    report("scanning_blocks", slot.scanning_blocks);
  }

  void queue_verdict() override {
    if (prepared_.may_overflow()) prepared_.fetch_overflow(stream().get());
  }
  void judge() override {
    if (prepared_.may_overflow()) prepared_.refuse_overflow();
  }

  PreparedTopDown prepared_;
  bool watched_ = false;
};

[[maybe_unused]] const bool dfq_supplied =
    make_dfq.supply([](const TopDownSettings& settings, Answer answer) -> std::unique_ptr<Engine> {
      return std::make_unique<SearchEngine>("dfq", settings, answer);
    }) &&
    make_tigr.supply([](const TopDownSettings& settings, Answer answer) -> std::unique_ptr<Engine> {
      return std::make_unique<SearchEngine>("tigr", settings, answer);
    });

}  // namespace

}  // namespace bfslab::cuda
