// SPDX-License-Identifier: Apache-2.0
#include "harness/run/worker_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <new>
#include <utility>
#include <vector>

#include "datasets/build/build.hpp"
#include "harness/run/ranks.hpp"
#include "harness/run/sources.hpp"
#include "harness/spec/read.hpp"
#include "harness/spec/runnable.hpp"
#include "kernels/device_build.hpp"
#include "kernels/nvtx.hpp"

namespace bfslab {

namespace {

// Returns the reason why no configuration can run here on any graph, so that the graph need not be
// built; empty if one can.
std::string none_can_run(const Spec& spec) {
  std::string reason;
  for (const Configuration& each : spec.configurations) {
    reason = cannot_make(each, spec.answer);
    if (reason.empty()) return {};
  }
  return reason;
}

LoadOptions load_options(const Spec& spec, const OpenRequest& request, const Report& report) {
  LoadOptions options;
  options.data_folders = request.data_folders;
  options.cache_folder = request.cache_folder;
  options.transpose = std::ranges::any_of(spec.configurations, [](const Configuration& each) {
    return each.engine->can.needs_transpose;
  });
  options.notice = [&report](const std::string& text) { report(Notice{text}); };
  // A GPU that will traverse the graph can build it, too.
  if (uses_gpu(spec)) {
    options.build_elsewhere = [&report](const EdgeSource& source, const BuildOptions& build) {
      const auto begin = std::chrono::steady_clock::now();
      DeviceBuild done = build_on_device(source, build);
      const std::chrono::duration<double, std::milli> spent =
          std::chrono::steady_clock::now() - begin;
      if (done.built) {
        report(Notice{fmt::format("built on the GPU in {:.0f} ms", spent.count())});
      } else if (!done.why_not.empty()) {
        report(Notice{"built on the CPU, not on the GPU: " + done.why_not});
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

// Describes a graph that no configuration needs built. The hash changes with the generator or the
// file, so that a later run does not add to rows of another graph.
GraphFactsReply describe_recipe(const GraphName& name, const LoadOptions& options) {
  const std::string stamp = graph_stamp(name, options);
  GraphFactsReply facts;
  facts.graph_hash = "recipe-" + short_hash(name.canonical + '\n' + stamp);
  const GraphSize size = predict_size(name);
  if (size.vertices > 0) facts.vertices = size.vertices;
  if (size.edges > 0) facts.edges = size.edges;
  facts.symmetric = name.build.symmetrize;
  facts.made_from = stamp;
  facts.provenance = text_of({{"built", "no, used by its recipe: edges is an upper bound"},
                              {"recipe", name.canonical},
                              {"made_from", stamp}});
  facts.profiled = nvtx::attached();
  return facts;
}

GraphFactsReply describe(const CsrGraph& graph, const Spec& spec, bool traverses, double load_ms) {
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
  if (traverses) {
    SourceChoice choice = choose_sources(graph, spec.sources_of(spec.graphs.front()));
    facts.eligible_sources = choice.eligible;
    facts.sources = std::move(choice.sources);
  }
  facts.profiled = nvtx::attached();
  return facts;
}

}  // namespace

bool uses_gpu(const Spec& spec) {
  return std::ranges::any_of(spec.configurations,
                             [](const Configuration& each) { return each.engine->can.gpu; });
}

WorkerGraph::WorkerGraph(distributed::Processes& processes, const Company& company,
                         const Spec& spec, const OpenRequest& request, const Report& report)
    : processes_(processes),
      company_(company),
      spec_(spec),
      request_(request),
      report_(report),
      options_(load_options(spec, request, report)),
      source_{nullptr, spec.graphs.front().name.canonical, &options_} {}

// Returns the reason why these ranks cannot load this graph together; empty if they can.
// Collective.
std::string WorkerGraph::refusal() {
  std::string why = disagreement(processes_, "of spec", spec_.hash);
  if (why.empty() && !request_.whole && processes_.size() > 1) {
    const GraphFactsReply recipe = describe_recipe(spec_.graphs.front().name, options_);
    why = disagreement(processes_, "of graph", recipe.graph_hash);
  }
  return why;
}

std::variant<GraphFactsReply, FailedReply> WorkerGraph::load() {
  if (std::string why = refusal(); !why.empty()) {
    return FailedReply{Status::crash, std::move(why)};
  }
  if (std::string none = none_can_run(spec_); processes_.size() == 1 && !none.empty()) {
    return FailedReply{Status::unsupported, std::move(none)};
  }
  GraphFactsReply facts;
  Status status = Status::skipped;
  std::string why;
  try {
    if (!request_.whole) {
      facts = describe_parts();
    } else if (processes_.rank() == 0) {
      facts = load_whole();
    }
  } catch (const InputError& error) {
    why = error.what();
  } catch (const std::bad_alloc&) {
    if (!request_.whole && processes_.size() > 1) throw;  // this rank alone has run out of memory
    status = Status::oom;
    why = "std::bad_alloc while loading the graph";
  }
  if (request_.whole) share_text(processes_, why);
  if (!why.empty()) return FailedReply{status, std::move(why)};
  return facts;
}

GraphFactsReply WorkerGraph::load_whole() {
  const GraphName& name = spec_.graphs.front().name;
  // The stamp is taken first, so that a file that changes meanwhile has another one later.
  const std::string stamp = graph_stamp(name, options_);
  const auto begin = std::chrono::steady_clock::now();
  csr_ = load_graph(name, options_);
  const std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - begin;
  source_.csr = &csr_;
  GraphFactsReply facts = describe(csr_, spec_, request_.traverses, spent.count());
  facts.made_from = stamp;
  return facts;
}

// The same with sources, which all ranks draw together from a graph that engines make in parts.
GraphFactsReply WorkerGraph::describe_parts() {
  const GraphEntry& entry = spec_.graphs.front();
  GraphFactsReply facts = describe_recipe(entry.name, options_);
  if (!request_.traverses) return facts;
  if (facts.graph_hash == request_.drawn_from) {
    facts.sources = request_.drawn;  // all tuples are made once, not by each worker
    return facts;
  }
  report_(Notice{fmt::format("{}: drawing its sources", entry.text)});
  const auto processors = static_cast<unsigned>(CPU_COUNT(&company_.processors));
  distributed::Word threads = std::max(1U, processors / company_.ranks);
  processes_.all_reduce({&threads, 1}, distributed::Reduction::minimum);
  const distributed::EligibleVertices eligible(processes_, static_cast<unsigned>(threads), source_,
                                               eligible_rule(spec_.sources));
  facts.vertices = eligible.vertices();
  facts.input_edges = eligible.tuples();
  SourceChoice choice = choose_sources(eligible, spec_.sources_of(entry));
  facts.eligible_sources = choice.eligible;
  facts.sources = std::move(choice.sources);
  return facts;
}

std::string WorkerGraph::damage() const {
  if (source_.csr == nullptr) return {};
  for (const CsrGraph* each : {&csr_, csr_.incoming()}) {
    if (each == nullptr || content_hash(*each) == each->identity().content_hash) continue;
    return fmt::format("the graph{} in the worker's memory is not the one that was loaded",
                       each == &csr_ ? "" : "'s transpose");
  }
  return {};
}

}  // namespace bfslab
