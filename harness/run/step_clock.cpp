// SPDX-License-Identifier: Apache-2.0
#include "harness/run/step_clock.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <stdexcept>

namespace bfslab {

const char* to_text(Step step) {
  switch (step) {
    case Step::idle:
      return "between trials";
    case Step::graph:
      return "while loading the graph";
    case Step::setup:
      return "while loading the engine";
    case Step::warm_up:
      return "while warming up";
    case Step::traverse:
      return "while traversing";
    case Step::check:
      return "while checking the answer";
    case Step::count:
      return "while counting";
  }
  return "";
}

StepClock::StepClock() : fd_(::memfd_create("bfslab-steps", MFD_CLOEXEC)) {
  if (fd_ < 0 || ::ftruncate(fd_, sizeof(Page)) != 0) {
    throw std::runtime_error("cannot create a shared page for a worker");
  }
  void* page = ::mmap(nullptr, sizeof(Page), PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0);
  if (page == MAP_FAILED) throw std::runtime_error("cannot map a shared page for a worker");
  page_ = static_cast<Page*>(page);
}

StepClock::StepClock(int inherited_fd) {
  void* page = ::mmap(nullptr, sizeof(Page), PROT_READ | PROT_WRITE, MAP_SHARED, inherited_fd, 0);
  if (page == MAP_FAILED) throw std::runtime_error("cannot map the driver's shared page");
  page_ = static_cast<Page*>(page);
  ::close(inherited_fd);
}

StepClock::~StepClock() {
  if (page_ != &own_) ::munmap(page_, sizeof(Page));
  if (fd_ >= 0) ::close(fd_);
}

}  // namespace bfslab
