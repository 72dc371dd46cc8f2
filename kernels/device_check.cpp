#include "kernels/device_check.hpp"

#include <stdexcept>

namespace bfslab {

namespace {

std::unique_ptr<AnswerChecker> refuse(const CsrGraph& /*graph*/) {
  throw std::logic_error("an answer in device memory, in a bfslab built without CUDA");
}

MakeDeviceChecker& current() {
  static MakeDeviceChecker make = refuse;
  return make;
}

}  // namespace

std::unique_ptr<AnswerChecker> make_device_checker(const CsrGraph& graph) {
  return current()(graph);
}
void set_make_device_checker(MakeDeviceChecker make) { current() = make; }

}  // namespace bfslab
