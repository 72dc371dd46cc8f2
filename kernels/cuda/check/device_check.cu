// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/check/device_check.hpp"

#include <stdexcept>
#include <vector>

#include "kernels/cuda/check/edge_rules.cuh"
#include "kernels/cuda/check/tree_levels.cuh"
#include "kernels/cuda/check/vertex_rules.cuh"
#include "kernels/cuda/device/device.hpp"
#include "kernels/cuda/device/upload.hpp"

namespace bfslab::cuda {

namespace {

struct JudgedTree {
  const vertex_t* parents;
  vertex_t vertices, source;
  level_t* levels;
  CheckReport* report;

  [[nodiscard]] __device__ vertex_t parent(vertex_t v) const { return parents[v]; }
  __device__ void set_level(vertex_t v, level_t level) const { levels[v] = level; }
  __device__ void broken(Rule rule, vertex_t v) const {
    report_broken(report, broken_key(rule, v));
  }
};

DeviceBuffer<RowPiece> long_rows(const CsrGraph& graph, const Stream& stream) {
  std::vector<RowPiece> pieces;
  for (vertex_t v = 0; v < graph.vertex_count(); ++v) {
    const edge_t length = graph.degree(v);
    if (length <= kPieceEntries) continue;
    const edge_t count = (length + kPieceEntries - 1) / kPieceEntries;
    for (edge_t i = 0; i < count; ++i) pieces.push_back({v, static_cast<std::uint32_t>(i)});
  }
  return uploaded(std::span<const RowPiece>(pieces), stream);
}

template <typename T>
std::vector<T> fetched(const T* from, std::size_t count) {
  std::vector<T> here(from == nullptr ? 0 : count);
  if (!here.empty()) {
    BFSLAB_CUDA(cudaMemcpy(here.data(), from, count * sizeof(T), cudaMemcpyDeviceToHost));
  }
  return here;
}

[[maybe_unused]] const bool check_supplied =
    make_device_checker.supply([](const CsrGraph& graph) -> std::unique_ptr<AnswerChecker> {
      device();  // throws if there is no GPU
      return std::make_unique<DeviceChecker>(graph);
    });

}  // namespace

DeviceChecker::DeviceChecker(const CsrGraph& graph)
    : graph_(graph), device_graph_(graph, true, stream_) {
  BFSLAB_CUDA(cudaGetDevice(&device_));
  const std::span<const std::uint32_t> inputs = graph_.input_edges();
  const std::size_t n = graph_.vertex_count();
  supported_ = DeviceBuffer<std::uint32_t>((n + 31) / 32);
  report_ = DeviceBuffer<CheckReport>(1);
  host_report_ = PinnedBuffer<CheckReport>(1);
  input_edges_ = uploaded(inputs, stream_);
  judged_ = {device_graph_.outgoing(), {}, input_edges_.data()};
  if (device_graph_.has_incoming()) judged_.in = device_graph_.incoming();
  out_pieces_ = long_rows(graph_, stream_);
  if (!graph_.symmetric() && device_graph_.has_incoming()) {
    in_pieces_ = long_rows(*graph_.incoming(), stream_);
  }
}

JudgedVectors DeviceChecker::begin(vertex_t source, const WholeAnswer& answer) {
  if (answer.space != MemorySpace::device) {
    throw std::invalid_argument("the answer to check is not in device memory");
  }
  if (answer.levels == nullptr && answer.parents == nullptr) {
    throw std::invalid_argument("the answer to check has neither levels nor parents");
  }
  const vertex_t n = graph_.vertex_count();
  if (source >= n || answer.vertex_count != n) {
    throw std::invalid_argument("the answer to check belongs to another graph");
  }
  if (answer.levels == nullptr && derived_.size() == 0) {
    DeviceBuffer<std::uint64_t> ancestors(n);  // allocated as a whole or not at all
    DeviceBuffer<std::uint32_t> changed(kTreeRounds);
    derived_ = DeviceBuffer<level_t>(n);
    ancestors_ = std::move(ancestors);
    changed_ = std::move(changed);
  }
  report_.fill_bytes(0, stream_.get());
  BFSLAB_CUDA(cudaMemsetAsync(&report_.data()->first_broken, 0xff,
                              sizeof(report_.data()->first_broken), stream_.get()));
  if (answer.levels != nullptr) return {source, answer.levels, answer.parents, true};
  derive_levels_of(JudgedTree{answer.parents, n, source, derived_.data(), report_.data()},
                   ancestors_.data(), changed_.data(), stream_);
  return {source, derived_.data(), answer.parents, false};
}

CheckResult DeviceChecker::check(vertex_t source, const WholeAnswer& answer) {
  const JudgedVectors vectors = begin(source, answer);
  judge_vertices(vectors, true);
  judge_all_edges(vectors);
  return finish(vectors);
}

CheckResult DeviceChecker::summarize(vertex_t source, const WholeAnswer& answer) {
  const JudgedVectors vectors = begin(source, answer);
  judge_vertices(vectors, false);
  return finish(vectors);
}

void DeviceChecker::judge_vertices(const JudgedVectors& vectors, bool rules) {
  BFSLAB_LAUNCH(vertex_rules, blocks_for(judged_.out.vertices), stream_, judged_, vectors, rules,
                report_.data());
}

void DeviceChecker::judge_all_edges(const JudgedVectors& vectors) {
  const auto pass = [&](const CsrView& rows, const DeviceBuffer<RowPiece>& pieces, bool span,
                        Support support) {
    judge_edges(rows, pieces, {vectors.levels, supported_.data(), span, support}, report_.data(),
                stream_);
  };
  if (vectors.parents != nullptr) {  // a tree supports its levels
    pass(judged_.out, out_pieces_, true, Support::unasked);
    return;
  }
  supported_.fill_bytes(0, stream_.get());
  if (graph_.symmetric()) {
    pass(judged_.out, out_pieces_, true, Support::by_row);
  } else if (judged_.in.row_offsets != nullptr) {
    pass(judged_.out, out_pieces_, true, Support::unasked);
    pass(judged_.in, in_pieces_, false, Support::by_row);
  } else {
    pass(judged_.out, out_pieces_, true, Support::by_column);
  }
  const vertex_t n = graph_.vertex_count();
  BFSLAB_LAUNCH(support_rule, blocks_for(n), stream_, vectors, n, supported_.data(),
                report_.data());
}

CheckResult DeviceChecker::finish(const JudgedVectors& vectors) {
  copy(host_report_.data(), report_.data(), 1, stream_);
  stream_.wait();
  const CheckReport& report = host_report_[0];
  if (report.first_broken != kNothingBroken) return explain(report.first_broken, vectors);
  CheckResult result;
  result.levels = report.deepest + 1;
  result.reached_vertices = report.reached;
  result.level_sum = report.level_sum;
  result.component_edges = graph_.symmetric() ? report.edges / 2 : report.edges;
  result.component_input_edges = report.input_edges;
  return result;
}

// The sentence needs the answer's values, so the answer is copied to the host. This is rare.
CheckResult DeviceChecker::explain(unsigned long long broken, const JudgedVectors& vectors) const {
  const std::size_t n = graph_.vertex_count();
  const std::vector<level_t> levels = fetched(vectors.levels, n);
  const std::vector<vertex_t> parents = fetched(vectors.parents, n);
  return refused(sentence(static_cast<Rule>(broken >> 32), static_cast<vertex_t>(broken), graph_,
                          {vectors.source, levels, parents}));
}

std::uint64_t DeviceChecker::bytes() const {
  return bytes_of(device_graph_, input_edges_, out_pieces_, in_pieces_, supported_, ancestors_,
                  changed_, derived_, report_);
}

}  // namespace bfslab::cuda
