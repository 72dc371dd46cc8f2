// SPDX-License-Identifier: Apache-2.0
// Transport for members of one process whose GPUs read each other's memory. A call has at most two
// meetings. In a meeting each member records an event on its stream and waits for the events of all
// others, exchanged through the host communicator. Work enqueued before a meeting is done on all
// GPUs before work enqueued after it.
#include <array>
#include <utility>

#include "kernels/distributed/communicator/device_transport.hpp"
#include "kernels/distributed/communicator/peer_memory.hpp"
#include "kernels/unsupported.hpp"

namespace bfslab::distributed {

namespace {

struct Shown {
  cudaEvent_t event = nullptr;
  const std::byte* data = nullptr;
};

class PeerTransport final : public DeviceTransport {
 public:
  PeerTransport(std::unique_ptr<Communicator> owned, Communicator& host, const MemberGpu& gpu,
                bool two_phases)
      : DeviceTransport(Transport::peer, std::move(owned), host, gpu),
        two_phases_(two_phases),
        memory_(host_, gpu, "transport=peer needs", false) {}
  // Other members may still read memory that is freed here.
  ~PeerTransport() override { static_cast<void>(cudaDeviceSynchronize()); }

  void all_reduce(std::span<Word> values, Reduction reduction) override {
    reduce(values, reduction, stream(), main_, scratch_);
  }
  // Uses a separate stream.
  void begin_all_reduce(std::span<Word> values, Reduction reduction) override {
    if (!beside_) beside_ = std::make_unique<EventsBeside>();
    beside_->begun.order(stream(), beside_->stream.get());
    reduce(values, reduction, beside_->stream.get(), beside_->events, beside_->scratch);
  }
  void finish_all_reduce() override { beside_->done.order(beside_->stream.get(), stream()); }
  [[nodiscard]] std::optional<double> begun_ms() const override {
    return cuda::ms_between(beside_->begun, beside_->done);
  }
  // Each reads the words of those below it.
  void exclusive_scan(std::span<Word> values, Reduction reduction) override {
    count_sent((size() - 1 - index()) * values.size_bytes());
    const std::vector<Shown> all = meet(values.data(), stream(), main_);
    std::vector<const Word*> below;
    for (unsigned from = 0; from < index(); ++from) below.push_back(words(all[from]));
    auto* const sum = reinterpret_cast<Word*>(scratch_.at_least(values.size_bytes(), stream()));
    combine_words(sum, below, values.size(), reduction, stream());
    meet(nullptr, stream(), main_);
    copy(std::as_writable_bytes(values).data(), reinterpret_cast<const std::byte*>(sum),
         values.size_bytes());
  }
  void broadcast(std::span<std::byte> bytes, unsigned root) override {
    if (index() == root) count_sent((size() - 1) * bytes.size());
    const std::vector<Shown> all = meet(bytes.data(), stream(), main_);
    copy(bytes.data(), all[root].data, bytes.size());
    meet(nullptr, stream(), main_);
  }
  void all_gather(Bytes own, std::span<std::byte> all) override {
    count_sent((size() - 1) * own.size());
    const std::vector<Shown> shown = meet(own.data(), stream(), main_);
    for (unsigned from = 0; from < size(); ++from) {
      copy(all.data() + from * own.size(), shown[from].data, own.size());
    }
    meet(nullptr, stream(), main_);
  }
  // Moves no data: lists are read in place.
  std::vector<Bytes> all_to_all(std::span<const Bytes> lists) override {
    count_lists(lists);
    meet(nullptr, stream(), main_);
    struct List {
      const std::byte* data;
      std::size_t size;
    };
    std::vector<List> own;
    for (const Bytes list : lists) own.push_back({list.data(), list.size()});
    std::vector<List> all(std::size_t{size()} * size());
    host_.all_gather(std::as_bytes(std::span(own)), std::as_writable_bytes(std::span(all)));
    std::vector<Bytes> received(size());
    for (unsigned from = 0; from < size(); ++from) {
      const List& list = all[std::size_t{from} * size() + index()];
      received[from] = {list.data, list.size};
    }
    return received;
  }
  void exchange(unsigned to, Bytes out, unsigned from, std::span<std::byte> in) override {
    if (to != index()) count_sent(out.size());
    const std::vector<Shown> shown = meet(out.data(), stream(), main_);
    copy(in.data(), shown[from].data, in.size());
    meet(nullptr, stream(), main_);
  }

 private:
  // A member records an event again two meetings later. By then all members have enqueued their
  // waits for it: they did so before the meeting in between.
  struct Events {
    std::array<cuda::OrderEvent, 2> event;
    unsigned turn = 0;
  };
  struct EventsBeside : Beside {
    Events events;
  };

  static const Word* words(const Shown& shown) { return reinterpret_cast<const Word*>(shown.data); }

  // Returns the data of each member. Enqueues a wait for all members' earlier work.
  std::vector<Shown> meet(const void* data, cudaStream_t on, Events& events) {
    events.turn = 1 - events.turn;
    const Shown own{events.event[events.turn].get(), static_cast<const std::byte*>(data)};
    BFSLAB_CUDA(cudaEventRecord(own.event, on));
    std::vector<Shown> all(size());
    host_.all_gather(std::as_bytes(std::span(&own, 1)), std::as_writable_bytes(std::span(all)));
    for (unsigned from = 0; from < size(); ++from) {
      if (from != index()) BFSLAB_CUDA(cudaStreamWaitEvent(on, all[from].event));
    }
    return all;
  }

  // Each member reduces one stripe and copies the other stripes from their members. A bit-wise OR
  // in two phases has one stripe, the leader's.
  void reduce(std::span<Word> values, Reduction reduction, cudaStream_t on, Events& events,
              GrowingBuffer& scratch) {
    const std::vector<Shown> all = meet(values.data(), on, events);
    const bool by_leader = two_phases_ && reduction == Reduction::bit_or;
    const auto begin = [&](unsigned member) {
      if (by_leader) return member == 0 ? 0 : values.size();
      return values.size() * member / size();
    };
    const std::size_t own_begin = begin(index());
    const std::size_t count = begin(index() + 1) - own_begin;
    // Others read all but its own stripe of the member's words, and the reduction of that stripe.
    count_sent((values.size() - count + count * (size() - 1)) * sizeof(Word));
    auto* const stripe = reinterpret_cast<Word*>(scratch.at_least(count * sizeof(Word), on));
    std::vector<const Word*> sources;
    for (const Shown& each : all) sources.push_back(words(each) + own_begin);
    combine_words(stripe, sources, count, reduction, on);
    const std::vector<Shown> stripes = meet(stripe, on, events);
    for (unsigned from = 0; from < size(); ++from) {
      const std::size_t first = begin(from);
      const std::size_t bytes = (begin(from + 1) - first) * sizeof(Word);
      if (bytes == 0) continue;
      BFSLAB_CUDA(
          cudaMemcpyAsync(values.data() + first, stripes[from].data, bytes, cudaMemcpyDefault, on));
    }
  }

  bool two_phases_;
  PeerMemory memory_;
  Events main_;
  GrowingBuffer scratch_;
  std::unique_ptr<EventsBeside> beside_;
};

}  // namespace

std::unique_ptr<Communicator> make_peer_transport(std::unique_ptr<Communicator> owned,
                                                  Communicator& host, const MemberGpu& gpu,
                                                  std::optional<RankShape> two_phases) {
  return std::make_unique<PeerTransport>(std::move(owned), host, gpu, two_phases.has_value());
}

}  // namespace bfslab::distributed
