// SPDX-License-Identifier: Apache-2.0
#include "kernels/distributed/edges/device_tuples.hpp"

#include <algorithm>

#include "datasets/build/team.hpp"
#include "kernels/cuda/device/upload.hpp"

namespace bfslab::distributed {

TupleFeed::TupleFeed(const Member& member, const EdgeShare& share, const cuda::Stream& stream,
                     std::uint64_t most)
    : share_(share),
      stream_(stream),
      threads_(std::max(1, team(0) / static_cast<int>(member.gpus_per_rank))) {
  const GeneratedTuples generated = share.generated();
  if (const auto* quadrants = dynamic_cast<const QuadrantSource*>(generated.source)) {
    tuples_ = std::make_unique<cuda::DeviceTuples>(quadrants->tuples(), stream);
    first_ = generated.first;
  }
  portion_ = std::uint64_t{1} << (tuples_ != nullptr ? 26 : 24);
  if (most > 0) portion_ = std::min(portion_, most);
  portion_ = std::clamp<std::uint64_t>(share.size(), 1, portion_);
  if (tuples_ == nullptr && share.size() > 0) {
    host_ = Buffer<GlobalEdge>(portion_);
    stored_ = cuda::DeviceBuffer<GlobalEdge>(portion_);
  }
}

TuplePortion TupleFeed::load(std::uint64_t portion) {
  const std::uint64_t begin = std::min(share_.size(), portion * portion_);
  const std::uint64_t count = std::min(share_.size() - begin, portion_);
  if (count == 0) return {};
  if (tuples_ != nullptr) return {&tuples_->recipe, first_ + begin, nullptr, count};
  if (loaded_ != portion) fill(begin, count);
  loaded_ = portion;
  return {nullptr, 0, stored_.data(), count};
}

void TupleFeed::fill(std::uint64_t begin, std::uint64_t count) {
  constexpr std::uint64_t kPiece = std::uint64_t{1} << 16;
  const std::uint64_t pieces = (count + kPiece - 1) / kPiece;
#pragma omp parallel for schedule(static) num_threads(threads_)
  for (std::uint64_t piece = 0; piece < pieces; ++piece) {
    const std::uint64_t first = piece * kPiece;
    share_.fill(begin + first, {host_.data() + first, std::min(kPiece, count - first)});
  }
  // What kernels still read of the portion before is behind this in the stream.
  cuda::upload(stored_.data(), host_.data(), count * sizeof(GlobalEdge), stream_);
}

}  // namespace bfslab::distributed
