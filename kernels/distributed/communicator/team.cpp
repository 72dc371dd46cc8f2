// SPDX-License-Identifier: Apache-2.0
#include "kernels/distributed/communicator/team.hpp"

#include <atomic>
#include <exception>
#include <mutex>
#include <thread>

#include "kernels/distributed/communicator/team_communicator.hpp"

namespace bfslab::distributed {

struct Team::State {
  State(Processes& processes_, unsigned gpus_)
      : processes(processes_),
        gpus(gpus_),
        active(active_turns(gpus_)),
        standby(standby_time(gpus_)) {}

  Processes& processes;
  unsigned gpus;
  int active;
  std::chrono::milliseconds standby;
  std::mutex mutex;  // protects `groups` and `failure`
  std::vector<std::weak_ptr<TeamGroup>> groups;
  std::exception_ptr failure;
  std::vector<std::unique_ptr<TeamCommunicator>> endpoints;
  std::vector<Member> members;
  std::vector<std::thread> threads;  // members 1, 2, ...
  const std::function<void(Member&)>* work = nullptr;
  std::atomic<std::uint32_t> begun{0};
  std::atomic<std::uint32_t> ended{0};
  std::atomic<bool> over{false};

  void note(const std::shared_ptr<TeamGroup>& group) {
    const std::lock_guard lock(mutex);
    std::erase_if(groups, [](const std::weak_ptr<TeamGroup>& each) { return each.expired(); });
    groups.push_back(group);
    if (failure) group->barrier->abort();
  }

  // Keeps the first failure and wakes all threads that wait for this member.
  void fail(const std::exception_ptr& error) {
    const std::lock_guard lock(mutex);
    if (!failure) failure = error;
    for (const std::weak_ptr<TeamGroup>& each : groups) {
      if (const std::shared_ptr<TeamGroup> group = each.lock()) group->barrier->abort();
    }
  }

  // Called when every member of every process has returned and none waits.
  void recover() {
    const std::lock_guard lock(mutex);
    failure = nullptr;
    for (const std::weak_ptr<TeamGroup>& each : groups) {
      if (const std::shared_ptr<TeamGroup> group = each.lock()) group->barrier->reset();
    }
  }

  void run_member(Member& member) {
    try {
      (*work)(member);
    } catch (const Aborted&) {
      // Another member threw first.
    } catch (...) {
      fail(std::current_exception());
    }
  }

  void serve(Member& member) {
    std::uint32_t seen = 0;
    while (true) {
      stand_by(begun, seen, standby);
      wait_for_change(begun, seen, active);
      ++seen;
      if (over.load(std::memory_order_acquire)) return;
      run_member(member);
      ended.fetch_add(1, std::memory_order_acq_rel);
      ended.notify_all();
    }
  }
};

Team::Team(Processes& processes, unsigned gpus_per_rank)
    : state_(std::make_unique<State>(processes, gpus_per_rank)) {
  const unsigned ranks = processes.size();
  std::vector<MemberPlace> places;
  for (unsigned gpu = 0; gpu < gpus_per_rank; ++gpu) {
    for (unsigned rank = 0; rank < ranks; ++rank) places.push_back({rank, gpu});
  }
  const auto group =
      std::make_shared<TeamGroup>(std::move(places), processes.rank(), &processes, state_->active);
  State& state = *state_;
  state.note(group);
  for (unsigned gpu = 0; gpu < gpus_per_rank; ++gpu) {
    state.endpoints.push_back(std::make_unique<TeamCommunicator>(
        group, gpu, [&state](const std::shared_ptr<TeamGroup>& made) { state.note(made); }));
    state.members.push_back(
        {processes.rank(), ranks, gpu, gpus_per_rank, state.endpoints.back().get()});
  }
  for (unsigned gpu = 1; gpu < gpus_per_rank; ++gpu) {
    state.threads.emplace_back([&state, gpu] { state.serve(state.members[gpu]); });
  }
}

Team::~Team() {
  state_->over.store(true, std::memory_order_release);
  state_->begun.fetch_add(1, std::memory_order_acq_rel);
  state_->begun.notify_all();
  for (std::thread& thread : state_->threads) thread.join();
}

void Team::run(const std::function<void(Member&)>& work) {
  State& state = *state_;
  state.work = &work;
  state.ended.store(0, std::memory_order_relaxed);
  state.begun.fetch_add(1, std::memory_order_acq_rel);
  state.begun.notify_all();
  state.run_member(state.members[0]);
  for (std::uint32_t ended = state.ended.load(); ended + 1 < state.gpus;
       ended = state.ended.load(std::memory_order_acquire)) {
    wait_for_change(state.ended, ended, state.active);
  }
  const std::exception_ptr failure = state.failure;
  if (!failure) return;
  if (state.processes.size() == 1) state.recover();
  std::rethrow_exception(failure);
}

}  // namespace bfslab::distributed
