// SPDX-License-Identifier: Apache-2.0
// Child processes that live longer than a trial. Their processor time is this process's own, and
// the kernel adds it to that of ended children only when they are waited for.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace bfslab {

// Declares a child as one of this process's, until it is waited for. One thread makes, destroys and
// reads all of them.
class KeptProcess {
 public:
  explicit KeptProcess(pid_t child);
  KeptProcess(const KeptProcess&) = delete;
  KeptProcess& operator=(const KeptProcess&) = delete;
  ~KeptProcess();

 private:
  clockid_t clock_ = 0;
};

// Returns the processor time in ns that all of them have used.
std::int64_t kept_processes_ns();

}  // namespace bfslab
