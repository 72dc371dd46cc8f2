// SPDX-License-Identifier: Apache-2.0
// NCCL collectives among the members' GPUs, in one process or several.
#include <nccl.h>

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "kernels/distributed/communicator/device_transport.hpp"
#include "kernels/unsupported.hpp"

namespace bfslab::distributed {

namespace {

void check_nccl(ncclResult_t result, const char* call) {
  if (result == ncclSuccess || result == ncclInProgress) return;
  throw std::runtime_error(fmt::format("NCCL: {}: {}", call, ncclGetErrorString(result)));
}
#define BFSLAB_NCCL(call) check_nccl((call), #call)

// An NCCL communicator of all members of `host`. The constructor is collective.
class Clique {
 public:
  explicit Clique(Communicator& host) {
    ncclUniqueId id{};
    if (host.index() == 0) BFSLAB_NCCL(ncclGetUniqueId(&id));
    host.broadcast(std::as_writable_bytes(std::span(&id, 1)), 0);
    BFSLAB_NCCL(ncclCommInitRank(&comm_, static_cast<int>(host.size()), id,
                                 static_cast<int>(host.index())));
  }
  // Aborts without waiting for other members, which may have failed.
  ~Clique() { static_cast<void>(ncclCommAbort(comm_)); }
  Clique(const Clique&) = delete;
  Clique& operator=(const Clique&) = delete;
  [[nodiscard]] ncclComm_t get() const { return comm_; }

 private:
  ncclComm_t comm_ = nullptr;
};

class Group {
 public:
  Group() { BFSLAB_NCCL(ncclGroupStart()); }
  void end() { BFSLAB_NCCL(ncclGroupEnd()); }
};

class NcclTransport final : public DeviceTransport {
 public:
  NcclTransport(std::unique_ptr<Communicator> owned, Communicator& host, const MemberGpu& gpu,
                std::optional<RankShape> two_phases)
      : DeviceTransport(Transport::nccl, std::move(owned), host, gpu), clique_(host_) {
    if (two_phases) rounds_ = two_phase_rounds(index(), *two_phases);
  }
  // Waits for enqueued work before the clique is destroyed.
  ~NcclTransport() override { static_cast<void>(cudaStreamSynchronize(stream())); }

  void all_reduce(std::span<Word> values, Reduction reduction) override {
    reduce(values, reduction, clique_, stream(), scratch_);
  }
  // Uses a separate clique and stream.
  void begin_all_reduce(std::span<Word> values, Reduction reduction) override {
    if (!beside_) beside_ = std::make_unique<CliqueBeside>(host_);
    beside_->begun.order(stream(), beside_->stream.get());
    reduce(values, reduction, beside_->clique, beside_->stream.get(), beside_->scratch);
  }
  void finish_all_reduce() override { beside_->done.order(beside_->stream.get(), stream()); }
  [[nodiscard]] std::optional<double> begun_ms() const override {
    return cuda::ms_between(beside_->begun, beside_->done);
  }
  void exclusive_scan(std::span<Word> values, Reduction reduction) override {
    count_sent(others() * values.size_bytes());
    const std::vector<const Word*> all = gather(values, clique_, stream(), scratch_);
    combine_words(values.data(), std::span(all).first(index()), values.size(), reduction, stream());
  }
  void broadcast(std::span<std::byte> bytes, unsigned root) override {
    if (index() == root) count_sent(others() * bytes.size());
    if (bytes.empty()) return;
    BFSLAB_NCCL(ncclBroadcast(bytes.data(), bytes.data(), bytes.size(), ncclInt8,
                              static_cast<int>(root), clique_.get(), stream()));
  }
  void all_gather(Bytes own, std::span<std::byte> all) override {
    count_sent(others() * own.size());
    if (own.empty()) return;
    BFSLAB_NCCL(
        ncclAllGather(own.data(), all.data(), own.size(), ncclInt8, clique_.get(), stream()));
  }
  std::vector<Bytes> all_to_all(std::span<const Bytes> lists) override {
    count_lists(lists);
    std::vector<Word> own_sizes;
    for (const Bytes list : lists) own_sizes.push_back(list.size());
    std::vector<Word> all(std::size_t{size()} * size());  // [from][to] bytes
    host_.all_gather(std::as_bytes(std::span(own_sizes)), std::as_writable_bytes(std::span(all)));
    std::vector<Word> sizes(size());
    for (unsigned from = 0; from < size(); ++from) {
      sizes[from] = from == index() ? 0 : all[std::size_t{from} * size() + index()];
    }
    const std::vector<std::size_t> places = places_of(sizes);
    std::byte* const in = received_.at_least(places.back(), stream());
    std::vector<Bytes> received(size());
    Group group;
    for (unsigned other = 0; other < size(); ++other) {
      received[other] = other == index() ? lists[other] : Bytes(in + places[other], sizes[other]);
      if (other == index()) continue;
      send(lists[other], other, clique_, stream());
      receive({in + places[other], sizes[other]}, other, clique_, stream());
    }
    group.end();
    return received;
  }
  void exchange(unsigned to, Bytes out, unsigned from, std::span<std::byte> in) override {
    if (to == index()) return copy(in.data(), out.data(), out.size());
    count_sent(out.size());
    Group group;
    send(out, to, clique_, stream());
    receive(in, from, clique_, stream());
    group.end();
  }

