// SPDX-License-Identifier: Apache-2.0
// How long it takes to get graphs into a GPU's memory: generated there, or copied from the host's.
// The argument of a build is the scale, of a transfer the size in MiB; time is that between two
// events on the stream, allocation included. Example:
//   device_build_benchmark --benchmark_filter=Build/25
//
// Predicted for one H200 from measured rates (4.3 TB/s copied, 37 G atomics/s on a large table) for
// scale 25, 0.54 G tuples, 1.07 G entries of 50 bits: tuples made twice 20 ms, their first
// endpoints counted 15 ms, keys written 5 ms, seven digits of the sort at three quarters of the
// memory's speed 40 ms, duplicates and columns 7 ms, offsets 10 ms: 0.1 s plus what the driver
// takes to allocate 22 GB. Ordering by degree makes and sorts all entries twice: 0.2 s. Transfers
// should reach the rate of the bus, about 50 GB/s of PCIe 5.
#include <benchmark/benchmark.h>

#include <cstring>
#include <exception>
#include <string>

#include "datasets/generate/generator.hpp"
#include "datasets/graph/buffer.hpp"
#include "kernels/cuda/build/device_build.hpp"
#include "kernels/cuda/device/device.hpp"
#include "kernels/cuda/device/upload.hpp"

namespace bfslab::cuda {
namespace {

// Runs `action` on `stream` until the state is satisfied, timed by events.
template <typename Action>
void measure(benchmark::State& state, const Stream& stream, const Action& action) {
  const Event begin;
  const Event end;
  for (auto _ : state) {
    begin.record(stream);
    action();
    end.record(stream);
    stream.wait();
    state.SetIterationTime(ms_between(begin, end) / 1e3);
  }
}

// No GPU, or too small a one: the benchmark says so, and the next one runs.
template <typename Action>
void on_device(benchmark::State& state, const Action& action) {
  try {
    device();
    action();
  } catch (const std::exception& error) {
    state.SkipWithError(error.what());
  }
}

void build(benchmark::State& state, const std::string& more) {
  const Stream stream;
  const GraphName name =
      GraphName::parse("kronecker:scale=" + std::to_string(state.range(0)) + more);
  const auto source = find_generator(name.kind)->make(name);
  edge_t entries = 0;
  measure(state, stream,
          [&] { entries = build_on_device(*source, name.build, stream).csr.columns.size(); });
  state.counters["entries"] = static_cast<double>(entries);
  state.counters["tuples/s"] = benchmark::Counter(static_cast<double>(source->size()),
                                                  benchmark::Counter::kIsIterationInvariantRate);
}

void Build(benchmark::State& state) {
  on_device(state, [&] { build(state, ""); });
}
void BuildByDegree(benchmark::State& state) {
  on_device(state, [&] { build(state, ",relabel=degree"); });
}
void BuildShuffled(benchmark::State& state) {
  on_device(state, [&] { build(state, ",relabel=shuffle"); });
}

void transfer(benchmark::State& state, bool up) {
  const Stream stream;
  Buffer<std::byte> host(static_cast<std::size_t>(state.range(0)) << 20);
  std::memset(host.data(), 1, host.bytes());  // touches all pages
  const DeviceBuffer<std::byte> device(host.bytes());
  measure(state, stream, [&] {
    if (up) {
      upload(device.data(), host.data(), host.bytes(), stream);
    } else {
      download(host.data(), device.data(), host.bytes(), stream);
    }
  });
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * host.bytes()));
}

void Upload(benchmark::State& state) {
  on_device(state, [&] { transfer(state, true); });
}
void Download(benchmark::State& state) {
  on_device(state, [&] { transfer(state, false); });
}

BENCHMARK(Build)->DenseRange(20, 26)->Unit(benchmark::kSecond)->UseManualTime()->Iterations(3);
BENCHMARK(BuildByDegree)
    ->DenseRange(20, 25)
    ->Unit(benchmark::kSecond)
    ->UseManualTime()
    ->Iterations(3);
BENCHMARK(BuildShuffled)->Arg(25)->Unit(benchmark::kSecond)->UseManualTime()->Iterations(3);
BENCHMARK(Upload)
    ->Arg(1)
    ->Arg(64)
    ->Arg(4096)
    ->Unit(benchmark::kMillisecond)
    ->UseManualTime()
    ->Iterations(5);
BENCHMARK(Download)->Arg(4096)->Unit(benchmark::kMillisecond)->UseManualTime()->Iterations(5);

}  // namespace
}  // namespace bfslab::cuda
