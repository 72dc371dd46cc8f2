// SPDX-License-Identifier: Apache-2.0
// Processes: the ranks of a distributed run, of which this process is one. What they say to each
// other is said by one thread of each process at a time for each group (communicator/team.hpp makes
// members of several threads from it). Without MPI there is one process.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "kernels/distributed/communicator/communicator.hpp"
#include "kernels/interface.hpp"

namespace bfslab::distributed {

// A unit of storage that is aligned for any plain type.
struct alignas(16) Chunk {
  std::byte bytes[16];
};

class Processes : public Interface {
 public:
  [[nodiscard]] virtual unsigned rank() const = 0;
  [[nodiscard]] virtual unsigned size() const = 0;
  virtual void barrier() = 0;
  virtual void all_reduce(std::span<Word> values, Reduction reduction) = 0;
  virtual void begin_all_reduce(std::span<Word> values, Reduction reduction) = 0;
  virtual void finish_all_reduce() = 0;
  virtual void exclusive_scan(std::span<Word> values, Reduction reduction) = 0;
  virtual void broadcast(std::span<std::byte> bytes, unsigned root) = 0;
  // messages[i] to process i. What came lies one message after the other in `received`, in the
  // order of the processes, each at a multiple of 16 bytes; `received` grows as it must. Returned
  // are the places. The message to this process itself is not moved: its place is empty.
  virtual std::vector<Bytes> all_to_all(std::span<const Bytes> messages,
                                        std::vector<Chunk>& received) = 0;
  virtual void exchange(unsigned to, Bytes out, unsigned from, std::span<std::byte> in) = 0;
  // A group of some of them, ascending; only these call it, and those that make several groups at
  // once make them in the order of their tags.
  virtual std::unique_ptr<Processes> group(std::span<const unsigned> ranks, unsigned tag) = 0;
};

// This process alone: made where there is no MPI, or only one rank.
std::unique_ptr<Processes> alone();

// One process: it has no other to talk to, and every reduction is of one value.
class Alone final : public Processes {
 public:
  [[nodiscard]] unsigned rank() const override { return 0; }
  [[nodiscard]] unsigned size() const override { return 1; }
  void barrier() override {}
  void all_reduce(std::span<Word> /*values*/, Reduction /*reduction*/) override {}
  void begin_all_reduce(std::span<Word> /*values*/, Reduction /*reduction*/) override {}
  void finish_all_reduce() override {}
  void exclusive_scan(std::span<Word> values, Reduction reduction) override {
    for (Word& value : values) value = identity(reduction);
  }
  void broadcast(std::span<std::byte> /*bytes*/, unsigned /*root*/) override {}
  std::vector<Bytes> all_to_all(std::span<const Bytes> /*messages*/,
                                std::vector<Chunk>& /*received*/) override {
    return {Bytes()};
  }
  void exchange(unsigned /*to*/, Bytes out, unsigned /*from*/, std::span<std::byte> in) override {
    copy_bytes(out, in);
  }
  std::unique_ptr<Processes> group(std::span<const unsigned> /*ranks*/, unsigned /*tag*/) override {
    return alone();
  }
};

inline std::unique_ptr<Processes> alone() { return std::make_unique<Alone>(); }

// How a build without MPI and one with it differ: whether the next can be called.
bool built_with_mpi();
inline constexpr const char* kWithoutMpi =
    "several ranks need MPI, and this bfslab was built without it: install Open MPI (on Debian and "
    "Ubuntu: apt-get install libopenmpi-dev openmpi-bin) and build again";
// Joins the other processes that a launcher (mpirun, srun) started: MPI_Init. Once in a process,
// which leaves them when the result is destroyed. Throws InputError without MPI.
std::unique_ptr<Processes> join_mpi();
// Ends all processes at once, this one with the exit code: after a fault that others may wait for.
[[noreturn]] void abort_mpi(int exit_code);

}  // namespace bfslab::distributed
