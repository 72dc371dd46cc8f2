// SPDX-License-Identifier: Apache-2.0
// NCCL collectives among the members' GPUs, in one process or several.
#include <nccl.h>

#include <fmt/format.h>

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
  NcclTransport(std::unique_ptr<Communicator> owned, Communicator& host, const MemberGpu& gpu)
      : DeviceTransport(Transport::nccl, std::move(owned), host, gpu), clique_(host_) {}
  // Waits for enqueued work before the clique is destroyed.
  ~NcclTransport() override { static_cast<void>(cudaStreamSynchronize(stream())); }

  void all_reduce(std::span<Word> values, Reduction reduction) override {
    count_reduction(values.size());
    reduce(values, reduction, clique_, stream(), scratch_);
  }
  // Uses a separate clique and stream.
  void begin_all_reduce(std::span<Word> values, Reduction reduction) override {
    count_reduction(values.size());
    if (!beside_) beside_ = std::make_unique<CliqueBeside>(host_);
    beside_->begun.order(stream(), beside_->stream.get());
    reduce(values, reduction, beside_->clique, beside_->stream.get(), beside_->scratch);
  }
  void finish_all_reduce() override { beside_->done.order(beside_->stream.get(), stream()); }
  void exclusive_scan(std::span<Word> values, Reduction reduction) override {
    count_reduction(values.size());
    const std::vector<const Word*> all = gather(values, clique_, stream(), scratch_);
    combine_words(values.data(), std::span(all).first(index()), values.size(), reduction, stream());
  }
  void broadcast(std::span<std::byte> bytes, unsigned root) override {
    if (index() == root && size() > 1) count_sent(bytes.size());
    if (bytes.empty()) return;
    BFSLAB_NCCL(ncclBroadcast(bytes.data(), bytes.data(), bytes.size(), ncclInt8,
                              static_cast<int>(root), clique_.get(), stream()));
  }
  void all_gather(Bytes own, std::span<std::byte> all) override {
    if (size() > 1) count_sent(own.size());
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
      send(lists[other], other);
      receive({in + places[other], sizes[other]}, other);
    }
    group.end();
    return received;
  }
  void exchange(unsigned to, Bytes out, unsigned from, std::span<std::byte> in) override {
    if (to == index()) return copy(in.data(), out.data(), out.size());
    count_sent(out.size());
    Group group;
    send(out, to);
    receive(in, from);
    group.end();
  }

 private:
  struct CliqueBeside : Beside {
    explicit CliqueBeside(Communicator& host) : clique(host) {}
    Clique clique;
  };

  void send(Bytes bytes, unsigned to) {
    if (bytes.empty()) return;
    BFSLAB_NCCL(ncclSend(bytes.data(), bytes.size(), ncclInt8, static_cast<int>(to), clique_.get(),
                         stream()));
  }
  void receive(std::span<std::byte> bytes, unsigned from) {
    if (bytes.empty()) return;
    BFSLAB_NCCL(ncclRecv(bytes.data(), bytes.size(), ncclInt8, static_cast<int>(from),
                         clique_.get(), stream()));
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

  void reduce(std::span<Word> values, Reduction reduction, const Clique& clique, cudaStream_t on,
              GrowingBuffer& scratch) const {
    if (values.empty()) return;
    if (reduction == Reduction::bit_or) {
      const std::vector<const Word*> all = gather(values, clique, on, scratch);
      return combine_words(values.data(), all, values.size(), reduction, on);
    }
    const ncclRedOp_t operation = reduction == Reduction::sum       ? ncclSum
                                  : reduction == Reduction::minimum ? ncclMin
                                                                    : ncclMax;
    BFSLAB_NCCL(ncclAllReduce(values.data(), values.data(), values.size(), ncclUint64, operation,
                              clique.get(), on));
  }

  Clique clique_;
  GrowingBuffer scratch_, received_;
  std::unique_ptr<CliqueBeside> beside_;
};

}  // namespace

std::unique_ptr<Communicator> make_nccl_transport(std::unique_ptr<Communicator> owned,
                                                  Communicator& host, const MemberGpu& gpu) {
  if (host.maximum(gpu.shared() ? 1 : 0) > 0) {
    throw Unsupported(
        "transport=nccl: NCCL wants a GPU for each member, and some share one: choose "
        "transport=host or peer");
  }
  if (host.size() > kMaxSources) throw Unsupported("transport=nccl has at most 64 members here");
  return std::make_unique<NcclTransport>(std::move(owned), host, gpu);
}

}  // namespace bfslab::distributed
