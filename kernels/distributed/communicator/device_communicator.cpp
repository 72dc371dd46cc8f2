// SPDX-License-Identifier: Apache-2.0
#include "kernels/distributed/communicator/device_communicator.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string_view>

#include "kernels/cuda/device/device.hpp"
#include "kernels/distributed/communicator/device_transport.hpp"
#include "kernels/unsupported.hpp"

namespace bfslab::distributed {

namespace {

bool may_share() {
  const char* const set = std::getenv("BFSLAB_SHARE_GPUS");
  return set != nullptr && std::string_view(set) == "1";
}

// Transports through pinned host memory.
class HostTransport final : public DeviceTransport {
 public:
  using DeviceTransport::DeviceTransport;

  void all_reduce(std::span<Word> values, Reduction reduction) override {
    const Counting counting(*this);
    const std::span<Word> words = words_of(take(std::as_bytes(values), words_));
    host_.all_reduce(words, reduction);
    give(std::as_bytes(words), std::as_writable_bytes(values));
  }
  void begin_all_reduce(std::span<Word> values, Reduction reduction) override {
    const Counting counting(*this);
    pending_ = values;
    host_.begin_all_reduce(words_of(take(std::as_bytes(values), pending_words_)), reduction);
  }
  void finish_all_reduce() override {
    host_.finish_all_reduce();
    give({pending_words_.data(), pending_.size_bytes()}, std::as_writable_bytes(pending_));
  }
  void exclusive_scan(std::span<Word> values, Reduction reduction) override {
    const Counting counting(*this);
    const std::span<Word> words = words_of(take(std::as_bytes(values), words_));
    host_.exclusive_scan(words, reduction);
    give(std::as_bytes(words), std::as_writable_bytes(values));
  }
  void broadcast(std::span<std::byte> bytes, unsigned root) override {
    const Counting counting(*this);
    const bool is_root = index() == root;
    const std::span<std::byte> here = is_root ? take(bytes, words_) : room(bytes.size(), words_);
    host_.broadcast(here, root);
    if (!is_root) give(here, bytes);
  }
  void all_gather(Bytes own, std::span<std::byte> all) override {
    const Counting counting(*this);
    const std::span<std::byte> out = take(own, words_);
    const std::span<std::byte> in = room(all.size(), incoming_);
    host_.all_gather(out, in);
    give(in, all);
  }
  std::vector<Bytes> all_to_all(std::span<const Bytes> lists) override {
    const Counting counting(*this);
    std::vector<Word> sizes;
    for (unsigned to = 0; to < size(); ++to) sizes.push_back(to == index() ? 0 : lists[to].size());
    const std::vector<std::size_t> places = places_of(sizes);
    // Other members may still read the buffer of the previous call, but not the one before it.
    turn_ = 1 - turn_;
    const std::span<std::byte> out = room(places.back(), out_[turn_]);
    std::vector<Bytes> staged(size());
    for (unsigned to = 0; to < size(); ++to) {
      staged[to] = out.subspan(places[to], sizes[to]);
      copy(out.data() + places[to], lists[to].data(), sizes[to]);
    }
    gpu_.stream().wait();
    const std::vector<Bytes> incoming = host_.all_to_all(staged);
    for (unsigned from = 0; from < size(); ++from) sizes[from] = incoming[from].size();
    const std::vector<std::size_t> at = places_of(sizes);
    std::byte* const in = received_.at_least(at.back(), stream());
    std::vector<Bytes> received(size());
    for (unsigned from = 0; from < size(); ++from) {
      copy(in + at[from], incoming[from].data(), sizes[from]);
      received[from] = from == index() ? lists[from] : Bytes(in + at[from], sizes[from]);
    }
    return received;
  }
  void exchange(unsigned to, Bytes out, unsigned from, std::span<std::byte> in) override {
    const Counting counting(*this);
    const std::span<std::byte> outgoing = take(out, words_);
    const std::span<std::byte> incoming = room(in.size(), incoming_);
    host_.exchange(to, outgoing, from, incoming);
    give(incoming, in);
  }

 private:
  using Pinned = cuda::PinnedBuffer<std::byte>;

  // Counts what the host communicator sends as long as this lives.
  class Counting {
   public:
    explicit Counting(HostTransport& transport)
        : transport_(transport), before_(transport.host_.bytes_sent()) {}
    ~Counting() { transport_.count_sent(transport_.host_.bytes_sent() - before_); }
    Counting(const Counting&) = delete;
    Counting& operator=(const Counting&) = delete;

   private:
    HostTransport& transport_;
    std::uint64_t before_;
  };

