// SPDX-License-Identifier: Apache-2.0
// From a file to a CSR with its content hash, and from the cache into memory: every format, every
// packing, and the peak of memory relative to the CSR. Counters: MB/s per core (10^6 bytes of
// the file over wall time and threads; packed files also of their plain text), peak/CSR.
//   read_benchmark --benchmark_filter='SnapText|Soc' --benchmark_repetitions=5
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <filesystem>

#include "datasets/load_graph.hpp"
#include "tests/benchmarks/graph_files.hpp"
#include "tests/benchmarks/peak_memory.hpp"

namespace bfslab::bench {
namespace {

// Loads the graph as often as requested; `bytes` are those that the rate counts.
void load(benchmark::State& state, const std::string& name, double bytes, int threads) {
  LoadOptions options;
  options.threads = threads;
  const GraphName graph_name = GraphName::parse(name);
  double peak = 0;
  double csr = 1;
  for (auto _ : state) {
    const PeakMemory memory;
    const CsrGraph graph = load_graph(graph_name, options);
    benchmark::DoNotOptimize(graph.columns().data());
    state.PauseTiming();
    peak = std::max(peak, static_cast<double>(memory.bytes()));
    csr = static_cast<double>(graph.bytes());
    state.ResumeTiming();
  }
  state.counters["MB_a_core"] =
      benchmark::Counter(bytes / 1e6 / threads, benchmark::Counter::kIsIterationInvariantRate);
  state.counters["file_MB"] = bytes / 1e6;
  state.counters["peak/CSR"] = peak / csr;
}

double size_of(const std::string& path) {
  return static_cast<double>(std::filesystem::file_size(path));
}

// The argument is the number of threads.
void SocEpinions1(benchmark::State& state) {
  const std::string path = real_snap_file("soc-Epinions1");
  if (path.empty()) {
    state.SkipWithError("soc-Epinions1 is not here: set BFSLAB_TEST_DATA to a folder with mirror/");
    return;
  }
  load(state, "file:" + path, size_of(path), static_cast<int>(state.range(0)));
}

// Scale 21 is a text of about 500 MB.
void SnapText(benchmark::State& state) {
  const std::string path = graph_file("snap", "", 21);
  load(state, "file:" + path, size_of(path), static_cast<int>(state.range(0)));
}

// One format of a graph of scale 18, on one thread.
void Format(benchmark::State& state, const std::string& format) {
  const std::string path = graph_file(format, "", 18);
  load(state, fmt::format("file:{},format={}", path, format), size_of(path), 1);
}

// The rate is that of the plain text inside.
void Packing(benchmark::State& state, const std::string& packing) {
  const std::string path = graph_file("snap", packing, 18);
  if (path.empty()) {
    state.SkipWithError(("this build cannot write " + packing).c_str());
    return;
  }
  load(state, "file:" + path, size_of(graph_file("snap", "", 18)), 1);
}

// A graph of scale 22 from the cache, checksums verified; the second argument copies it into huge
// pages. GB/s of the CSR.
void Cached(benchmark::State& state) {
  LoadOptions options;
  options.threads = static_cast<int>(state.range(0));
  options.huge_pages = state.range(1) != 0;
  options.cache_folder = scratch_folder() + "/cache";
  const GraphName name = GraphName::parse("kronecker:scale=22");
  const double bytes = static_cast<double>(load_graph(name, options).bytes());
  for (auto _ : state) {
    const CsrGraph graph = load_graph(name, options);
    benchmark::DoNotOptimize(graph.columns().data());
  }
  state.counters["GB"] =
      benchmark::Counter(bytes / 1e9, benchmark::Counter::kIsIterationInvariantRate);
}

// A generated graph from scratch: the arguments are scale and threads.
void Kronecker(benchmark::State& state) {
  load(state, fmt::format("kronecker:scale={}", state.range(0)), 0,
       static_cast<int>(state.range(1)));
  state.counters.erase("MB_a_core");
  state.counters.erase("file_MB");
}

BENCHMARK(SocEpinions1)
    ->ArgName("threads")
    ->Arg(1)
    ->Arg(2)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK(SnapText)
    ->ArgName("threads")
    ->Arg(1)
    ->Arg(2)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK(Kronecker)
    ->ArgNames({"scale", "threads"})
    ->ArgsProduct({{20, 22}, {1, 2}})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK(Cached)
    ->ArgNames({"threads", "huge_pages"})
    ->ArgsProduct({{1, 2}, {0, 1}})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

#define BFSLAB_FORMAT(label, format) \
  BENCHMARK_CAPTURE(Format, label, format)->Unit(benchmark::kMillisecond)->UseRealTime()
BFSLAB_FORMAT(snap, "snap");
BFSLAB_FORMAT(konect, "konect");
BFSLAB_FORMAT(matrix_market, "matrix-market");
BFSLAB_FORMAT(metis, "metis");
BFSLAB_FORMAT(dimacs9, "dimacs9");
BFSLAB_FORMAT(gapbs, "gapbs");
BFSLAB_FORMAT(arcs, "arcs");
BFSLAB_FORMAT(csr, "csr");

#define BFSLAB_PACKING(label, packing) \
  BENCHMARK_CAPTURE(Packing, label, packing)->Unit(benchmark::kMillisecond)->UseRealTime()
BFSLAB_PACKING(gzip, ".gz");
BFSLAB_PACKING(bzip2, ".bz2");
BFSLAB_PACKING(zstd, ".zst");

}  // namespace
}  // namespace bfslab::bench
