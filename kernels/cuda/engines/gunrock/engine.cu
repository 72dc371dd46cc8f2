// SPDX-License-Identifier: Apache-2.0
// gunrock: Gunrock's BFS (Wang et al., TOPC 2017, sections 4 and 5), reimplemented over the parts
// in frontier/, expand/ and bottom_up/. A level is bulk-synchronous:
//   push  advance: every edge of the queue, shared out evenly (load_balanced: section 5.1.2) or by
//         degree (thread_warp_cta: 5.1.1), marks neighbours without a claim and lists them as
//         candidates; filter: puts each candidate once into the next queue (frontier/filter.cuh);
//   pull  where the frontier is large, unvisited vertices look for a parent instead
//         (bottom_up/unvisited_list.cuh), by the rule of levels.hpp.
//
// As in Gunrock, the host drives the levels and waits for each one's size, and do_a = 0.001 and
// do_b = 0.2 are its defaults; its authors' tuned values differ by graph.
//
// Deviations: advance and filter are two halves of one cooperative kernel with a barrier of the
// grid between them. Gunrock launches separate kernels; here a level costs one launch and one
// read-back of 20 us together (`launch = persistent` avoids these too). The filter is exact.
// Advance lists only neighbours that look unvisited. Queues have bounds that hold for any graph (n
// entries, and one candidate per edge), where Gunrock's grow at run time.
//
// Cost per pushed vertex: 4 bytes of queue twice, 16 of offsets and 8 of their sums; per edge: 4,
// and a random status word; per candidate: 8, and a random bit. Wins on skewed graphs, by pulls.
#include <limits>

#include "kernels/cuda/device/cooperative.hpp"
#include "kernels/cuda/engines/gunrock/levels.hpp"
#include "kernels/cuda/engines/make_engine.hpp"
#include "kernels/cuda/traversal/gpu_engine.hpp"
#include "kernels/cuda/traversal/reset.cuh"

namespace bfslab::cuda {
namespace {

// The part of the reset that only this engine needs.
struct ClearFilter {
  std::uint32_t* queued = nullptr;  // [ceil(n / 32)] null: no filter
  vertex_t vertices = 0;

  __device__ void clear(std::size_t thread, std::size_t threads) const {
    if (queued != nullptr) CandidatesView{nullptr, queued}.clear(thread, threads, vertices);
  }
  __device__ void place(vertex_t /*source*/, LevelSlot& /*first*/) const {}
};

class Gunrock final : public GpuEngine {
 public:
  explicit Gunrock(const EngineSettings& settings)
      : GpuEngine("gunrock", settings.answer, settings.toggles.flag("direction_optimised")),
        advance_(expansion(settings.toggles.choice("advance"))),
        idempotent_(settings.toggles.flag("idempotent")),
        persistent_(settings.toggles.choice("launch") == "persistent"),
        rules_{.direction_optimised = settings.toggles.flag("direction_optimised"),
               .do_a = settings.toggles.real("do_a"),
               .do_b = settings.toggles.real("do_b")} {}

 private:
  void prepare() override {
    for (const bool counts : {false, true}) {
      CooperativeKernel<GunrockWork, Progress, level_t>& kernel = kernels_[counts ? 1 : 0];
      kernel.kernel = gunrock_kernel(advance_, counts);
      kernel.threads = kGunrockThreads;
      kernel.blocks = blocks_at_once(kernel.kernel, kernel.threads, 0);
    }
  }

  void allocate() override {
    const std::size_t n = vertices();
    rules_.vertices = static_cast<double>(n);
    rules_.edges = static_cast<double>(csr().edge_count());
    static_cast<Traversal&>(work_) = work();
    work_.rules = rules_;
    for (int parity = 0; parity < 2; ++parity) {
      queue_[parity] = WholeQueue(n);
      work_.queue[parity] = queue_[parity].view();
    }
    work_.collecting.on_found = idempotent_ ? OnFound::listed : OnFound::queued;
    if (idempotent_) {
      candidates_ = Candidates("idempotent", n, csr().edge_count());
      work_.collecting.candidates = candidates_.view();
    }
    if (advance_.traits.sums_degrees) {
      sums_ = DegreeSums(n, std::max(kernels_[0].blocks, kernels_[1].blocks));
    }
    work_.expansion = sums_.view(1);
    if (rules_.direction_optimised) unvisited_ = UnvisitedList(n);
    work_.unvisited = unvisited_.view();
  }

  void add_memory(MemoryUse& use) const override {
    use.queues +=
        queue_[0].bytes() + queue_[1].bytes() + candidates_.list_bytes() + unvisited_.bytes();
    use.scratch += candidates_.bitmap_bytes() + sums_.bytes();
    use.sized_by_device += sums_.bytes_by_device();
  }

  [[nodiscard]] bool drives_itself() const override { return persistent_; }
  void run_on_device(vertex_t source, const LevelLogView& log) override {
    begin(source, false, false);
    GunrockWork work = work_;
    work.log = log;
    kernels_[0].launch(stream().get(), work, {}, std::numeric_limits<level_t>::max());
  }
  [[nodiscard]] bool logs_levels() const override { return true; }
  [[nodiscard]] LevelPlan read_log(Progress& at, const LevelRecord& /*ran*/,
                                   const LevelSlot& next) const override {
    const LevelPlan level_plan = plan(at);
    advance(at, next);
    return level_plan;
  }

  void begin(vertex_t source, bool /*watched*/, bool counts) override {
    counts_ = counts;
    reset(work_, {.given = source}, SourceIn::whole_queue, stream().get(),
          ClearFilter{work_.collecting.candidates.queued, vertices()});
  }
  [[nodiscard]] LevelPlan plan(const Progress& at) const override {
    if (rules_.pulls(at)) return {Direction::bottom_up, "unvisited_list"};
    return {Direction::top_down, idempotent_ ? advance_.traits.gunrock_filter : advance_.name};
  }
  void launch_level(const Progress& at) override {
    GunrockWork work = work_;
    work.collecting.counts = counts_;  // advance claims, so that its finds can be counted
    kernels_[counts_ ? 1 : 0].launch(stream().get(), work, at, 1);
  }
  void close_level(Progress& at) override { advance(at, seen(at.level + 1)); }
  void advance(Progress& at, const LevelSlot& next) const {
    const bool pulled = rules_.pulls(at);
    at.advance(pulled ? next.vertices : next.queued[0], next.edges, pulled);
  }

  const ExpansionPart& advance_;
  bool idempotent_, persistent_;
  bool counts_ = false;
  GunrockRules rules_;
  CooperativeKernel<GunrockWork, Progress, level_t> kernels_[2];  // [counting]
  WholeQueue queue_[2];
  Candidates candidates_;
  DegreeSums sums_;
  UnvisitedList unvisited_;
  GunrockWork work_;
};

[[maybe_unused]] const bool supplied =
    make_gunrock.supply([](const EngineSettings& settings) -> std::unique_ptr<Engine> {
      return std::make_unique<Gunrock>(settings);
    });

}  // namespace

}  // namespace bfslab::cuda
