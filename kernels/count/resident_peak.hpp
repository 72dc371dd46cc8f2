// SPDX-License-Identifier: Apache-2.0
// ResidentPeak: the rise of this process's resident memory from now on, by the kernel's own
// high-water mark (VmHWM), which is reset first. Pages of mapped files count while they are
// resident. Threads' stacks and the allocator's reserves count as well.
#pragma once

#include <cstdint>

namespace bfslab {

class ResidentPeak {
 public:
  // Returns the heap's free pages to the system, so that memory used before is not reused
  // unnoticed, and resets the mark.
  ResidentPeak();

  // Returns whether the kernel allowed the mark to be reset (/proc/self/clear_refs). If not, the
  // mark covers the process's whole life and does not show what happened since.
  [[nodiscard]] bool known() const { return known_; }
  // Returns the bytes resident when this object was made.
  [[nodiscard]] std::uint64_t start() const { return start_; }
  // Returns the bytes by which the highest mark since then exceeds `start`. 0 unless known().
  [[nodiscard]] std::uint64_t risen() const;

 private:
  bool known_ = false;
  std::uint64_t start_ = 0;
};

}  // namespace bfslab
