#include "harness/check/host_answer.hpp"

#include "kernels/device_services.hpp"

namespace bfslab {

namespace {

// Null stays null: that half was not requested.
template <typename T>
const T* copied(const T* from, std::size_t count, std::vector<T>& to) {
  if (from == nullptr) return nullptr;
  to.resize(count);
  device_services().copy_to_host(to.data(), from, count * sizeof(T));
  return to.data();
}

}  // namespace

AnswerView HostAnswer::take(const AnswerView& answer) {
  if (answer.space == MemorySpace::host) return answer;
  return {MemorySpace::host, answer.vertex_count,
          copied(answer.levels, answer.vertex_count, levels_),
          copied(answer.parents, answer.vertex_count, parents_)};
}

}  // namespace bfslab
