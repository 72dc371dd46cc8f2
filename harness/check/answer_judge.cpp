#include "harness/check/answer_judge.hpp"

#include "harness/check/check.hpp"
#include "kernels/device_errors.hpp"

namespace bfslab {

AnswerChecker* AnswerJudge::device_checker(const CsrGraph& graph) {
  if (!device_checker_ && !no_room_) device_checker_ = make_device_checker(graph);
  return device_checker_.get();
}

CheckResult AnswerJudge::judge(const CsrGraph& graph, vertex_t source, const AnswerView& answer,
                               bool check) {
  if (answer.space == MemorySpace::device) {
    try {
      if (AnswerChecker* const there = device_checker(graph)) {
        return check ? there->check(source, answer) : there->summarize(source, answer);
      }
    } catch (const OutOfDeviceMemory&) {
      device_checker_.reset();
      no_room_ = true;
    }
  }
  const AnswerView here = host_answer_.take(answer);
  return check ? check_answer(graph, source, here) : summarize_answer(graph, source, here);
}

void AnswerJudge::make_room() {
  device_checker_.reset();
  no_room_ = false;
}

}  // namespace bfslab
