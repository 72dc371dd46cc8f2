// SPDX-License-Identifier: Apache-2.0
// GroupWorker: the worker of one group: started, with its graph loaded, closed, and started again
// after another process ended it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "harness/run/plan.hpp"
#include "harness/run/sweep_context.hpp"
#include "harness/run/worker_process.hpp"

namespace bfslab {

class GroupWorker {
 public:
  GroupWorker(const SweepContext& context, const TrialGroup& group)
      : context_(context), group_(group) {}

  // The graph could not be loaded.
  struct Failure {
    Status status = Status::crash;
    std::string reason;
    bool bad_input = false;  // the fault of the graph's input
    bool died = false;       // the worker died, and a later run may succeed
  };
  // Starts a worker, which loads the graph. Throws what WorkerProcess throws.
  std::variant<GraphFactsReply, Failure> open(const OpenRequest& request);
  [[nodiscard]] bool is_open() const { return process_ != nullptr; }

  // Lets the open worker run a trial. Throws what WorkerProcess::ask throws.
  WorkerProcess::Outcome run(const TrialRequest& request);
  // Returns whether a signal stopped the worker during the last trial.
  [[nodiscard]] bool was_stopped() const { return process_->was_stopped(); }

  struct Closing {
    std::string fault;                       // the graph in memory has changed; empty: it has not
    std::optional<Calibration> calibration;  // after the trials
    std::string ending;                      // how it failed to end; empty: it ended
  };
  // Asks the open worker for its state, and ends it.
  Closing close();
  // Kills the worker if there is one.
  void drop() { process_.reset(); }

 private:
  std::optional<std::variant<GraphFactsReply, Failure>> try_to_open(
      const OpenRequest& request, const std::vector<std::string>& launch, bool last);

  const SweepContext& context_;
  const TrialGroup& group_;
  std::unique_ptr<WorkerProcess> process_;
};

// The request that opens a worker of this group. `facts`: the row of the graph, if it is known.
OpenRequest open_request(const SweepContext& context, const TrialGroup& group,
                         const GraphRow& facts);

}  // namespace bfslab
