#include "kernels/cuda/search/kernels.hpp"

#include <string_view>

namespace bfslab::cuda {
namespace {

struct Entry {
  std::string_view expand;
  SearchKernel (*materialised)();
  SearchKernel (*streamed)();  // null: it needs the whole frontier
};

// A virtual vertex is a thread's work.
constexpr Entry kKernels[] = {
    {"thread", materialised_thread, streamed_thread},
    {"virtual_split", materialised_thread, streamed_thread},
    {"virtual_warp", materialised_virtual_warp, streamed_virtual_warp},
    {"cta", materialised_cta, streamed_cta},
    {"thread_warp_cta", materialised_thread_warp_cta, streamed_thread_warp_cta},
    {"degree_classes", materialised_degree_classes, nullptr},
    {"merge_path", materialised_merge_path, nullptr},
    {"load_balanced", materialised_load_balanced, nullptr},
};

}  // namespace

SearchKernel materialised_kernel(const char* expand) {
  for (const Entry& entry : kKernels) {
    if (entry.expand == expand) return entry.materialised();
  }
  return nullptr;
}

SearchKernel streamed_kernel(const char* expand) {
  for (const Entry& entry : kKernels) {
    if (entry.expand == expand && entry.streamed != nullptr) return entry.streamed();
  }
  return nullptr;
}

}  // namespace bfslab::cuda
