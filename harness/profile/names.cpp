// SPDX-License-Identifier: Apache-2.0
#include "harness/profile/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <regex>

#include "datasets/graph/types.hpp"
#include "kernels/gpu_parts.hpp"

namespace bfslab {

namespace {

struct EngineTechniques {
  std::string_view engine;
  std::vector<std::string> techniques;
};

const std::vector<EngineTechniques>& known_techniques() {
  static const std::vector<EngineTechniques> rows = {
      {"bottom-up", {"bitmap"}},
      {"cs406-cpu", {"local_queues", "local_queues_critical", "bitset_from_queue"}},
      {"cs406-cuda", {"queue", "status_scan"}},
      {"delegate", {"delegate", "forward", "backward"}},
      {"delegate-cuda", {"delegate", "forward", "backward"}},
      {"fused", {"merge_path", "cut_rows", "one_block", "resident", "first_neighbors"}},
      {"fused-gpus", {"merge_path", "first_neighbors"}},
      {"fused-members", {"merge_path", "first_neighbors"}},
      {"grid2d", {"csr", "csc"}},
      {"grid2d-cuda", {"csr", "csc"}},
      {"hybrid", {"queue", "bitmap"}},
      {"ligra", {"edge_map_sparse", "edge_map_dense"}},
      {"lockfree-queue", {"global_queue"}},
      {"per-thread-array", {"own_queue"}},
      {"sequential", {"fifo"}},
      {"status-scan", {"status_scan"}},
      {"top-down", {"local_queues"}},
      {"xbfs",
       {"scan_free", "single_scan", "prefix_sum", "no_generation", "hierarchical_scan_free",
        "decentralized", "bins", "double_scan", "unvisited_list", "first_neighbors"}},
      {"xbfs-model", {"fifo", "sync", "async"}},
  };
  return rows;
}

constexpr KernelName kKernels[] = {
#define KERNEL(name, file) {name, file},
#include "harness/profile/kernel_names.def"
#undef KERNEL
};

// The kernels of CUB that engines launch, or that a later version of it may launch.
constexpr const char* kCub[] = {
    "DeviceScanInitKernel",
    "DeviceScanKernel",
    "DeviceCompactInitKernel",
    "DeviceSelectSweepKernel",
    "DevicePartitionSweepKernel",
    "DeviceReduceKernel",
    "DeviceReduceSingleTileKernel",
    "DeviceRadixSortHistogramKernel",
    "DeviceRadixSortOnesweepKernel",
    "DeviceRadixSortExclusiveSumKernel",
    "DeviceRadixSortSingleTileKernel",
    "DeviceRunLengthEncodeSweepKernel",
    "DeviceSegmentedReduceKernel",
};

constexpr RangeName kRanges[] = {
    {"EXPERIMENT", "the spec's name"},
    {"GRAPH", "the graph's name"},
    {"CASE", "the case; its payload is the number of the configuration"},
    {"source N", "the vertex"},
    {"measured", "a measured search; warm-up and instrumented are others"},
    {"level K DIRECTION TECHNIQUE", "a level; its payload is the size of its frontier"},
    {"level=K", "the same level, for --level"},
    {"technique=NAME", "the same level, for --technique"},
};

}  // namespace

std::vector<std::string> techniques_of(std::string_view engine) {
  const auto row = std::ranges::find(known_techniques(), engine, &EngineTechniques::engine);
  if (row != known_techniques().end()) return row->techniques;
  std::vector<std::string> names;
  if (engine == "dfq" || engine == "tigr") {
    for (const cuda::FrontierPart& part : cuda::kFrontiers) names.emplace_back(part.name);
  }
  if (engine == "gunrock") {
    names.emplace_back("unvisited_list");
    for (const cuda::ExpansionPart& part : cuda::kExpansions) {
      if (part.traits.gunrock_filter == nullptr) continue;
      names.insert(names.end(), {part.name, part.traits.gunrock_filter});
    }
  }
  return names;
}

std::span<const KernelName> kernel_names() { return kKernels; }

bool names_a_kernel(const std::string& expression) {
  try {
    const std::regex wanted(expression);
    const auto found = [&](const char* name) { return std::regex_search(name, wanted); };
    return std::ranges::any_of(kKernels, found, &KernelName::name) ||
           std::ranges::any_of(kCub, found);
  } catch (const std::regex_error& error) {
    throw InputError(
        fmt::format("--kernel {}: is no regular expression: {}", expression, error.what()));
  }
}

std::span<const RangeName> range_names() { return kRanges; }

}  // namespace bfslab
