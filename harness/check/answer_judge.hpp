// SPDX-License-Identifier: Apache-2.0
// AnswerJudge: an answer in one part is checked in the memory that holds it: in the host's by the
// host's check, in a GPU's on that GPU, as long as there is space for one more copy of the graph
// beside the engines. Otherwise, and if an answer has several parts, it is gathered in host memory
// and checked there. The verdict is the same.
#pragma once

#include <memory>

#include "harness/check/host_answer.hpp"
#include "kernels/check_result.hpp"
#include "kernels/device_check.hpp"

namespace bfslab {

class AnswerJudge {
 public:
  // Checks, or only counts. `graph` is the same in all calls and outlives the judge. Throws
  // DeviceError, and MalformedAnswer.
  CheckResult judge(const CsrGraph& graph, vertex_t source, const AnswerView& answer, bool check);
  // Releases the judge's device memory. Called before an engine loads, so that the judge never
  // leaves too little for an engine.
  void make_room();

 private:
  // Null if there is no space.
  AnswerChecker* device_checker(const CsrGraph& graph);

  std::unique_ptr<AnswerChecker> device_checker_;
  bool no_room_ = false;  // it was found so, and nothing has changed since
  HostAnswer host_answer_;
};

}  // namespace bfslab
