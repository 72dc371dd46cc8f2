#include "harness/run/worker.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <new>
#include <stdexcept>

#include "datasets/load_graph.hpp"
#include "harness/run/engine_bench.hpp"
#include "harness/run/line_pipe.hpp"
#include "harness/run/sources.hpp"
#include "harness/run/worker_process.hpp"
#include "harness/spec/read.hpp"
#include "kernels/device_build.hpp"
#include "kernels/device_services.hpp"
#include "kernels/nvtx.hpp"

namespace bfslab {

namespace {

Spec parse_same_spec(const OpenRequest& request) {
  Spec spec = parse_spec(request.spec, request.spec_file);
  if (spec.hash != request.spec_hash) {
    throw std::runtime_error(
        fmt::format("spec {} became {} on the way to the worker", request.spec_hash, spec.hash));
  }
  GraphEntry& graph = spec.graphs.at(request.graph);
  if (graph.text != request.graph_text) {  // its stand-in: the driver knows what is available here
    graph.text = request.graph_text;
    graph.name = GraphName::parse(graph.text);
  }
  return spec;
}

bool uses_gpu(const Spec& spec, const OpenRequest& request) {
  return std::ranges::any_of(request.configurations, [&](std::size_t c) {
    return spec.configurations.at(c).engine->can.gpu;
  });
}

LoadOptions load_options(const Spec& spec, const OpenRequest& request, LinePipe& pipe) {
  LoadOptions options;
  options.data_folders = request.data_folders;
  options.cache_folder = request.cache_folder;
  options.transpose = std::ranges::any_of(request.configurations, [&](std::size_t c) {
    return spec.configurations.at(c).engine->can.needs_transpose;
  });
  options.notice = [&](const std::string& text) { pipe.write(encode(Notice{text})); };
  // A GPU that will traverse the graph can build it, too.
  if (uses_gpu(spec, request)) {
    options.build_elsewhere = [&](const EdgeSource& source, const BuildOptions& build) {
      const auto begin = std::chrono::steady_clock::now();
      DeviceBuild done = build_on_device(source, build);
      const std::chrono::duration<double, std::milli> spent =
          std::chrono::steady_clock::now() - begin;
      if (done.built) {
        pipe.write(encode(Notice{fmt::format("built on the GPU in {:.0f} ms", spent.count())}));
      } else if (!done.why_not.empty()) {
        pipe.write(encode(Notice{"built on the CPU, not on the GPU: " + done.why_not}));
      }
      return std::move(done.built);
    };
  }
  return options;
}

std::string text_of(const Provenance& provenance) {
  std::vector<std::string> entries;
  for (const auto& [key, value] : provenance) entries.push_back(fmt::format("{}={}", key, value));
  return fmt::format("{}", fmt::join(entries, ";"));
}

// What is known of a graph that nobody asked to build. The hash changes when the generator or the
// file does, so that a later run does not add to rows of another graph.
GraphFactsReply describe_recipe(const GraphName& name, const LoadOptions& options) {
  const std::string stamp = graph_stamp(name, options);
  GraphFactsReply facts;
  facts.graph_hash = "recipe-" + short_hash(name.canonical + '\n' + stamp);
  const GraphSize size = predict_size(name);
  if (size.vertices > 0) facts.vertices = size.vertices;
  if (size.edges > 0) facts.edges = size.edges;
  facts.symmetric = name.build.symmetrize;
  facts.provenance =
      text_of({{"built", "no, only counted from its recipe: edges is an upper bound"},
               {"recipe", name.canonical},
               {"made_from", stamp}});
  facts.profiled = nvtx::attached();
  return facts;
}

GraphFactsReply describe(const CsrGraph& graph, const Spec& spec, double load_ms) {
  GraphFactsReply facts;
  facts.graph_hash = graph.identity().content_hash;
  facts.vertices = graph.vertex_count();
  facts.edges = graph.edge_count();
  facts.input_edges = graph.input_edge_count();
  facts.graph_bytes = graph.bytes();
  edge_t max_degree = 0;
  std::uint64_t isolated = 0;
  for (vertex_t v = 0; v < graph.vertex_count(); ++v) {
    max_degree = std::max(max_degree, graph.degree(v));
    isolated += graph.degree(v) == 0 ? 1 : 0;
  }
  facts.max_degree = max_degree;
  facts.isolated_vertices = isolated;
  facts.symmetric = graph.symmetric();
  facts.load_ms = load_ms;
  facts.provenance = text_of(graph.provenance());
  if (spec.traverses()) {
    SourceChoice choice = choose_sources(graph, spec.sources);
    facts.eligible_sources = choice.eligible;
    facts.sources = std::move(choice.sources);
  }
  facts.profiled = nvtx::attached();
  return facts;
}

void serve(LinePipe& pipe, StepClock& steps) {
  LoadMeter meter;  // from the start, so that its window is full when the first trial begins
  std::string line;
  if (!pipe.read(line)) return;
  const auto request = std::get<OpenRequest>(decode_request(line));
  const Spec spec = parse_same_spec(request);
  const nvtx::Range experiment_range(spec.name.c_str());
  const nvtx::Range graph_range(spec.graphs.at(request.graph).text.c_str());

  steps.enter(Step::graph);
  const GraphName& name = spec.graphs.at(request.graph).name;
  const LoadOptions options = load_options(spec, request, pipe);
  CsrGraph graph;
  GraphSource source{nullptr, name.canonical, &options};
  try {
    if (spec.needs_graphs()) {
      const auto begin = std::chrono::steady_clock::now();
      graph = load_graph(name, options);
      const std::chrono::duration<double, std::milli> spent =
          std::chrono::steady_clock::now() - begin;
      source.csr = &graph;
      pipe.write(encode(describe(graph, spec, spent.count())));
    } else {
      pipe.write(encode(describe_recipe(name, options)));
    }
  } catch (const InputError& error) {
    pipe.write(encode(FailedReply{Status::skipped, error.what()}));
    return;
  } catch (const std::bad_alloc&) {
    pipe.write(encode(FailedReply{Status::oom, "std::bad_alloc while loading the graph"}));
    return;
  }
  if (uses_gpu(spec, request)) gpu::open();
  steps.enter(Step::idle);

  EngineBench bench(spec, source, steps, meter);
  while (pipe.read(line)) {
    pipe.write(encode(bench.run(std::get<TrialRequest>(decode_request(line)))));
  }
}

}  // namespace

int run_worker() {
  for (const int fd : {kRequestFd, kReplyFd, kStepFd}) {
    if (::fcntl(fd, F_GETFD) < 0) {
      throw InputError("`bfslab worker` is started by `bfslab run`, not by hand");
    }
    ::fcntl(fd, F_SETFD, FD_CLOEXEC);
  }
  StepClock steps(kStepFd);
  LinePipe pipe(kRequestFd, kReplyFd);
  try {
    serve(pipe, steps);
  } catch (const std::exception& error) {
    pipe.write(encode(FaultReply{error.what()}));
    return 1;
  }
  return 0;
}

}  // namespace bfslab
