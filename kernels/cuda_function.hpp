// SPDX-License-Identifier: Apache-2.0
// A function that only a CUDA build has, declared in plain C++ for every build: an object, to which
// a source of kernels/cuda supplies the function at program start.
//
//   inline constinit CudaFunction<void(int)> spin{"spinning a disk"};       // the declaration
//   [[maybe_unused]] const bool supplied = spin.supply([](int times) {...});  // under kernels/cuda
//   spin(3);                                                                  // anywhere
#pragma once

#include <string_view>
#include <utility>

namespace bfslab {

// Throws InputError: "WHAT needs a GPU, and this bfslab was built without CUDA: install ...".
[[noreturn]] void refuse_without_cuda(std::string_view what);

template <typename Signature>
class CudaFunction;

// Constant initialisation makes it ready before any source supplies it. Neither copied nor moved: a
// copy made at program start might be made before the supply.
template <typename Result, typename... Arguments>
class CudaFunction<Result(Arguments...)> {
 public:
  using Pointer = Result (*)(Arguments...);

  // Without CUDA a call is refused, naming `what` (of static lifetime): `engine "xbfs"`.
  constexpr explicit CudaFunction(const char* what) : what_(what) {}
  // Without CUDA a call runs `otherwise`.
  constexpr explicit CudaFunction(Pointer otherwise) : function_(otherwise) {}
  CudaFunction(const CudaFunction&) = delete;
  CudaFunction& operator=(const CudaFunction&) = delete;

  // Sets the function, before main, or by one thread while no other calls the function. Returns
  // true, for the initialiser of a constant.
  bool supply(Pointer function) {
    function_ = function;
    return true;
  }
  // Returns the present function, for tests to restore; null if a call would throw.
  [[nodiscard]] Pointer supplied() const { return function_; }
  Result operator()(Arguments... arguments) const {
    if (function_ == nullptr) refuse_without_cuda(what_);
    return function_(std::forward<Arguments>(arguments)...);
  }

 private:
  const char* what_ = "";
  Pointer function_ = nullptr;
};

}  // namespace bfslab
