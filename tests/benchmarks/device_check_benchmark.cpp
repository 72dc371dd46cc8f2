// SPDX-License-Identifier: Apache-2.0
// How long the check of an answer takes on the GPU: Kronecker graphs generated there, answers of
// xbfs with its defaults. The arguments are the scale and what is answered (0 levels, 1 parents, 2
// both); time is the host's, from the call to the verdict. kernels/cuda/check/device_check.hpp says
// what was predicted. Example:
//   device_check_benchmark --benchmark_filter=Check/25
#include <benchmark/benchmark.h>

#include <exception>
#include <memory>
#include <string>

#include "datasets/generate/generator.hpp"
#include "datasets/name/graph_name.hpp"
#include "kernels/cuda/build/device_build.hpp"
#include "kernels/cuda/check/device_check.hpp"
#include "kernels/cuda/device/device.hpp"

namespace bfslab::cuda {
namespace {

// The last requested graph, on the host and on the device.
struct Graph {
  explicit Graph(std::int64_t scale) {
    const GraphName name = GraphName::parse("kronecker:scale=" + std::to_string(scale));
    const auto source = find_generator(name.kind)->make(name);
    built = build_on_device(*source, name.build, stream);
    csr = CsrGraph(copy_to_host(built, stream), name.build.symmetrize, {}, {});
  }
  Stream stream;
  BuiltGraph built;
  CsrGraph csr;
};

const Graph& graph_of(std::int64_t scale) {
  static std::unique_ptr<Graph> last;
  static std::int64_t last_scale = -1;
  if (last_scale != scale) {
    last.reset();
    last = std::make_unique<Graph>(scale);
    last_scale = scale;
  }
  return *last;
}

void check(benchmark::State& state) {
  const Graph& graph = graph_of(state.range(0));
  vertex_t source = 0;
  while (graph.csr.degree(source) == 0) ++source;
  const EngineInfo& info = *find_engine("xbfs");
  const auto engine =
      info.make({Toggles(info.toggles), static_cast<Answer>(static_cast<int>(state.range(1)))});
  GraphSource to_load;
  to_load.csr = &graph.csr;
  engine->load(to_load);
  engine->traverse(source);
  DeviceChecker checker(graph.csr);
  CheckResult verdict =
      checker.check(source, as_whole(engine->answer()).value());  // and allocates what it needs
  for (auto _ : state) verdict = checker.check(source, as_whole(engine->answer()).value());
  if (!verdict.ok) return state.SkipWithError(verdict.reason.c_str());
  state.counters["entries"] = static_cast<double>(graph.csr.edge_count());
  state.counters["reached"] = static_cast<double>(verdict.reached_vertices);
}

// No GPU, or too small a one: the benchmark says so, and the next one runs.
void Check(benchmark::State& state) {
  try {
    device();
    check(state);
  } catch (const std::exception& error) {
    state.SkipWithError(error.what());
  }
}

BENCHMARK(Check)
    ->ArgsProduct({{20, 22, 24, 25}, {0, 1, 2}})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->Iterations(10);

}  // namespace
}  // namespace bfslab::cuda
