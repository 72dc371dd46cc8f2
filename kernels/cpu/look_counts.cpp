// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/look_counts.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

namespace bfslab::cpu {

namespace {

constexpr std::size_t kPositions = 16;  // parts of the queue that are distinguished

// The smallest number of bin `bin` > 0.
std::string bin_text(std::size_t bin) { return std::to_string(std::uint64_t{1} << (bin - 1)); }

struct EarlyFinds {
  std::uint64_t next_level = 0;
  std::uint64_t found = 0;
  double expected = 0;

  void operator+=(const EarlyFinds& other) {
    next_level += other.next_level;
    found += other.found;
    expected += other.expected;
  }
  void tell(const std::string& part, level_t level, MeasureSink& sink) const {
    sink.measure({part, "next_level_vertices", static_cast<double>(next_level), "1", level});
    sink.measure({part, "found_early_vertices", static_cast<double>(found), "1", level});
    sink.measure({part, "found_early_expected", expected, "1", level});
  }
};

}  // namespace

void LookCounts::add(edge_t degree, edge_t checks) {
  const auto row = static_cast<std::size_t>(std::bit_width(degree));
  ++looks_[row][static_cast<std::size_t>(std::bit_width(checks))];
  checks_[row] += checks;
  checks_max_[row] = std::max(checks_max_[row], checks);
  degrees_[row] += degree;
}

void LookCounts::tell(MeasureSink& sink) const {
  for (std::size_t row = 1; row < kBins; ++row) {
    if (degrees_[row] == 0) continue;
    const std::string degree = "degree=" + bin_text(row);
    for (std::size_t bin = 1; bin < kBins; ++bin) {
      const auto looks = static_cast<double>(looks_[row][bin]);
      if (looks > 0) sink.measure({degree + ",checks=" + bin_text(bin), "looks", looks});
    }
    sink.measure({degree, "checks", static_cast<double>(checks_[row])});
    sink.measure({degree, "checks_max", static_cast<double>(checks_max_[row])});
    sink.measure({degree, "degrees", static_cast<double>(degrees_[row])});
  }
}

void tell_early_finds(const CsrGraph& incoming, const level_t* levels,
                      std::span<const vertex_t> order, const FirstBottomUp& first,
                      MeasureSink& sink) {
  const std::size_t n = incoming.vertex_count();
  const auto in_queue = [&](level_t level) { return level > first.level; };
  const auto size = static_cast<std::size_t>(std::count_if(levels, levels + n, in_queue));
  std::array<EarlyFinds, kPositions> parts{};
  std::size_t s = 0;
  std::size_t seen = 0;  // of first.early
  for (std::size_t i = 0; i < n; ++i) {
    const vertex_t v = order.empty() ? static_cast<vertex_t>(i) : order[i];
    if (!in_queue(levels[v])) continue;
    EarlyFinds& part = parts[s * kPositions / size];
    const double before = static_cast<double>(s++) / static_cast<double>(size);
    if (levels[v] != first.level + 2) continue;
    const auto row = incoming.neighbors(v);
    const auto above = std::count_if(row.begin(), row.end(),
                                     [&](vertex_t u) { return levels[u] == first.level + 1; });
    ++part.next_level;
    part.expected += 1 - std::pow(1 - before, static_cast<double>(above));
    if (seen < first.early.size() && first.early[seen] == v) {
      ++seen;
      ++part.found;
    }
  }
  EarlyFinds all;
  for (const EarlyFinds& part : parts) all += part;
  sink.measure({"first_bottom_up", "queue_vertices", static_cast<double>(size), "1", first.level});
  all.tell("first_bottom_up", first.level, sink);
  for (std::size_t k = 0; k < kPositions; ++k) {
    parts[k].tell("position=" + std::to_string(k) + "/" + std::to_string(kPositions), first.level,
                  sink);
  }
}

}  // namespace bfslab::cpu
