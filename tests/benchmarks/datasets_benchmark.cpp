// SPDX-License-Identifier: Apache-2.0
// How long it takes to load graphs into memory, by wall time (UseRealTime); the arguments
// are the scale and the number of threads. Example:
//   datasets_benchmark --benchmark_filter=Build --benchmark_repetitions=5
#include <benchmark/benchmark.h>
#include <stdlib.h>

#include <filesystem>
#include <stdexcept>
#include <vector>

#include "datasets/build/build.hpp"
#include "datasets/generate/generator.hpp"
#include "datasets/load_graph.hpp"

namespace bfslab {
namespace {

GraphName kronecker(const benchmark::State& state, const char* more = "") {
  return GraphName::parse("kronecker:scale=" + std::to_string(state.range(0)) + more);
}

LoadOptions load_options(const benchmark::State& state) {
  LoadOptions options;
  options.threads = static_cast<int>(state.range(1));
  return options;
}

void count_edges(benchmark::State& state, edge_t edges) {
  state.counters["edges/s"] =
      benchmark::Counter(static_cast<double>(edges), benchmark::Counter::kIsIterationInvariantRate);
}

// The tuples alone, on one thread: what each pass of the builder costs for a generated graph.
void Generate(benchmark::State& state) {
  const GraphName name = kronecker(state);
  const auto source = find_generator(name.kind)->make(name);
  std::vector<Edge> batch(2048);
  for (auto _ : state) {
    for (edge_t first = 0; first < source->size(); first += batch.size()) {
      source->fill(first, batch);
      benchmark::DoNotOptimize(batch.data());
    }
  }
  count_edges(state, source->size());
}

// From scratch to a CSR with its content hash.
void Build(benchmark::State& state) {
  edge_t edges = 0;
  for (auto _ : state) {
    const CsrGraph graph = load_graph(kronecker(state), load_options(state));
    edges = graph.input_edge_count();
  }
  count_edges(state, edges);
}

void BuildByDegree(benchmark::State& state) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        load_graph(kronecker(state, ",relabel=degree"), load_options(state)).edge_count());
  }
}

void Transpose(benchmark::State& state) {
  const CsrGraph graph = load_graph(kronecker(state, ",symmetrize=false"), load_options(state));
  for (auto _ : state) {
    benchmark::DoNotOptimize(build_transpose(graph, static_cast<int>(state.range(1))));
  }
  count_edges(state, graph.edge_count());
}

void Hash(benchmark::State& state) {
  const CsrGraph graph = load_graph(kronecker(state), load_options(state));
  for (auto _ : state) {
    benchmark::DoNotOptimize(content_hash(graph, static_cast<int>(state.range(1))));
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * graph.bytes()));
}

// A cache file in the page cache, verified; the last argument says whether it is copied to huge
// pages.
void LoadCached(benchmark::State& state) {
  std::string folder = (std::filesystem::temp_directory_path() / "bfslab-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) throw std::runtime_error("no temporary folder");
  LoadOptions options = load_options(state);
  options.cache_folder = folder;
  options.huge_pages = state.range(2) != 0;
  load_graph(kronecker(state), options);
  for (auto _ : state) {
    benchmark::DoNotOptimize(load_graph(kronecker(state), options).edge_count());
  }
  std::filesystem::remove_all(folder);
}

BENCHMARK(Generate)->ArgName("scale")->Arg(20)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(Build)
    ->ArgNames({"scale", "threads"})
    ->ArgsProduct({{20, 22}, {1, 2}})
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime()
    ->UseRealTime();
BENCHMARK(BuildByDegree)
    ->ArgNames({"scale", "threads"})
    ->Args({20, 2})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK(Transpose)
    ->ArgNames({"scale", "threads"})
    ->Args({20, 2})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK(Hash)
    ->ArgNames({"scale", "threads"})
    ->Args({20, 2})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK(LoadCached)
    ->ArgNames({"scale", "threads", "huge_pages"})
    ->Args({20, 2, 0})
    ->Args({20, 2, 1})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace
}  // namespace bfslab
