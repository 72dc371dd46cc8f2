// SPDX-License-Identifier: Apache-2.0
#include "harness/observe/load_meter.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>

#include "harness/observe/kept_process.hpp"

namespace bfslab {
namespace {

// As a process sees a time in which a signal stopped it, or its container was frozen.
TEST(LoadMeter, TimeThatNothingExplainsIsLost) {
  LoadMeter meter;
  const auto since = std::chrono::steady_clock::now();
  meter.begin();
  ::usleep(50'000);
  const LoadReading reading = meter.end();
  const std::chrono::duration<double, std::milli> whole = std::chrono::steady_clock::now() - since;
  // On a busy machine the process waits for a processor, too, some of it outside of the trial,
  // which is then taken to explain as much; and others' processor time may be more than what is
  // lost.
  EXPECT_GT(reading.lost_ms + reading.queue_delay_ms, 25);
  EXPECT_GE(reading.foreign_load_pct, 100 * reading.lost_ms / whole.count() - 0.01);
  EXPECT_NE(reading.by, Disturbance::none);
  if (reading.by == Disturbance::lost_time) {
    EXPECT_NE(to_text(reading).find("it was stopped"), std::string::npos);
  }
}

TEST(LoadMeter, TimeOfADeviceIsNotLost) {
  LoadMeter meter;
  meter.begin();
  ::usleep(20'000);
  EXPECT_EQ(meter.end(1e6).lost_ms, 0);
}

TEST(LoadMeter, WorkIsNotLost) {
  LoadMeter meter;
  meter.begin();
  volatile unsigned value = 1;
  timespec spent{};
  do {
    value = value * 3 + 1;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent);
  } while (value != 0 && spent.tv_sec * 1'000'000'000L + spent.tv_nsec < 60'000'000);
  const LoadReading reading = meter.end();
  EXPECT_NE(reading.by, Disturbance::lost_time);
}

// The kernel adds a child's time to this process's only when it is waited for.
TEST(LoadMeter, TheTimeOfAKeptChildIsOurs) {
  const pid_t child = ::fork();
  if (child == 0) {
    while (true) {
    }
  }
  {
    const KeptProcess kept(child);
    while (kept_processes_ns() < 20'000'000) ::usleep(1000);
  }
  EXPECT_EQ(kept_processes_ns(), 0);
  const auto in_children = [] {
    rusage children{};
    ::getrusage(RUSAGE_CHILDREN, &children);
    return children.ru_utime.tv_sec * 1'000'000 + children.ru_utime.tv_usec +
           children.ru_stime.tv_sec * 1'000'000 + children.ru_stime.tv_usec;
  };
  const auto before = in_children();
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_GE(in_children() - before, 20'000);
}

TEST(LoadMeter, WordsSayWhatItWas) {
  EXPECT_EQ(to_text(LoadReading{}), "");
  EXPECT_NE(to_text({.foreign_load_pct = 12.5, .by = Disturbance::processes}).find("12.5 %"),
            std::string::npos);
  EXPECT_NE(to_text({.by = Disturbance::queue, .queue_delay_ms = 3}).find("3.0 ms"),
            std::string::npos);
}

}  // namespace
}  // namespace bfslab
