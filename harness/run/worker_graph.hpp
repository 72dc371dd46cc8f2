// SPDX-License-Identifier: Apache-2.0
// WorkerGraph: the graph that a worker holds in memory, or that its engines make in parts: loads
// it, describes it, and checks at the end that it is unchanged.
#pragma once

#include <functional>
#include <string>
#include <variant>

#include "datasets/load_graph.hpp"
#include "harness/observe/load_meter.hpp"
#include "harness/run/protocol.hpp"
#include "harness/spec/spec.hpp"
#include "kernels/distributed/communicator/processes.hpp"
#include "kernels/engine.hpp"

namespace bfslab {

// Sends a reply to the driver; does nothing on ranks other than 0.
using Report = std::function<void(const Reply&)>;

// Returns whether any configuration of this work runs on GPUs.
bool uses_gpu(const Spec& spec);

class WorkerGraph {
 public:
  // The arguments must outlive it. `spec`: the work of `request`, with one graph.
  WorkerGraph(distributed::Processes& processes, const Company& company, const Spec& spec,
              const OpenRequest& request, const Report& report);
  WorkerGraph(const WorkerGraph&) = delete;
  WorkerGraph& operator=(const WorkerGraph&) = delete;

  // Loads the graph on rank 0; or, if engines make it in parts, describes its recipe and draws its
  // sources on all ranks. Fails if none of the configurations can run here. Collective.
  std::variant<GraphFactsReply, FailedReply> load();

  // As engines get it: `csr` is null on ranks other than 0, and where the graph is not built.
  [[nodiscard]] const GraphSource& source() const { return source_; }
  // Describes the damage of the arrays in memory; empty if they are as they were loaded.
  [[nodiscard]] std::string damage() const;

 private:
  [[nodiscard]] std::string refusal();
  GraphFactsReply describe_parts();
  GraphFactsReply load_whole();

  distributed::Processes& processes_;
  const Company& company_;
  const Spec& spec_;
  const OpenRequest& request_;
  const Report& report_;
  LoadOptions options_;
  CsrGraph csr_;
  GraphSource source_;
};

}  // namespace bfslab
