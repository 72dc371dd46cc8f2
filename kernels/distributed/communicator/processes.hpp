// SPDX-License-Identifier: Apache-2.0
// Processes: collective calls among the ranks of a distributed run. In each group one thread per
// process calls at a time; communicator/team.hpp builds the members (threads) on it. Without MPI
// there is one process.
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
  // Sends messages[i] to process i. `received` grows as needed and gets the messages in the order
  // of the processes, each aligned to 16 bytes. Returns the place of each. The message to this
  // process itself is not moved: its place is empty.
  virtual std::vector<Bytes> all_to_all(std::span<const Bytes> messages,
                                        std::vector<Chunk>& received) = 0;
  virtual void exchange(unsigned to, Bytes out, unsigned from, std::span<std::byte> in) = 0;
  // Returns a group of some processes, in ascending order. Only these call it. Processes that make
  // several groups make them in the order of their tags.
  virtual std::unique_ptr<Processes> group(std::span<const unsigned> ranks, unsigned tag) = 0;
};

// Returns a group of this process only, for runs without MPI or with one rank.
std::unique_ptr<Processes> alone();

// One process: calls send nothing, and a reduction has one operand.
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

// Returns true if this build has MPI, so that join_mpi() can be called.
bool built_with_mpi();
inline constexpr const char* kWithoutMpi =
    "several ranks need MPI, and this bfslab was built without it: install Open MPI (on Debian and "
    "Ubuntu: apt-get install libopenmpi-dev openmpi-bin) and build again";
// Joins the other processes of a launcher (mpirun, srun) by MPI_Init. Called once per process; the
// destructor of the result leaves them. Throws InputError without MPI.
std::unique_ptr<Processes> join_mpi();
// Ends all processes at once, this one with the exit code, after a fault that others may wait on.
[[noreturn]] void abort_mpi(int exit_code);

}  // namespace bfslab::distributed
