// The check of answers in device memory, in plain C++ and in every build.
#pragma once

#include <cstdint>
#include <memory>

#include "kernels/check_result.hpp"
#include "kernels/engine.hpp"

namespace bfslab {

// Made once for a graph, which outlives it. Verdicts, reasons and counts are exactly those
// of harness/check/check.hpp. Both throw std::invalid_argument for an answer that is
// not in device memory, has neither half, or belongs to another graph; DeviceError; and
// OutOfDeviceMemory, after which the device remains usable.
class AnswerChecker {
 public:
  virtual ~AnswerChecker() = default;
  virtual CheckResult check(vertex_t source, const AnswerView& answer) = 0;
  // Only the counts, for trials that are not checked.
  virtual CheckResult summarize(vertex_t source, const AnswerView& answer) = 0;
  // Of device memory, the graph's copy included.
  [[nodiscard]] virtual std::uint64_t bytes() const = 0;
};

using MakeDeviceChecker = std::unique_ptr<AnswerChecker> (*)(const CsrGraph& graph);

// Copies the graph to the GPU. Throws OutOfDeviceMemory; InputError where there is no usable GPU;
// in builds without CUDA std::logic_error, since no engine of such a build answers there.
std::unique_ptr<AnswerChecker> make_device_checker(const CsrGraph& graph);

// kernels/cuda does so when the program starts.
void set_make_device_checker(MakeDeviceChecker make);

}  // namespace bfslab
