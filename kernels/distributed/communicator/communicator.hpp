// SPDX-License-Identifier: Apache-2.0
// Communicator: how the members of a distributed engine reach one another. A member is what
// computes alone: a GPU, or on CPUs a thread that stands for one. Engines are written for one
// member, and run on all of them; a member is on one rank (a process) and is one of that rank's
// GPUs.
//
// Every call is collective: all members of a communicator make the same calls in the same order,
// each with its own buffers. Buffers are in host memory. Each call returns
// once its result is there, but for the two `begin` calls, whose result is there after their
// `finish`; of each kind one may be under way, and other calls may be made in between.
//
// A member's number is gpu * ranks + rank.
//
// A call throws Aborted where another member of the process has failed, so that no thread waits for
// one that has gone; a failed process is the launcher's to notice, which ends them all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

#include "kernels/interface.hpp"

namespace bfslab::distributed {

enum class Reduction { sum, minimum, maximum, bit_or };

using Word = std::uint64_t;
using Bytes = std::span<const std::byte>;

constexpr Word identity(Reduction reduction) {
  return reduction == Reduction::minimum ? ~Word{0} : Word{0};
}

constexpr Word combine(Reduction reduction, Word a, Word b) {
  switch (reduction) {
    case Reduction::sum:
      return a + b;
    case Reduction::minimum:
      return a < b ? a : b;
    case Reduction::maximum:
      return a > b ? a : b;
    case Reduction::bit_or:
      return a | b;
  }
  return a;
}

// `to` is at least as large.
inline void copy_bytes(Bytes from, std::span<std::byte> to) {
  if (!from.empty()) std::memcpy(to.data(), from.data(), from.size());
}

// Another member of this process threw: its exception is the one to report.
class Aborted : public std::runtime_error {
 public:
  Aborted() : std::runtime_error("another member failed") {}
};

class Communicator : public Interface {
 public:
  // This member's number, and how many there are.
  [[nodiscard]] virtual unsigned index() const = 0;
  [[nodiscard]] virtual unsigned size() const = 0;
  // Handed to other members by this one since it was made, whether through memory, a link or a
  // network, once for each member that it is handed to; what it keeps for itself is not counted.
  // Libraries do not say which algorithm they choose: among processes a reduction of MPI counts as
  // recursive doubling, one of NCCL as a ring, and a broadcast counts as sent by its root.
  [[nodiscard]] std::uint64_t bytes_sent() const { return bytes_sent_; }
  // The time in ms from the last begin_all_reduce() to its result, where a stream of its own runs
  // it and has ended it; empty where the caller's thread does. Several calls return the same.
  [[nodiscard]] virtual std::optional<double> begun_ms() const { return std::nullopt; }

  virtual void barrier() = 0;

  // values[i] of all members combined, in place, on every member; sizes are equal.
  virtual void all_reduce(std::span<Word> values, Reduction reduction) = 0;
  // The same; `values` is not touched before finish_all_reduce().
  virtual void begin_all_reduce(std::span<Word> values, Reduction reduction) = 0;
  virtual void finish_all_reduce() = 0;
  // values[i] of the members below this one combined, in place; for member 0 the identity of the
  // reduction.
  virtual void exclusive_scan(std::span<Word> values, Reduction reduction) = 0;
  // Member `root`'s bytes to all; sizes are equal.
  virtual void broadcast(std::span<std::byte> bytes, unsigned root) = 0;
  // Member i's bytes at i * mine.size() of `all`; sizes are equal.
  virtual void all_gather(Bytes mine, std::span<std::byte> all) = 0;

  // lists[i] goes to member i; entry i of what is returned is from member i, at an address for any
  // plain type. What is returned is valid until this member's next call on this communicator. What
  // the lists hold may be read where it lies: it stays as it is until that next call has returned.
  virtual std::vector<Bytes> all_to_all(std::span<const Bytes> lists) = 0;
  // `out` to member `to`, and `in` filled by member `from`, whose `out` is of its size. Both may be
  // this member, and are a permutation over all members.
  virtual void exchange(unsigned to, Bytes out, unsigned from, std::span<std::byte> in) = 0;

  // A communicator of those members that give the same color, numbered by ascending key, then by
  // their numbers here.
  virtual std::unique_ptr<Communicator> split(unsigned color, unsigned key) = 0;

  Word sum(Word value) { return one(value, Reduction::sum); }
  Word maximum(Word value) { return one(value, Reduction::maximum); }
  Word minimum(Word value) { return one(value, Reduction::minimum); }

 protected:
  void count_sent(std::uint64_t bytes) { bytes_sent_ += bytes; }

 private:
  Word one(Word value, Reduction reduction) {
    all_reduce({&value, 1}, reduction);
    return value;
  }

  std::uint64_t bytes_sent_ = 0;
};

// Lists of plain values for `all_to_all`, as it takes and returns them.
template <typename T>
std::vector<Bytes> as_lists(const std::vector<std::vector<T>>& lists) {
  std::vector<Bytes> out;
  out.reserve(lists.size());
  for (const std::vector<T>& list : lists) out.push_back(std::as_bytes(std::span(list)));
  return out;
}

// `bytes` are those of whole, aligned values of T, as every list that a member gave is.
template <typename T>
std::span<const T> values_of(Bytes bytes) {
  return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
}

}  // namespace bfslab::distributed
