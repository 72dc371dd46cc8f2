// SPDX-License-Identifier: Apache-2.0
// AnswerJudge: checks an answer in one part in the memory that holds it: in host memory by the
// host's check, in GPU memory on that GPU, as long as there is space for one more copy of the graph
// besides the engines. Otherwise, and if an answer has several parts, it is gathered in host memory
// and checked there. The verdict is the same. The device's check knows no depth limit: answers of
// limited searches are gathered, too.
#pragma once

#include <memory>

#include "harness/check/check.hpp"
#include "harness/check/host_answer.hpp"
#include "kernels/check_result.hpp"
#include "kernels/device_check.hpp"

namespace bfslab {

class AnswerJudge {
 public:
  // Checks the answer, or only counts. `graph` is the same in all calls and outlives the judge.
  // Throws DeviceError, and MalformedAnswer.
  CheckResult judge(const CsrGraph& graph, SearchAsked search, const AnswerView& answer,
                    bool check);
  // Releases the judge's device memory. Called before an engine loads, so that the judge never
  // leaves too little for an engine.
  void make_room();

 private:
  // Returns null if there is no space.
  AnswerChecker* device_checker(const CsrGraph& graph);

  std::unique_ptr<AnswerChecker> device_checker_;
  bool no_room_ = false;  // there was no space, and nothing has changed since
  HostAnswer host_answer_;
};

}  // namespace bfslab
