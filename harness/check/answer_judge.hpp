// AnswerJudge: an answer in one part is checked in the memory where it lies: the host's by the
// host's check, a GPU's on that GPU, as long as there is room for one more copy of the graph beside
// the engines. Where there is none, and where an answer has several parts, it is gathered in host
// memory and checked there. The verdict is the same.
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
  // Gives the judge's device memory back. For the time before an engine loads: none may find too
  // little for the judge's sake.
  void make_room();

 private:
  // Null where there is no room.
  AnswerChecker* device_checker(const CsrGraph& graph);

  std::unique_ptr<AnswerChecker> device_checker_;
  bool no_room_ = false;  // so it was found, and nothing has changed since
  HostAnswer host_answer_;
};

}  // namespace bfslab