  // Returns pinned memory after all earlier work on it is done.
  std::span<std::byte> room(std::size_t bytes, Pinned& in) {
    gpu_.stream().wait();
    if (bytes > in.size()) in = Pinned(bytes + bytes / 4);
    return {in.data(), bytes};
  }
  // Copies from the GPU and waits for the copy.
  std::span<std::byte> take(Bytes bytes, Pinned& into) {
    const std::span<std::byte> here = room(bytes.size(), into);
    copy(here.data(), bytes.data(), bytes.size());
    gpu_.stream().wait();
    return here;
  }
  void give(Bytes bytes, std::span<std::byte> to) const {
    copy(to.data(), bytes.data(), bytes.size());
  }
  static std::span<Word> words_of(std::span<std::byte> bytes) {
    return {reinterpret_cast<Word*>(bytes.data()), bytes.size() / sizeof(Word)};
  }

  Pinned words_, pending_words_, incoming_;
  Pinned out_[2];
  unsigned turn_ = 0;
  std::span<Word> pending_;
  GrowingBuffer received_;
};

}  // namespace

Word this_machine() {
  std::array<char, 256> name{};
  static_cast<void>(gethostname(name.data(), name.size() - 1));
  return std::hash<std::string_view>{}(name.data());
}

MemberGpu::MemberGpu(Member& member) {
  // The facts of each member. A member throws only after all know if each has a GPU.
  struct Seen {
    Word machine = 0;
    Word rank = 0;
    Word gpu = 0;
    Word devices = 0;
  };
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess) devices = 0;
  const Seen self{this_machine(), member.rank, member.gpu, static_cast<Word>(devices)};
  std::vector<Seen> all(member.count());
  member.all->all_gather(std::as_bytes(std::span(&self, 1)),
                         std::as_writable_bytes(std::span(all)));
  if (std::ranges::any_of(all, [](const Seen& each) { return each.devices == 0; })) {
    if (devices == 0) static_cast<void>(cuda::device());  // reports the cause
    throw Unsupported("a rank of this engine sees no GPU: start ranks where each sees one");
  }
  Word before = 0;  // members of this machine that choose earlier
  Word there = 0;
  for (const Seen& each : all) {
    if (each.machine != self.machine) continue;
    ++there;
    before += each.rank < self.rank || (each.rank == self.rank && each.gpu < self.gpu) ? 1U : 0U;
  }
  // A launcher that binds ranks shows each rank one GPU per member.
  const bool bound = self.devices < there && self.devices == member.gpus_per_rank;
  device_ = static_cast<int>((bound ? self.gpu : before) % self.devices);
  BFSLAB_CUDA(cudaSetDevice(device_));
  cudaDeviceProp facts{};
  BFSLAB_CUDA(cudaGetDeviceProperties(&facts, device_));
  std::array<std::byte, sizeof(facts.uuid)> uuid{};
  std::memcpy(uuid.data(), &facts.uuid, uuid.size());
  std::vector<std::array<std::byte, sizeof(facts.uuid)>> taken(member.count());
  member.all->all_gather(uuid, std::as_writable_bytes(std::span(taken)));
  std::ranges::sort(taken);
  shared_ = std::ranges::count(taken, uuid) > 1;
  if (!may_share() && std::ranges::adjacent_find(taken) != taken.end()) {
    throw Unsupported(fmt::format(
        "{} members on this machine and {} GPU{} for them: run as many members (ranks x "
        "gpus_per_rank) as there are GPUs, or let them share by BFSLAB_SHARE_GPUS=1",
        there, self.devices, self.devices == 1 ? "" : "s"));
  }
  stream_ = std::make_unique<cuda::Stream>();
}

std::unique_ptr<Communicator> DeviceTransport::split(unsigned color, unsigned key) {
  std::unique_ptr<Communicator> part = host_.split(color, key);
  Communicator& host = *part;
  return make_device_communicator(kind_, host, gpu_, {}, std::move(part));
}

std::unique_ptr<Communicator> make_device_communicator(Transport transport, Communicator& host,
                                                       const MemberGpu& gpu,
                                                       std::optional<RankShape> two_phases,
                                                       std::unique_ptr<Communicator> owned) {
  switch (transport) {
    case Transport::host:
      break;
    case Transport::nccl:
      return make_nccl_transport(std::move(owned), host, gpu, two_phases);
    case Transport::peer:
      return make_peer_transport(std::move(owned), host, gpu, two_phases);
  }
  return std::make_unique<HostTransport>(Transport::host, std::move(owned), host, gpu);
}

}  // namespace bfslab::distributed
