// SPDX-License-Identifier: Apache-2.0
#include "harness/check/answer_judge.hpp"

#include "kernels/device_errors.hpp"

namespace bfslab {

AnswerChecker* AnswerJudge::device_checker(const CsrGraph& graph) {
  if (!device_checker_ && !no_room_) device_checker_ = make_device_checker(graph);
  return device_checker_.get();
}

CheckResult AnswerJudge::judge(const CsrGraph& graph, SearchAsked search, const AnswerView& answer,
                               bool check) {
  const std::optional<WholeAnswer> whole = as_whole(answer);
  const bool limited = search.depth_limit != kNoDepthLimit;
  if (whole && whole->space == MemorySpace::device && !limited) {
    try {
      AnswerChecker* const there = device_checker(graph);
      if (there != nullptr && there->device() == whole->device) {
        return check ? there->check(search.source, *whole)
                     : there->summarize(search.source, *whole);
      }
    } catch (const OutOfDeviceMemory&) {
      device_checker_.reset();
      no_room_ = true;
    }
  }
  const WholeAnswer here = host_answer_.take(answer);
  return check ? check_answer(graph, search, here) : summarize_answer(graph, search, here);
}

void AnswerJudge::make_room() {
  device_checker_.reset();
  no_room_ = false;
}

}  // namespace bfslab
