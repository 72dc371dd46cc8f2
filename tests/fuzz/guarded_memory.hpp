// SPDX-License-Identifier: Apache-2.0
// Graph arrays and mapped files as AddressSanitizer can watch them. bfslab takes both from mmap,
// where a read past the end lands in the rest of the page and is not noticed. The linker turns
// these calls (--wrap, see CMakeLists.txt) into allocations of the exact size with red zones around
// them.
#pragma once

#include <cstddef>

namespace bfslab::fuzz {

// While it lives, a mapping larger than `bytes` aborts the program.
class MappingLimit {
 public:
  explicit MappingLimit(std::size_t bytes);
  MappingLimit(const MappingLimit&) = delete;
  MappingLimit& operator=(const MappingLimit&) = delete;
  ~MappingLimit();
};

// Aborts unless the linker's --wrap options are in effect.
void check_that_memory_is_guarded();

}  // namespace bfslab::fuzz
