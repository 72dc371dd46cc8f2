// SPDX-License-Identifier: Apache-2.0
// Measures what it costs to start a search and to learn that it has ended, beside the search: one
// kernel of the whole grid that reads a source, meets at one barrier, and writes an answer.
//
//   search_start_benchmark --benchmark_filter=start
//
// Names: start/WAY, and what Google Benchmark adds (/real_time).
//   WAY  launch    a cooperative launch, and a wait for the stream
//        events    the same between two events, whose difference is read, as trials are timed
//        graph     the same launch as the only node of a CUDA graph
//        resident  a kernel that stays on the GPU, and waits for a source in the host's memory
// The counter `blocks` is the grid's. Time is that of the host, from a source to its answer, which
// each way checks. `resident` leaves the GPU to nothing else, and ends by itself 2 s after the last
// source.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <cuda/atomic>
#include <exception>
#include <stdexcept>
#include <string>

#include "kernels/cuda/device/cooperative.hpp"
#include "kernels/cuda/device/memory.hpp"
#include "kernels/cuda/device/stream.hpp"
#include "kernels/cuda/traversal/collectives.cuh"
#include "tests/benchmarks/gpu_benchmarks.hpp"

namespace bfslab::cuda {
namespace {

constexpr unsigned kThreads = 1024;
constexpr std::uint32_t kStop = ~0U;
constexpr long long kPatience = 4'000'000'000;  // cycles, some 2 s
using HostWord = ::cuda::atomic_ref<std::uint32_t, ::cuda::thread_scope_system>;

// In the host's memory, which both sides read and write. A turn is a search.
struct Mail {
  std::uint32_t source = 0;
  std::uint32_t asked = 0;     // turns
  std::uint32_t answer = 0;    // source + 1
  std::uint32_t answered = 0;  // turns
};

__global__ void __launch_bounds__(kThreads, 1) search_once(Mail* mail) {
  const std::uint32_t source = mail->source;
  barrier_of_grid();
  if (blockIdx.x == 0 && threadIdx.x == 0) mail->answer = source + 1;
}

// Returns the source of a turn, or kStop after a while without one. Called by one thread.
__device__ std::uint32_t next_source(Mail* mail, std::uint32_t turn) {
  const long long since = clock64();
  while (HostWord(mail->asked).load(::cuda::memory_order_acquire) < turn) {
    if (clock64() - since > kPatience) return kStop;
  }
  return *static_cast<volatile std::uint32_t*>(&mail->source);
}

// `relay`: in the device's memory, where all blocks read the source that one has fetched.
__global__ void __launch_bounds__(kThreads, 1)
    search_until_stopped(Mail* mail, volatile std::uint32_t* relay) {
  for (std::uint32_t turn = 1;; ++turn) {
    const bool leads = blockIdx.x == 0 && threadIdx.x == 0;
    if (leads) *relay = next_source(mail, turn);
    barrier_of_grid();
    const std::uint32_t source = *relay;
    if (source == kStop) return;
    barrier_of_grid();
    if (!leads) continue;
    mail->answer = source + 1;
    HostWord(mail->answered).store(turn, ::cuda::memory_order_release);
  }
}

class Starts {
 public:
  Starts() : mail_(1), relay_(1) {
    mail_[0] = {};
    once_.kernel = &search_once;
    resident_.kernel = &search_until_stopped;
    once_.threads = resident_.threads = kThreads;
    once_.blocks = blocks_at_once(once_.kernel, kThreads, 0);
    resident_.blocks = blocks_at_once(resident_.kernel, kThreads, 0);
  }

