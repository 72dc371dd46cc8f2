// SPDX-License-Identifier: Apache-2.0
// The check of answers in device memory, in plain C++ and in every build.
#pragma once

#include <cstdint>
#include <memory>

#include "kernels/check_result.hpp"
#include "kernels/cuda_function.hpp"
#include "kernels/engine.hpp"

namespace bfslab {

// Made once for a graph, which must outlive it. Verdicts, reasons and counts are exactly those of
// harness/check/check.hpp. Both functions throw std::invalid_argument for an answer that is not in
// device memory, has neither half, or belongs to another graph; DeviceError; and OutOfDeviceMemory,
// after which the device remains usable.
class AnswerChecker {
 public:
  virtual ~AnswerChecker() = default;
  virtual CheckResult check(vertex_t source, const WholeAnswer& answer) = 0;
  // Returns only the counts, for trials that are not checked.
  virtual CheckResult summarize(vertex_t source, const WholeAnswer& answer) = 0;
  // Returns the number of the process's device that holds the graph, and must hold the answer.
  [[nodiscard]] virtual int device() const { return 0; }
  // Returns the bytes of device memory, the graph's copy included.
  [[nodiscard]] virtual std::uint64_t bytes() const = 0;
};

// Copies the graph to the GPU. Throws OutOfDeviceMemory; InputError if there is no usable GPU.
inline constinit CudaFunction<std::unique_ptr<AnswerChecker>(const CsrGraph& graph)>
    make_device_checker{"checking an answer in device memory"};

}  // namespace bfslab
