// SPDX-License-Identifier: Apache-2.0
// How the memory of `delegate-cuda` on one GPU is made.
#include "kernels/distributed/engines/delegate/gpu_memory.cuh"

#include <bit>
#include <functional>
#include <numeric>

#include "kernels/distributed/edges/member_counts.cuh"

namespace bfslab::distributed::delegate {

namespace {

struct HasEntries {
  EitherOffsets degrees;

  [[nodiscard]] __device__ bool operator()(local_vertex_t row) const {
    return degrees.degree(row) > 0;
  }
};

__global__ void take_first(const __grid_constant__ EitherView<local_vertex_t> graph,
                           std::uint32_t rows, FirstEntry* first) {
  for (std::uint64_t i = cuda::thread_in_grid(); i < rows; i += cuda::threads_in_grid()) {
    const std::uint64_t begin = graph.row_offsets[i];
    const std::uint64_t degree = graph.row_offsets[i + 1] - begin;
    if (degree > 0) first[i] = {graph.columns[begin] | (degree == 1 ? FirstEntry::kOnly : 0)};
  }
}

// Counts the rows that are long in one of two subgraphs, and lists them, unless `list` is null.
__global__ void list_long(const __grid_constant__ EitherOffsets one,
                          const __grid_constant__ EitherOffsets other, std::uint32_t rows,
                          local_vertex_t* list, std::uint32_t* count) {
  for (std::uint64_t i = cuda::thread_in_grid(); i < rows; i += cuda::threads_in_grid()) {
    const auto u = static_cast<local_vertex_t>(i);
    if (max(one.degree(u), other.degree(u)) <= kLongRow) continue;
    const std::uint32_t place = atomicAdd(count, 1U);
    if (list != nullptr) list[place] = u;
  }
}

// The ends of edges as items of member_counts.cuh, for their owners.
struct EdgeEnds {
  const global_vertex_t* columns = nullptr;
  std::uint64_t count = 0;