  void launch(std::uint32_t source) {
    mail_[0].source = source;
    once_.launch(stream_.get(), mail_.data());
    stream_.wait();
  }
  void between_events(std::uint32_t source) {
    mail_[0].source = source;
    begin_.record(stream_);
    once_.launch(stream_.get(), mail_.data());
    end_.record(stream_);
    stream_.wait();
    benchmark::DoNotOptimize(ms_between(begin_, end_));
  }
  void make_graph() {
    cudaGraph_t graph = nullptr;
    BFSLAB_CUDA(cudaStreamBeginCapture(stream_.get(), cudaStreamCaptureModeThreadLocal));
    once_.launch(stream_.get(), mail_.data());
    BFSLAB_CUDA(cudaStreamEndCapture(stream_.get(), &graph));
    BFSLAB_CUDA(cudaGraphInstantiate(&graph_, graph, 0));
    BFSLAB_CUDA(cudaGraphDestroy(graph));
  }
  void by_graph(std::uint32_t source) {
    mail_[0].source = source;
    BFSLAB_CUDA(cudaGraphLaunch(graph_, stream_.get()));
    stream_.wait();
  }
  void begin_resident() {
    mail_[0] = {};
    resident_.launch(stream_.get(), mail_.data(), relay_.data());
  }
  void ask(std::uint32_t source) {
    mail_[0].source = source;
    HostWord(mail_[0].asked).store(++turn_, ::cuda::memory_order_release);
  }
  void by_resident(std::uint32_t source) {
    ask(source);
    constexpr unsigned kOften = 1U << 20;  // a query of the stream takes microseconds
    for (unsigned looks = 1; HostWord(mail_[0].answered).load(::cuda::memory_order_acquire) < turn_;
         ++looks) {
      if (looks % kOften == 0 && cudaStreamQuery(stream_.get()) == cudaSuccess) {
        throw std::runtime_error("the resident kernel has ended");
      }
    }
  }
  void end_resident() {
    ask(kStop);
    stream_.wait();
  }
  [[nodiscard]] bool is_answer_to(std::uint32_t source) const {
    return mail_[0].answer == source + 1;
  }
  [[nodiscard]] unsigned blocks() const { return once_.blocks; }

  ~Starts() {
    if (graph_ != nullptr) static_cast<void>(cudaGraphExecDestroy(graph_));
  }
  Starts(const Starts&) = delete;
  Starts& operator=(const Starts&) = delete;

 private:
  Stream stream_;
  Event begin_, end_;
  PinnedBuffer<Mail> mail_;
  DeviceBuffer<std::uint32_t> relay_;
  CooperativeKernel<Mail*> once_;
  CooperativeKernel<Mail*, volatile std::uint32_t*> resident_;
  cudaGraphExec_t graph_ = nullptr;
  std::uint32_t turn_ = 0;
};

void start(benchmark::State& state, void (Starts::*begin)(), void (Starts::*search)(std::uint32_t),
           void (Starts::*end)()) {
  try {
    Starts starts;
    if (begin != nullptr) (starts.*begin)();
    std::uint32_t source = 0;
    bool is_right = true;
    for ([[maybe_unused]] auto iteration : state) {
      (starts.*search)(++source);
      is_right = is_right && starts.is_answer_to(source);
    }
    if (end != nullptr) (starts.*end)();
    if (!is_right) state.SkipWithError("an answer is to another source");
    state.counters["blocks"] = starts.blocks();
  } catch (const std::exception& error) {
    state.SkipWithError(error.what());
  }
}

void register_all() {
  struct Way {
    const char* name;
    void (Starts::*begin)();
    void (Starts::*search)(std::uint32_t);
    void (Starts::*end)();
  };
  for (const Way& way :
       {Way{"launch", nullptr, &Starts::launch, nullptr},
        Way{"events", nullptr, &Starts::between_events, nullptr},
        Way{"graph", &Starts::make_graph, &Starts::by_graph, nullptr},
        Way{"resident", &Starts::begin_resident, &Starts::by_resident, &Starts::end_resident}}) {
    benchmark::RegisterBenchmark(
        (std::string("start/") + way.name).c_str(),
        [way](benchmark::State& state) { start(state, way.begin, way.search, way.end); })
        ->UseRealTime()
        ->Unit(benchmark::kMicrosecond)
        ->MinTime(0.2)
        ->Repetitions(3);
  }
}

}  // namespace
}  // namespace bfslab::cuda

int main(int argc, char** argv) {
  return bfslab::cuda::run_gpu_benchmarks(argc, argv, "search-start", &bfslab::cuda::register_all);
}
