// SPDX-License-Identifier: Apache-2.0
// Keys of tuples, from the members that make them to those that keep them, a portion at a time.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "kernels/cuda/device/memory.hpp"
#include "kernels/cuda/device/upload.hpp"
#include "kernels/distributed/communicator/team.hpp"
#include "kernels/distributed/edges/device_tuples.hpp"

namespace bfslab::distributed {

// The range of one member's keys among those that a portion sends.
struct KeyList {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

// Lists of so many keys, one behind the other, each from a multiple of 16 bytes on.
inline std::vector<KeyList> key_lists(std::span<const std::uint64_t> counts) {
  std::vector<KeyList> made;
  std::uint64_t at = 0;
  for (const std::uint64_t count : counts) {
    made.push_back({at, at + count});
    at = (at + count + 1) / 2 * 2;
  }
  return made;
}

// Buffers in device memory that several calls of collect_keys() share.
struct KeySending {
  cuda::DeviceBuffer<std::uint64_t> outgoing;  // room for the longest lists of a portion
  cuda::DeviceBuffer<std::uint64_t> next;      // [members]
};

// All members' keys for this one, into `keys` in no order; returns how many. counts_of(portion): of
// the keys of this member's portion, how many go to each member; not asked of a member alone.
// emit(tuples, next, into) writes them as emit_kept() does. `portions`: the most that a member has.
// Throws std::logic_error where there are more than `keys` has room for. Collective.
template <typename CountsOf, typename Emit>
std::uint64_t collect_keys(const Member& member, Communicator& data, TupleFeed& feed,
                           std::uint64_t portions, const CountsOf& counts_of, const Emit& emit,
                           KeySending& sending, const cuda::DeviceBuffer<std::uint64_t>& keys,
                           const cuda::Stream& stream) {
  if (member.count() == 1) {
    sending.next.fill_bytes(0, stream.get());
    for (std::uint64_t portion = 0; portion < feed.portions(); ++portion) {
      emit(feed.load(portion), sending.next.data(), keys.data());
    }
    return cuda::read_back(sending.next.data(), stream);
  }
  std::uint64_t count = 0;
  for (std::uint64_t portion = 0; portion < portions; ++portion) {
    const std::vector<KeyList> out = key_lists(counts_of(portion));
    std::vector<std::uint64_t> next;
    std::vector<Bytes> sends;
    for (const KeyList& list : out) {
      next.push_back(list.begin);
      sends.push_back(std::as_bytes(std::span<const std::uint64_t>(
          sending.outgoing.data() + list.begin, list.end - list.begin)));
    }
    cuda::upload(sending.next.data(), next.data(), sending.next.bytes(), stream);
    emit(feed.load(portion), sending.next.data(), sending.outgoing.data());
    for (const Bytes list : data.all_to_all(sends)) {
      const std::uint64_t more = list.size() / sizeof(std::uint64_t);
      if (count + more > keys.size()) {
        throw std::logic_error("members sent more than they counted");
      }
      cuda::copy(keys.data() + count, values_of<std::uint64_t>(list).data(), more, stream);
      count += more;
    }
    // Before the lists change that others read where they lie.
    stream.wait();
    member.all->barrier();
  }
  return count;
}

}  // namespace bfslab::distributed
