// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/build/device_build.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "datasets/generate/quadrant_tuples.hpp"
#include "kernels/cuda/build/steps.hpp"
#include "kernels/cuda/device/upload.hpp"

namespace bfslab::cuda {

namespace {

constexpr unsigned kBinBits = 16;  // rounds are cut between 2^kBinBits ranges of rows

struct Round {
  Rows rows;
  edge_t entries = 0;  // maximum
};

struct Pass {
  DeviceGraph::Arrays csr;
  edge_t duplicates = 0;
};

class EntryPass {
 public:
  EntryPass(const DeviceTuples& tuples, const EntryRules& rules, const Stream& stream)
      : tuples_(tuples), rules_(rules), stream_(stream) {}

  // Only the offsets where `with_columns` is false.
  Pass run(bool deduplicate, bool with_columns, edge_t max_entries) const {
    const vertex_t n = tuples_.recipe.vertex_count;
    Pass pass;
    pass.csr.row_offsets = DeviceBuffer<edge_t>(n + std::size_t{1});
    std::vector<DeviceBuffer<vertex_t>> parts;  // the columns of each round
    edge_t total = 0;
    {
      const std::vector<Round> rounds = plan(with_columns, max_entries);
      edge_t most = 0;
      for (const Round& round : rounds) most = std::max(most, round.entries);
      KeyBuffers buffers(most);
      for (const Round& round : rounds) {
        edge_t count = emit_entries(tuples_, rules_, round.rows, buffers.keys.data(), stream_);
        sort_keys(buffers, count, 2 * rules_.vertex_bits, stream_);
        if (deduplicate) {
          const edge_t kept = drop_duplicates(buffers, count, stream_);
          pass.duplicates += count - kept;
          count = kept;
        } else {
          pass.duplicates += count_duplicates(buffers.keys.data(), count, stream_);
        }
        find_offsets(buffers.keys.data(), count, rules_.vertex_bits, round.rows.first,
                     round.rows.last, total, pass.csr.row_offsets.data() + round.rows.first,
                     stream_);
        if (with_columns && count > 0) {
          parts.emplace_back(count);
          take_columns(buffers.keys.data(), count, rules_.vertex_bits, parts.back().data(),
                       stream_);
        }
        total += count;
      }
      upload(pass.csr.row_offsets.data() + n, &total, sizeof(total), stream_);
      stream_.wait();  // before the keys are freed
    }
    if (with_columns) pass.csr.columns = concatenate(std::move(parts), stream_);
    return pass;
  }

 private:
  // Returns the maximum entries of a round. The two buffers of keys take 16 bytes per entry, beside
  // the columns of all rounds; 1/32 of the memory is left to CUB and to the driver.
  [[nodiscard]] static edge_t room(edge_t bound, bool with_columns) {
    constexpr edge_t kLeast = 1 << 16;  // with less, the allocation reports what it lacks
    std::size_t free = 0;
    std::size_t whole = 0;
    BFSLAB_CUDA(cudaMemGetInfo(&free, &whole));
    const edge_t usable = free - free / 32;
    const edge_t columns = with_columns ? bound * sizeof(vertex_t) : 0;
    const edge_t entries = usable > columns ? (usable - columns) / (2 * sizeof(std::uint64_t)) : 0;
    return std::clamp<edge_t>(entries, kLeast, std::numeric_limits<std::int32_t>::max());
  }

  [[nodiscard]] std::vector<Round> plan(bool with_columns, edge_t max_entries) const {
    const vertex_t n = tuples_.recipe.vertex_count;
    const edge_t bound = tuples_.recipe.count * (rules_.symmetrize ? 2 : 1);
    edge_t most = room(bound, with_columns);
    if (max_entries > 0) most = std::min(most, max_entries);
    if (bound <= most) return {{{0, n}, bound}};

    const unsigned shift = rules_.vertex_bits > kBinBits ? rules_.vertex_bits - kBinBits : 0;
    const std::vector<edge_t> counts = count_entries(tuples_, rules_, shift, stream_);
    std::vector<Round> rounds;
    for (std::size_t bin = 0; bin < counts.size(); ++bin) {
      if (rounds.empty() || rounds.back().entries + counts[bin] > most) {
        rounds.push_back({{static_cast<vertex_t>(bin << shift), 0}, 0});
      }
      rounds.back().rows.last =
          static_cast<vertex_t>(std::min<std::uint64_t>(n, std::uint64_t{bin + 1} << shift));
      rounds.back().entries += counts[bin];
    }
    return rounds;
  }

  const DeviceTuples& tuples_;
  EntryRules rules_;
  const Stream& stream_;
};

struct HostArrays {
  Buffer<edge_t> row_offsets;
  Buffer<vertex_t> columns;
  Buffer<std::uint32_t> input_edges;
  std::vector<std::uint64_t> labels;
};

}  // namespace

bool builds_on_device(const EdgeSource& source) {
  return dynamic_cast<const QuadrantSource*>(&source) != nullptr;
}

BuiltGraph build_on_device(const EdgeSource& source, const BuildOptions& options,
                           const Stream& stream, edge_t max_entries) {
  const auto* const quadrants = dynamic_cast<const QuadrantSource*>(&source);
  if (quadrants == nullptr) {
    throw std::invalid_argument("only Kronecker and R-MAT graphs are made on the device");
  }
  DeviceTuples tuples(quadrants->tuples(), stream);
  const vertex_t n = source.vertex_count();
  const EntryRules rules{options.symmetrize, options.drop_self_loops, bits_for(n)};
  BuiltGraph built;
  if (options.relabel == Relabel::shuffle) {
    built.new_of_old = shuffled_ids(n, options.relabel_seed, stream);
  } else if (options.relabel == Relabel::degree) {
    const Pass degrees =
        EntryPass(tuples, rules, stream).run(options.deduplicate, false, max_entries);
    built.new_of_old = degree_ids(degrees.csr.row_offsets, stream);
  }
  tuples.new_of_old = built.new_of_old.data();

  built.input_edges = zeroed<std::uint32_t>(n, stream);
  built.self_loops = count_tuples(tuples, built.input_edges.data(), stream);
  Pass out = EntryPass(tuples, rules, stream).run(options.deduplicate, true, max_entries);
  built.duplicates = out.duplicates;
  built.csr = std::move(out.csr);
  stream.wait();
  return built;
}

CsrArrays copy_to_host(const BuiltGraph& built, const Stream& stream) {
  const std::size_t n = built.csr.row_offsets.size() - 1;
  const auto arrays = std::make_shared<HostArrays>();
  const auto fetch = [&](auto& host, const auto& device) {
    host = std::remove_reference_t<decltype(host)>(device.size());
    download(host.data(), device.data(), host.bytes(), stream);
  };
  fetch(arrays->row_offsets, built.csr.row_offsets);
  fetch(arrays->columns, built.csr.columns);
  fetch(arrays->input_edges, built.input_edges);
  if (built.new_of_old.size() > 0) {
    Buffer<vertex_t> new_of_old;
    fetch(new_of_old, built.new_of_old);
    arrays->labels.resize(n);
    for (std::size_t v = 0; v < n; ++v) arrays->labels[new_of_old[v]] = v;
  }
  return {arrays->row_offsets.span(),
          arrays->columns.span(),
          arrays->input_edges.span(),
          arrays->labels,
          arrays,
          0};
}

}  // namespace bfslab::cuda