  [[nodiscard]] __device__ std::uint64_t size() const { return count; }
  template <typename Emit>
  __device__ void operator()(std::uint64_t i, const Emit& emit) const {
    emit(NormalEnd{columns[i]}.owner(), columns[i]);
  }
};

// Adds up the entries of rows that have a bit, in two subgraphs that have the same rows.
__global__ void sum_reached(const __grid_constant__ EitherOffsets one,
                            const __grid_constant__ EitherOffsets other,
                            const std::uint32_t* reached, std::uint32_t rows,
                            unsigned long long* entries) {
  unsigned long long sum = 0;
  for (std::uint64_t i = cuda::thread_in_grid(); i < rows; i += cuda::threads_in_grid()) {
    const auto v = static_cast<local_vertex_t>(i);
    if (test(reached, v)) sum += one.degree(v) + other.degree(v);
  }
  cuda::add_of_block(sum, entries);
}

__global__ void count_new(const std::uint32_t* now, const std::uint32_t* before,
                          const std::uint32_t* among, std::size_t words,
                          unsigned long long* count) {
  unsigned long long sum = 0;
  for (std::size_t w = cuda::thread_in_grid(); w < words; w += cuda::threads_in_grid()) {
    sum += __popc(now[w] & ~before[w] & (among != nullptr ? among[w] : ~0U));
  }
  cuda::add_of_block(sum, count);
}

std::uint64_t bits_in(const Bits& bits, const cuda::Stream& stream) {
  const std::vector<std::uint32_t> host = cuda::downloaded(bits, stream);
  return std::transform_reduce(host.begin(), host.end(), std::uint64_t{0}, std::plus<>{},
                               [](std::uint32_t word) { return std::popcount(word); });
}

template <typename Column>
Bits sources_of(const DeviceSubgraph<Column>& graph, std::uint32_t rows,
                const cuda::Stream& stream) {
  Bits bits = zeroed<std::uint32_t>(words_for(rows), stream);
  if (rows == 0) return bits;
  BFSLAB_LAUNCH(mark_rows, blocks_for(rows), stream, HasEntries{EitherOffsets::from(graph)}, rows,
                bits.data());
  return bits;
}

// For whole words of rows, as they are read.
DeviceBuffer<FirstEntry> first_entries(const DeviceSubgraph<local_vertex_t>& graph,
                                       std::uint32_t rows, const cuda::Stream& stream) {
  auto first = zeroed<FirstEntry>(words_for(rows) * 32, stream);
  BFSLAB_LAUNCH(take_first, blocks_for(rows), stream, EitherView<local_vertex_t>::from(graph), rows,
                first.data());
  return first;
}

DeviceBuffer<local_vertex_t> list_long_rows(const DeviceSubgraphs& graph,
                                            const cuda::Stream& stream) {
  const std::uint32_t d = graph.delegate_count();
  if (d == 0) return {};
  DeviceBuffer<std::uint32_t> count(1);
  const auto list = [&](local_vertex_t* into) {
    count.fill_bytes(0, stream.get());
    BFSLAB_LAUNCH(list_long, blocks_for(d), stream, EitherOffsets::from(graph.dn),
                  EitherOffsets::from(graph.dd), d, into, count.data());
    return cuda::read_back(count.data(), stream);
  };
  DeviceBuffer<local_vertex_t> rows(list(nullptr));
  if (rows.size() > 0) list(rows.data());
  return rows;
}

}  // namespace

GraphArrays::GraphArrays(const DeviceSubgraphs& graph, const Places& places,
                         const WorkSettings& settings, const cuda::Stream& stream) {
  const std::uint32_t d = graph.delegate_count();
  nn_sources = sources_of(graph.nn, places.count(), stream);
  nd_sources = sources_of(graph.nd, places.count(), stream);
  dn_sources = sources_of(graph.dn, d, stream);
  dd_sources = sources_of(graph.dd, d, stream);
  std::vector<std::uint32_t> owned(words_for(d), 0);
  for (const auto& [vertex, u] : graph.own_delegates) owned[u / 32] |= 1U << (u % 32);
  own = uploaded(std::span<const std::uint32_t>(owned), stream);
  if (wants_parents(settings.answer)) {
    ids = DeviceBuffer<local_vertex_t>(places.count());
    ids_of_places(places, graph.owned, ids.data(), stream);
  }
  if (settings.backward) {
    dd_first = first_entries(graph.dd, d, stream);
    nd_first = first_entries(graph.nd, places.count(), stream);
    long_delegates = list_long_rows(graph, stream);
  }
  sources = {.nd = bits_in(nd_sources, stream),
             .dn = bits_in(dn_sources, stream),
             .dd = bits_in(dd_sources, stream)};
}

VertexStatus::VertexStatus(const DeviceSubgraphs& graph, const Places& places,
                           const WorkSettings& settings, const cuda::Stream& stream)
    : levels(graph.owned), place_levels(places.count()), delegate_levels(graph.delegate_count()) {
  const std::uint32_t d = graph.delegate_count();
  const auto zeros = [&](std::uint64_t bits) {
    return zeroed<std::uint32_t>(words_for(bits), stream);
  };
  reached = zeros(places.count());
  reached_before = zeros(places.count());
  frontier = zeros(d);
  visited = zeros(d);
  if (!settings.one_kernel) known = zeros(d);
  low_levels = Bits(reached.size() * 4 + 1);  // window() reads one word more
  low_delegate_levels = Bits(visited.size() * 4);
  if (!wants_parents(settings.answer)) return;
  parents = DeviceBuffer<vertex_t>(graph.owned);
  place_parents = DeviceBuffer<vertex_t>(places.count());
  if (!settings.one_kernel) delegate_parents = DeviceBuffer<vertex_t>(d);
  const std::vector<vertex_t> ids(graph.delegates.begin(), graph.delegates.end());
  names = uploaded(std::span(ids), stream);
  if (settings.backward) found_first = Bits(reached.size() + 1);  // for window(), too
}

void SentLists::measure(const DeviceSubgraph<global_vertex_t>& nn, unsigned me, unsigned members,
                        std::size_t entry_bytes, const cuda::Stream& stream) {
  first.resize(members);
  begin = DeviceBuffer<std::uint64_t>(members);
  count = DeviceBuffer<std::uint32_t>(members);
  if (members == 1) return;
  const auto of_owner = zeroed<unsigned long long>(members, stream);
  const std::uint64_t entries = nn.columns.size();
  BFSLAB_LAUNCH_SIZED(count_items, blocks_for(entries), kBlockThreads, sizeof(unsigned) * members,
                      stream, EdgeEnds{nn.columns.data(), entries}, members, of_owner.data());
  const std::vector<unsigned long long> sizes = cuda::downloaded(of_owner, stream);
  std::uint64_t all = 0;
  for (unsigned to = 0; to < members; ++to) {
    first[to] = all;
    all += to == me ? 0 : sizes[to];
  }
  bytes = all * entry_bytes;
  first_on_gpu = uploaded(std::span<const std::uint64_t>(first), stream);
}

void SentLists::lie_in(std::byte* memory, unsigned members, const cuda::Stream& stream) {
  lists = memory;
  const std::vector<std::byte*> each(members, memory);
  pointers = uploaded(std::span(each), stream);
}

GpuMemory::GpuMemory(const DeviceSubgraphs& graph_, const Places& places_, const MemberGpu& gpu_,
                     const Member& member, const WorkSettings& settings_)
    : graph(graph_),
      places(places_),
      gpu(gpu_),
      stream(gpu_.stream()),
      settings(settings_),
      me(member.index()),
      members(member.count()),
      own(Ownership::round_robin(graph_.vertices, member.count())),
      parents_wanted(wants_parents(settings_.answer)),
      carries_parents(parents_wanted && (settings_.carry_parents || !graph_.symmetric)),
      arrays(graph_, places_, settings_, stream),
      status(graph_, places_, settings_, stream),
      queue(places_.count()),
      list(graph_.delegate_count()),
      merge_blocks(cuda::full_grid()) {
  for (DeviceBuffer<RestOfRow>& left : left_rows) {
    left = DeviceBuffer<RestOfRow>(arrays.long_delegates.size());
  }
  const std::size_t d = graph.delegate_count();
  const std::size_t most = std::max<std::size_t>(places.count(), d);
  sums = cuda::DegreeSums(settings.merge_all ? most : d, merge_blocks);
  if (settings.merge_all) other_sums = cuda::DegreeSums(most, merge_blocks);
  found = status.known.data();
  delegate_parents = status.delegate_parents.data();
  sent.measure(graph.nn, me, members, entry_bytes(), stream);
  if (!settings.one_kernel) {
    sent.own = DeviceBuffer<std::byte>(sent.bytes);
    sent.lie_in(sent.own.data(), members, stream);
  }
  stream.wait();
}

LevelBegin GpuMemory::level_begin() const {
  return {.nn = EitherView<global_vertex_t>::from(graph.nn),
          .nd = EitherView<local_vertex_t>::from(graph.nd),
          .dn = EitherView<local_vertex_t>::from(graph.dn),
          .dd = EitherView<local_vertex_t>::from(graph.dd),
          .reached = status.reached.data(),
          .reached_before = status.reached_before.data(),
          .labels = labels(),
          .queue = queue.data(),
          .normal_words = status.reached.size(),
          .visited = status.visited.data(),
          .delegate_labels = delegate_labels(),
          .frontier = status.frontier.data(),
          .list = list.data(),
          .delegate_words = status.visited.size(),
          .dn_sources = arrays.dn_sources.data(),
          .dd_sources = arrays.dd_sources.data(),
          .nn_sources = arrays.nn_sources.data(),
          .nd_sources = arrays.nd_sources.data(),
          .own = arrays.own.data()};
}

ResetView GpuMemory::reset_view(local_vertex_t delegate, local_vertex_t vertex) const {
  const bool is_delegate = delegate != LocalWork::kNone;
  const global_vertex_t name = is_delegate                  ? graph.delegates[delegate]
                               : vertex != LocalWork::kNone ? own.global(me, vertex)
                                                            : kNoVertex;
  return {.normals = normals(),
          .found_first = status.found_first.data(),
          .delegates = delegates(),
          .counts = counts.data(),
          .places = with_place(),
          .delegate_count = graph.delegate_count(),
          .sent_begin = sent.begin.data(),
          .sent_count = sent.count.data(),
          .members = members,
          .delegate = delegate,
          .vertex = vertex,
          .name = static_cast<vertex_t>(name)};
}

void GpuMemory::add_new_bits(const std::uint32_t* now, const Bits& before,
                             unsigned long long* count, const std::uint32_t* among) const {
  if (before.size() == 0) return;
  BFSLAB_LAUNCH(count_new, blocks_for(before.size()), stream, now, before.data(), among,
                before.size(), count);
}

std::uint64_t GpuMemory::new_bits(const std::uint32_t* now, const Bits& before,
                                  const std::uint32_t* among) const {
  sum.fill_bytes(0, stream.get());
  add_new_bits(now, before, sum.data(), among);
  return cuda::read_back(sum.data(), stream);
}

std::uint64_t GpuMemory::reached_entries() const {
  sum.fill_bytes(0, stream.get());
  const auto add = [&](const auto& one, const auto& other, const Bits& reached,
                       std::uint32_t rows) {
    if (rows == 0) return;
    BFSLAB_LAUNCH(sum_reached, blocks_for(rows), stream, EitherOffsets::from(one),
                  EitherOffsets::from(other), reached.data(), rows, sum.data());
  };
  add(graph.nn, graph.nd, status.reached, places.count());
  add(graph.dn, graph.dd, status.visited, graph.delegate_count());
  return cuda::read_back(sum.data(), stream);
}

MemoryUse GpuMemory::use() const {
  MemoryUse use;
  use.graph = cuda::bytes_of(graph, places, arrays);
  use.status = status.bytes();
  use.queues = cuda::bytes_of(queue, list, sent.own);
  use.scratch = cuda::bytes_of(sums, other_sums, counts, sum, sent.first_on_gpu, sent.begin,
                               sent.count, library_scratch, left_rows[0], left_rows[1]);
  use.sized_by_device =
      sums.bytes_by_device() + other_sums.bytes_by_device() + library_scratch.bytes();
  return use;
}

}  // namespace bfslab::distributed::delegate
