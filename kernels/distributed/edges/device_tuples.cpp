// SPDX-License-Identifier: Apache-2.0
#include "kernels/distributed/edges/device_tuples.hpp"

#include <algorithm>
#include <span>

#include "datasets/build/team.hpp"
#include "datasets/graph/csr_graph.hpp"
#include "kernels/cuda/device/upload.hpp"

namespace bfslab::distributed {

namespace {

vertex_t row_of(const CsrGraph& graph, std::uint64_t entry) {
  const std::span<const edge_t> offsets = graph.row_offsets();
  return static_cast<vertex_t>(std::ranges::upper_bound(offsets, entry) - offsets.begin() - 1);
}

}  // namespace

TupleFeed::TupleFeed(const Member& member, const EdgeShare& share, const cuda::Stream& stream,
                     std::uint64_t max_portion)
    : share_(share),
      stream_(stream),
      threads_(std::max(1, team(0) / static_cast<int>(member.gpus_per_rank))) {
  const GeneratedTuples generated = share.generated();
  if (const auto* quadrants = dynamic_cast<const QuadrantSource*>(generated.source)) {
    tuples_ = std::make_unique<cuda::DeviceTuples>(quadrants->tuples(), stream);
    first_ = generated.first;
  } else if (const CsrEntries entries = share.entries(); share.size() > 0) {
    graph_ = entries.graph;
    first_ = entries.first;
  }
  portion_ = std::uint64_t{1} << (tuples_ != nullptr || graph_ != nullptr ? 26 : 24);
  if (max_portion > 0) portion_ = std::min(portion_, max_portion);
  portion_ = std::clamp<std::uint64_t>(share.size(), 1, portion_);
  if (tuples_ != nullptr || share.size() == 0) return;
  if (graph_ != nullptr) {
    first_row_ = row_of(*graph_, first_);
    const std::size_t last = row_of(*graph_, first_ + share.size() - 1);
    row_offsets_ = cuda::DeviceBuffer<edge_t>(last - first_row_ + 2);
    cuda::upload(row_offsets_.data(), graph_->row_offsets().data() + first_row_,
                 row_offsets_.bytes(), stream);
    columns_ = cuda::DeviceBuffer<vertex_t>(portion_);
    return;
  }
  host_ = Buffer<GlobalEdge>(portion_);
  stored_ = cuda::DeviceBuffer<GlobalEdge>(portion_);
}

TuplePortion TupleFeed::load(std::uint64_t portion) {
  const std::uint64_t begin = std::min(share_.size(), portion * portion_);
  const std::uint64_t count = std::min(share_.size() - begin, portion_);
  if (count == 0) return {};
  TuplePortion loaded;
  loaded.first = first_ + begin;
  loaded.count = count;
  if (tuples_ != nullptr) {
    loaded.recipe = &tuples_->recipe;
    return loaded;
  }
  if (loaded_ != portion) fill(begin, count);
  loaded_ = portion;
  if (graph_ == nullptr) {
    loaded.stored = stored_.data();
    return loaded;
  }
  const vertex_t row = row_of(*graph_, loaded.first);
  const vertex_t last = row_of(*graph_, loaded.first + count - 1);
  loaded.rows = {row_offsets_.data() + (row - first_row_), row, last - row + 1, columns_.data()};
  return loaded;
}

void TupleFeed::fill(std::uint64_t begin, std::uint64_t count) {
  // Kernels that still read the portion before precede these copies in the stream.
  if (graph_ != nullptr) {
    cuda::upload(columns_.data(), graph_->columns().data() + first_ + begin,
                 count * sizeof(vertex_t), stream_);
    return;
  }
  constexpr std::uint64_t kPiece = std::uint64_t{1} << 16;
  const std::uint64_t pieces = (count + kPiece - 1) / kPiece;
#pragma omp parallel for schedule(static) num_threads(threads_)
  for (std::uint64_t piece = 0; piece < pieces; ++piece) {
    const std::uint64_t first = piece * kPiece;
    share_.fill(begin + first, {host_.data() + first, std::min(kPiece, count - first)});
  }
  cuda::upload(stored_.data(), host_.data(), count * sizeof(GlobalEdge), stream_);
}

}  // namespace bfslab::distributed
