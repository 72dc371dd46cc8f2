// SPDX-License-Identifier: Apache-2.0
#include "kernels/distributed/check/gpu_check.hpp"

#include <optional>
#include <string>

#include "kernels/cuda/device/upload.hpp"
#include "kernels/distributed/check/gpu_check_rules.cuh"
#include "kernels/unsupported.hpp"

namespace bfslab::distributed {

namespace {

using cuda::blocks_for;
using cuda::DeviceBuffer;
using cuda::Stream;

// Counts of what all members reached.
struct Tally {
  ReachedSet set;
  Word level_sum = 0;
  Word levels = 0;
};

class Examination {
 public:
  Examination(Member& member, const EdgeShare& share, const Ownership& own, global_vertex_t source,
              const AnswerPart& part, const MemberGpu& gpu, Communicator& data)
      : member_(member),
        all_(*member.all),
        me_(member.index()),
        members_(member.count()),
        share_(share),
        part_(part),
        stream_(gpu.stream()),
        data_(data),
        owned_(own.count(me_)),
        answer_{.own = own,
                .stride = (own.count(0) + 63) / 64 * 64,
                .vertices = share.vertices(),
                .source = source} {
    // A member that owns nothing may have null for both halves.
    has_levels_ = all_.maximum(part.levels != nullptr ? 1 : 0) != 0;
    has_parents_ = all_.maximum(part.parents != nullptr ? 1 : 0) != 0;
    const Findings nothing;
    cuda::upload(findings_.data(), &nothing, sizeof(nothing), stream_);
  }

  // The answer itself has.
  [[nodiscard]] bool has_levels() const { return has_levels_; }

  // Once, before or after gather().
  [[nodiscard]] Tally tally() {
    DeviceBuffer<level_t> own;
    GatheredAnswer seen = answer_;
    if (answer_.levels == nullptr) {
      own = DeviceBuffer<level_t>(part_.ids.count);
      cuda::copy(own.data(), part_.levels, part_.ids.count, stream_);
      seen.levels = own.data();
      seen.stride = 0;  // what is there is this member's alone
    }
    BFSLAB_LAUNCH(reached_levels, blocks_for(owned_), stream_, seen, me_, owned_, findings_.data());
    const Findings findings = found();
    Word sums[3] = {findings.reached, findings.hashes, findings.level_sum};
    all_.all_reduce(sums, Reduction::sum);
    return {{sums[0], sums[1]}, sums[2], all_.maximum(findings.levels)};
  }

  void gather() {
    if (has_levels_) answer_.levels = gather(part_.levels, part_.ids.count, levels_);
    if (has_parents_) answer_.parents = gather(part_.parents, part_.ids.count, parents_);
  }

  void check_vertices() {
    BFSLAB_LAUNCH(vertex_rules, blocks_for(owned_), stream_, answer_, me_, owned_,
                  findings_.data());
    agree();
  }

  void derive_levels() {
    const DeviceBuffer<std::uint64_t> ancestors(answer_.vertices);
    const DeviceBuffer<std::uint32_t> changed(cuda::kTreeRounds);
    levels_ = DeviceBuffer<level_t>(members_ * answer_.stride);
    levels_.fill_bytes(0xff, stream_.get());  // kUnreached, also between the members' parts
    answer_.levels = levels_.data();
    const GatheredTree tree{answer_, findings_.data(), answer_.vertices,
                            static_cast<vertex_t>(answer_.source)};
    cuda::derive_levels_of(tree, ancestors.data(), changed.data(), stream_);
    stream_.wait();
    agree();
  }

  // Every rule up to now holds on all members.
  [[nodiscard]] bool holds() const { return broken_ == kNothingBroken; }

  // With `count` counts input edges on the way; with `judge` false it does nothing else.
  void check_edges(bool judge, bool count) {
    const bool count_input = count && !share_.input_edges().has_value();
    if (!judge && !count_input) return;
    DeviceBuffer<std::uint64_t> proven;
    if (judge) proven = cuda::zeroed<std::uint64_t>(members_ * answer_.stride / 64, stream_);
    Counter* const input_edges = count_input ? &findings_.data()->input_edges : nullptr;
    on_all_tuples([&](const auto& source) {
      BFSLAB_LAUNCH(tuple_rules, blocks_for(source.count), stream_, source, share_.rules(), answer_,
                    judge, proven.data(), findings_.data(), input_edges);
    });
    if (!judge) return;
    if (members_ > 1) data_.all_reduce({proven.data(), proven.size()}, Reduction::bit_or);
    BFSLAB_LAUNCH(unproven, blocks_for(owned_), stream_, answer_, me_, owned_, proven.data(),
                  findings_.data());
    // Before the bits go that others may be reading.
    stream_.wait();
    agree();
  }

