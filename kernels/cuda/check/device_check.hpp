// SPDX-License-Identifier: Apache-2.0
// DeviceChecker: the check of answers in device memory, on the device. The rules and their
// sentences are those of kernels/answer_rules.hpp. The kernels lie beside this file, one file per
// kind of rule. They report the first broken rule and its vertex. Only then is the answer copied to
// the host, which makes the sentence.
//
// Time on one H200 for Kronecker scale 25 (34 M vertices, 17 M of them reached, 1.05 G entries), as
// predicted from its measured rates: 20 ms for 1.05 G random levels (134 MB: 52 G/s), 1 ms for 4.2
// GB of columns; with parents 2 ms for 17 M binary searches; parents alone 4 ms more for four
// rounds of pointer jumping; counts and the rest under 1 ms; 22 to 28 ms in total. One launch per
// pass and one read-back of six words make a small graph's check some 50 us.
//
// Device memory beside the graph: 1/8 byte per vertex, 4 if input edges are counted, 12 more once
// parents come alone (kept from then on), and at most 8 bytes per 512 entries.
#pragma once

#include "kernels/cuda/check/judged.hpp"
#include "kernels/cuda/device/device_graph.hpp"
#include "kernels/cuda/device/memory.hpp"
#include "kernels/cuda/device/stream.hpp"
#include "kernels/device_check.hpp"

namespace bfslab::cuda {

class DeviceChecker : public AnswerChecker {
 public:
  // Uploads the graph, with its transpose if the host has it.
  explicit DeviceChecker(const CsrGraph& graph);

  CheckResult check(vertex_t source, const WholeAnswer& answer) override;
  CheckResult summarize(vertex_t source, const WholeAnswer& answer) override;
  [[nodiscard]] int device() const override { return device_; }
  [[nodiscard]] std::uint64_t bytes() const override;

 private:
  // Begins a report; derives the levels of parents alone. Throws std::invalid_argument.
  JudgedVectors begin(vertex_t source, const WholeAnswer& answer);
  void judge_vertices(const JudgedVectors& vectors, bool rules);
  void judge_all_edges(const JudgedVectors& vectors);
  CheckResult finish(const JudgedVectors& vectors);
  [[nodiscard]] CheckResult explain(unsigned long long broken, const JudgedVectors& vectors) const;

  const CsrGraph& graph_;
  int device_ = 0;
  Stream stream_;
  DeviceGraph device_graph_;
  JudgedGraph judged_;
  DeviceBuffer<std::uint32_t> input_edges_;
  DeviceBuffer<RowPiece> out_pieces_, in_pieces_;  // the latter of directed graphs only
  DeviceBuffer<std::uint32_t> supported_;          // one bit per vertex
  DeviceBuffer<std::uint64_t> ancestors_;  // allocated once parents came alone, like the next two
  DeviceBuffer<std::uint32_t> changed_;
  DeviceBuffer<level_t> derived_;
  DeviceBuffer<CheckReport> report_;
  PinnedBuffer<CheckReport> host_report_;
};

}  // namespace bfslab::cuda