 private:
  struct CliqueBeside : Beside {
    explicit CliqueBeside(Communicator& host) : clique(host) {}
    Clique clique;
  };

  [[nodiscard]] std::uint64_t others() const { return size() - 1; }
  static void send(Bytes bytes, unsigned to, const Clique& clique, cudaStream_t on) {
    if (bytes.empty()) return;
    BFSLAB_NCCL(
        ncclSend(bytes.data(), bytes.size(), ncclInt8, static_cast<int>(to), clique.get(), on));
  }
  static void receive(std::span<std::byte> bytes, unsigned from, const Clique& clique,
                      cudaStream_t on) {
    if (bytes.empty()) return;
    BFSLAB_NCCL(
        ncclRecv(bytes.data(), bytes.size(), ncclInt8, static_cast<int>(from), clique.get(), on));
  }

  // Gathers the values of all members into `scratch`.
  std::vector<const Word*> gather(std::span<const Word> values, const Clique& clique,
                                  cudaStream_t on, GrowingBuffer& scratch) const {
    auto* const all = reinterpret_cast<Word*>(scratch.at_least(values.size_bytes() * size(), on));
    if (!values.empty()) {
      BFSLAB_NCCL(ncclAllGather(values.data(), all, values.size(), ncclUint64, clique.get(), on));
    }
    std::vector<const Word*> each;
    for (unsigned from = 0; from < size(); ++from) each.push_back(all + from * values.size());
    return each;
  }

  // A bit-wise OR in two phases. All members have the same rounds in the same order, and what a
  // round sends and receives is one group, so that no member waits for one that waits for it.
  void reduce_in_rounds(std::span<Word> values, const Clique& clique, cudaStream_t on,
                        GrowingBuffer& scratch) const {
    std::size_t max_from = 0;
    for (const ReductionRound& round : rounds_) max_from = std::max(max_from, round.from.size());
    auto* const came =
        reinterpret_cast<Word*>(scratch.at_least(max_from * values.size_bytes(), on));
    for (const ReductionRound& round : rounds_) {
      std::vector<const Word*> sources = {values.data()};
      Group group;
      for (const unsigned to : round.to) send(std::as_bytes(values), to, clique, on);
      for (const unsigned from : round.from) {
        Word* const into =
            round.replaces ? values.data() : came + (sources.size() - 1) * values.size();
        receive(std::as_writable_bytes(std::span(into, values.size())), from, clique, on);
        sources.push_back(into);
      }
      group.end();
      if (round.replaces || round.from.empty()) continue;
      combine_words(values.data(), sources, values.size(), Reduction::bit_or, on);
    }
  }

  void reduce(std::span<Word> values, Reduction reduction, const Clique& clique, cudaStream_t on,
              GrowingBuffer& scratch) {
    if (values.empty()) return;
    if (reduction == Reduction::bit_or && !rounds_.empty()) {
      count_sent(times_sent(rounds_) * values.size_bytes());
      return reduce_in_rounds(values, clique, on, scratch);
    }
    if (reduction == Reduction::bit_or) {
      count_sent(others() * values.size_bytes());
      const std::vector<const Word*> all = gather(values, clique, on, scratch);
      return combine_words(values.data(), all, values.size(), reduction, on);
    }
    const ncclRedOp_t operation = reduction == Reduction::sum       ? ncclSum
                                  : reduction == Reduction::minimum ? ncclMin
                                                                    : ncclMax;
    count_sent(2 * others() * values.size_bytes() / size());
    BFSLAB_NCCL(ncclAllReduce(values.data(), values.data(), values.size(), ncclUint64, operation,
                              clique.get(), on));
  }

  Clique clique_;
  std::vector<ReductionRound> rounds_;  // of two phases; empty: by an all-gather
  GrowingBuffer scratch_, received_;
  std::unique_ptr<CliqueBeside> beside_;
};

}  // namespace

std::unique_ptr<Communicator> make_nccl_transport(std::unique_ptr<Communicator> owned,
                                                  Communicator& host, const MemberGpu& gpu,
                                                  std::optional<RankShape> two_phases) {
  if (host.maximum(gpu.shared() ? 1 : 0) > 0) {
    throw Unsupported(
        "transport=nccl: NCCL wants a GPU for each member, and some share one: choose "
        "transport=host or peer");
  }
  return std::make_unique<NcclTransport>(std::move(owned), host, gpu, two_phases);
}

}  // namespace bfslab::distributed