  CheckResult verdict() {
    if (holds()) return {};
    Violation first;
    first.rule = broken_ >> kVertexBits;
    first.vertex = broken_ & ((std::uint64_t{1} << kVertexBits) - 1);
    const auto rule = static_cast<Rule>(first.rule);
    const bool of_an_edge =
        rule == Rule::edges_span_one_level || rule == Rule::parents_one_level_up;
    first.level = has_levels_ || rule > Rule::parents_form_a_tree ? level_of(first.vertex) : 0;
    if (rule == Rule::edges_span_one_level) {
      on_all_tuples([&](const auto& source) {
        BFSLAB_LAUNCH(long_edges, blocks_for(source.count), stream_, source, share_.rules(),
                      answer_, first.vertex, findings_.data());
      });
      first.other = all_.minimum(found().other);
    } else if (answer_.parents != nullptr) {
      const vertex_t parent =
          cuda::read_back(answer_.parents + answer_.index(first.vertex), stream_);
      if (parent != kNoVertex) first.other = parent;
    }
    if (of_an_edge) first.other_level = level_of(first.other);
    return refused(sentence(first, answer_.source, answer_.vertices));
  }

  // After check_edges() has counted them, where the share does not know them.
  [[nodiscard]] Word input_edges() {
    DeviceBuffer<std::uint32_t> counts;
    if (const std::optional<InputEdges> given = share_.input_edges();
        given && !given->counts.empty()) {
      counts = cuda::uploaded(given->counts, stream_);
      BFSLAB_LAUNCH(sum_counts, blocks_for(counts.size()), stream_, answer_, given->first,
                    counts.data(), counts.size(), findings_.data());
    }
    Word sum[1] = {found().input_edges};
    all_.all_reduce(sum, Reduction::sum);
    return sum[0];
  }

 private:
  static constexpr Word kNothingBroken = ~Word{0};

  [[nodiscard]] Findings found() const { return cuda::read_back(findings_.data(), stream_); }
  // Calls launch(source) for each portion of the member's tuples (on_tuples).
  template <typename Launch>
  void on_all_tuples(const Launch& launch) {
    if (!feed_) feed_.emplace(member_, share_, stream_);
    for (std::uint64_t portion = 0; portion < feed_->portions(); ++portion) {
      on_tuples(feed_->load(portion), launch);
    }
  }
  void agree() { broken_ = all_.minimum(found().broken); }
  [[nodiscard]] Word level_of(global_vertex_t v) const {
    return cuda::read_back(answer_.levels + answer_.index(v), stream_);
  }

  // Gathers all members' values, each member's from a multiple of the stride on. Entries without an
  // owner are all ones, which is neither reached nor a parent.
  template <typename Value>
  Value* gather(const Value* values, std::uint64_t count, DeviceBuffer<Value>& into) {
    into = DeviceBuffer<Value>(members_ * answer_.stride);
    DeviceBuffer<Value> own;
    Value* place = into.data();
    if (members_ > 1) {
      own = DeviceBuffer<Value>(answer_.stride);
      place = own.data();
    }
    if (answer_.stride == 0) return into.data();
    BFSLAB_CUDA(cudaMemsetAsync(place, 0xff, answer_.stride * sizeof(Value), stream_.get()));
    cuda::copy(place, values, count, stream_);
    if (members_ > 1) {
      data_.all_gather({reinterpret_cast<const std::byte*>(own.data()), own.bytes()},
                       {reinterpret_cast<std::byte*>(into.data()), into.bytes()});
    }
    // Before `own` goes that others read.
    stream_.wait();
    all_.barrier();
    return into.data();
  }

  const Member& member_;
  Communicator& all_;
  unsigned me_;
  std::uint64_t members_;
  const EdgeShare& share_;
  const AnswerPart& part_;
  const Stream& stream_;
  Communicator& data_;
  std::optional<TupleFeed> feed_;  // made with the first request for tuples
  DeviceBuffer<Findings> findings_{1};
  DeviceBuffer<level_t> levels_;
  DeviceBuffer<vertex_t> parents_;
  std::uint64_t owned_;
  GatheredAnswer answer_;
  bool has_levels_ = false, has_parents_ = false;
  Word broken_ = kNothingBroken;
};

}  // namespace

CheckResult GpuAnswerChecker::check(Member& member, global_vertex_t source, const AnswerPart& part,
                                    bool rules) {
  if (share_.vertices() >> kVertexBits != 0) {
    throw Unsupported(std::to_string(share_.vertices()) +
                      " vertices: the check on GPUs takes up to 2^" + std::to_string(kVertexBits));
  }
  Examination examination(member, share_, ownership_, source, part, gpu_, data_);
  const bool has_levels = examination.has_levels();
  std::optional<Tally> tally;
  auto known = input_edges_.end();
  const auto count = [&] {
    tally = examination.tally();
    known = input_edges_.find(tally->set);
  };
  if (!rules && has_levels) count();
  if (known == input_edges_.end()) examination.gather();
  if (rules || !has_levels) {
    examination.check_vertices();
    if (examination.holds() && !has_levels) examination.derive_levels();
  }
  if (examination.holds()) {
    if (!tally) count();
    examination.check_edges(rules, known == input_edges_.end());
  }
  CheckResult result = examination.verdict();
  if (result.ok) {
    if (known == input_edges_.end()) {
      known = input_edges_.emplace(tally->set, examination.input_edges()).first;
    }
    result.levels = tally->levels;
    result.reached_vertices = tally->set.vertices;
    result.level_sum = tally->level_sum;
    result.component_input_edges = known->second;
  }
  member.all->barrier();  // before memory goes that others read
  return result;
}

}  // namespace bfslab::distributed
