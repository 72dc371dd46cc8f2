// SPDX-License-Identifier: Apache-2.0
// Communicator: collective calls among the members of a distributed engine. A member is one unit of
// computation: a GPU, or a thread on a CPU. Engines are written for one member and run on all of
// them. A member belongs to one rank (a process) and is one of the GPUs of that rank.
//
// Every call is collective: all members of a communicator make the same calls in the same order,
// each with its own buffers in host memory. A call returns when its result is there. The result of
// begin_all_reduce() is there after finish_all_reduce(); one such pair may be pending, and other
// calls may be made in between.
//
// A member's number is gpu * ranks + rank.
//
// A call throws Aborted if another member of the process has failed, so that no thread waits for a
// member that is gone. The launcher detects failed processes and ends all of them.
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

// REQUIRES: `to` has at least the size of `from`.
inline void copy_bytes(Bytes from, std::span<std::byte> to) {
  if (!from.empty()) std::memcpy(to.data(), from.data(), from.size());
}

// Another member of this process threw; the exception of that member is reported.
class Aborted : public std::runtime_error {
 public:
  Aborted() : std::runtime_error("another member failed") {}
};

class Communicator : public Interface {
 public:
  // The number of this member, and the number of members.
  [[nodiscard]] virtual unsigned index() const = 0;
  [[nodiscard]] virtual unsigned size() const = 0;
  // Returns the bytes that this member has sent to others through memory, a link or a network,
  // counted once for each receiver. Data that it keeps for itself is not counted. Libraries do not
  // say which algorithm they choose: a reduction of MPI counts as recursive doubling, one of NCCL
  // as a ring, and a broadcast counts as sent by its root.
  [[nodiscard]] std::uint64_t bytes_sent() const { return bytes_sent_; }
  // Returns the ms from the last begin_all_reduce() to its result, which must be there, if a
  // separate stream reduces. Empty if the caller's thread does.
  [[nodiscard]] virtual std::optional<double> begun_ms() const { return std::nullopt; }

  virtual void barrier() = 0;

  // Combines values[i] of all members in place, on every member. REQUIRES: equal sizes.
  virtual void all_reduce(std::span<Word> values, Reduction reduction) = 0;
  // The same; `values` is unchanged until finish_all_reduce().
  virtual void begin_all_reduce(std::span<Word> values, Reduction reduction) = 0;
  virtual void finish_all_reduce() = 0;
  // Combines values[i] of the members below this one, in place. Member 0 gets the identity of the
  // reduction.
  virtual void exclusive_scan(std::span<Word> values, Reduction reduction) = 0;
  // Copies the bytes of member `root` to all members. REQUIRES: equal sizes.
  virtual void broadcast(std::span<std::byte> bytes, unsigned root) = 0;
  // Copies the bytes of member i to all[i * own.size()]. REQUIRES: equal sizes.
  virtual void all_gather(Bytes own, std::span<std::byte> all) = 0;

  // Sends lists[i] to member i. Entry i of the result is the list from member i, aligned for any
  // plain type. It is valid until this member's next call on this communicator. Receivers may read
  // a list in place, so a sender must not change its lists until that next call has returned.
  virtual std::vector<Bytes> all_to_all(std::span<const Bytes> lists) = 0;
  // Sends `out` to member `to` and fills `in` from member `from`, whose `out` has the same size.
  // Either may be this member. Together the `to` of all members are a permutation.
  virtual void exchange(unsigned to, Bytes out, unsigned from, std::span<std::byte> in) = 0;

  // Returns a communicator of the members with the same color. They are numbered by ascending key,
  // then by their numbers here.
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

// Converts lists of plain values to the argument of `all_to_all`.
template <typename T>
std::vector<Bytes> as_lists(const std::vector<std::vector<T>>& lists) {
  std::vector<Bytes> out;
  out.reserve(lists.size());
  for (const std::vector<T>& list : lists) out.push_back(std::as_bytes(std::span(list)));
  return out;
}

// REQUIRES: `bytes` holds whole, aligned values of T, like every list that a member sends.
template <typename T>
std::span<const T> values_of(Bytes bytes) {
  return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
}

}  // namespace bfslab::distributed
