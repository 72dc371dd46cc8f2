// SPDX-License-Identifier: Apache-2.0
// Processes over MPI, in host memory. All calls are in MPI 3.0. Counts that do not fit an int are
// split.
#include <mpi.h>

#include <algorithm>
#include <cstdlib>

#include "datasets/graph/types.hpp"
#include "kernels/distributed/communicator/processes.hpp"

namespace bfslab::distributed {

namespace {

constexpr std::size_t kMaxMessage = std::size_t{1} << 30;  // bytes of one message

MPI_Op operation(Reduction reduction) {
  switch (reduction) {
    case Reduction::sum:
      return MPI_SUM;
    case Reduction::minimum:
      return MPI_MIN;
    case Reduction::maximum:
      return MPI_MAX;
    case Reduction::bit_or:
      return MPI_BOR;
  }
  return MPI_OP_NULL;
}

// Calls visit(begin, count) for portions of at most `max_portion`.
template <typename Visit>
void in_portions(std::size_t size, std::size_t max_portion, Visit&& visit) {
  for (std::size_t begin = 0; begin < size; begin += max_portion) {
    visit(begin, static_cast<int>(std::min(max_portion, size - begin)));
  }
}

class MpiProcesses final : public Processes {
 public:
  // Owns `group`; if `whole`, the destructor also finalises MPI.
  MpiProcesses(MPI_Comm group, bool whole) : group_(group), whole_(whole) {
    int rank = 0;
    int size = 0;
    MPI_Comm_rank(group_, &rank);
    MPI_Comm_size(group_, &size);
    rank_ = static_cast<unsigned>(rank);
    size_ = static_cast<unsigned>(size);
  }
  ~MpiProcesses() override {
    MPI_Comm_free(&group_);
    if (whole_) MPI_Finalize();
  }

  [[nodiscard]] unsigned rank() const override { return rank_; }
  [[nodiscard]] unsigned size() const override { return size_; }

  void barrier() override { MPI_Barrier(group_); }

  void all_reduce(std::span<Word> values, Reduction reduction) override {
    in_portions(values.size(), kMaxMessage / sizeof(Word), [&](std::size_t begin, int count) {
      MPI_Allreduce(MPI_IN_PLACE, &values[begin], count, MPI_UINT64_T, operation(reduction),
                    group_);
    });
  }

  void begin_all_reduce(std::span<Word> values, Reduction reduction) override {
    in_portions(values.size(), kMaxMessage / sizeof(Word), [&](std::size_t begin, int count) {
      MPI_Iallreduce(MPI_IN_PLACE, &values[begin], count, MPI_UINT64_T, operation(reduction),
                     group_, &reducing_.emplace_back());
    });
  }

  void finish_all_reduce() override { wait(reducing_); }

  void exclusive_scan(std::span<Word> values, Reduction reduction) override {
    in_portions(values.size(), kMaxMessage / sizeof(Word), [&](std::size_t begin, int count) {
      MPI_Exscan(MPI_IN_PLACE, &values[begin], count, MPI_UINT64_T, operation(reduction), group_);
    });
    // MPI leaves the buffer of process 0 unchanged.
    if (rank_ == 0) std::ranges::fill(values, identity(reduction));
  }

  void broadcast(std::span<std::byte> bytes, unsigned root) override {
    in_portions(bytes.size(), kMaxMessage, [&](std::size_t begin, int count) {
      MPI_Bcast(&bytes[begin], count, MPI_BYTE, static_cast<int>(root), group_);
    });
  }

  std::vector<Bytes> all_to_all(std::span<const Bytes> messages,
                                std::vector<Chunk>& received) override {
    std::vector<Word> sizes(size_);
    for (unsigned i = 0; i < size_; ++i) sizes[i] = i == rank_ ? 0 : messages[i].size();
    std::vector<Word> coming(size_);
    MPI_Alltoall(sizes.data(), 1, MPI_UINT64_T, coming.data(), 1, MPI_UINT64_T, group_);
    std::size_t chunks = 0;
    for (const Word size : coming) chunks += (size + sizeof(Chunk) - 1) / sizeof(Chunk);
    if (received.size() < chunks) received.resize(chunks);
    auto* place = reinterpret_cast<std::byte*>(received.data());
    std::vector<Bytes> places(size_);
    for (unsigned from = 0; from < size_; ++from) {
      places[from] = {place, coming[from]};
      receive({place, coming[from]}, from, 0);
      place += (coming[from] + sizeof(Chunk) - 1) / sizeof(Chunk) * sizeof(Chunk);
    }
    // Each process starts with its successor, so that not all send to the same one first.
    for (unsigned step = 1; step < size_; ++step) {
      const unsigned to = (rank_ + step) % size_;
      send(messages[to], to, 0);
    }
    wait(sending_);
    return places;
  }

  void exchange(unsigned to, Bytes out, unsigned from, std::span<std::byte> in) override {
    if (to == rank_ && from == rank_) return copy_bytes(out, in);
    receive(in, from, 1);
    send(out, to, 1);
    wait(sending_);
  }

  std::unique_ptr<Processes> group(std::span<const unsigned> ranks, unsigned tag) override {
    MPI_Group all = MPI_GROUP_NULL;
    MPI_Group some = MPI_GROUP_NULL;
    MPI_Comm_group(group_, &all);
    const std::vector<int> list(ranks.begin(), ranks.end());
    MPI_Group_incl(all, static_cast<int>(list.size()), list.data(), &some);
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Comm_create_group(group_, some, static_cast<int>(tag), &made);
    MPI_Group_free(&some);
    MPI_Group_free(&all);
    return std::make_unique<MpiProcesses>(made, false);
  }

 private:
  void receive(std::span<std::byte> in, unsigned from, int tag) {
    in_portions(in.size(), kMaxMessage, [&](std::size_t begin, int count) {
      MPI_Irecv(in.data() + begin, count, MPI_BYTE, static_cast<int>(from), tag, group_,
                &sending_.emplace_back());
    });
  }
  void send(Bytes out, unsigned to, int tag) {
    in_portions(out.size(), kMaxMessage, [&](std::size_t begin, int count) {
      MPI_Isend(out.data() + begin, count, MPI_BYTE, static_cast<int>(to), tag, group_,
                &sending_.emplace_back());
    });
  }
  static void wait(std::vector<MPI_Request>& requests) {
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    requests.clear();
  }

  MPI_Comm group_;
  bool whole_;
  unsigned rank_ = 0;
  unsigned size_ = 1;
  std::vector<MPI_Request> reducing_;
  std::vector<MPI_Request> sending_;
};

}  // namespace

bool built_with_mpi() { return true; }

std::unique_ptr<Processes> join_mpi() {
  int provided = MPI_THREAD_SINGLE;
  // Several threads of a process call MPI at the same time.
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided);
  if (provided != MPI_THREAD_MULTIPLE) {
    MPI_Finalize();
    throw InputError(
        "this MPI has no MPI_THREAD_MULTIPLE, which bfslab needs: install one that has");
  }
  MPI_Comm all = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &all);
  return std::make_unique<MpiProcesses>(all, true);
}

void abort_mpi(int exit_code) {
  MPI_Abort(MPI_COMM_WORLD, exit_code);
  std::_Exit(exit_code);
}

}  // namespace bfslab::distributed
