// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/profile_names.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "datasets/graph/types.hpp"
#include "datasets/text/spelling.hpp"
#include "harness/cli/print_json.hpp"
#include "harness/cli/text_table.hpp"
#include "harness/profile/names.hpp"

namespace bfslab {

namespace {

using Json = nlohmann::ordered_json;
using Rows = std::vector<std::vector<std::string>>;

std::string folder_of(const KernelName& kernel) {
  const std::string file = kernel.file;
  return file.substr(0, file.find_last_of('/'));
}

void require_technique(const std::string& technique,
                       const std::vector<const EngineInfo*>& engines) {
  std::vector<std::string> all;
  std::vector<std::string> lines;
  for (const EngineInfo* engine : engines) {
    const std::vector<std::string> own = techniques_of(engine->name);
    if (own.empty()) return;
    lines.push_back(fmt::format("{} has {}", engine->name, fmt::join(own, ", ")));
    all.insert(all.end(), own.begin(), own.end());
  }
  if (std::ranges::find(all, technique) != all.end()) return;
  throw InputError(fmt::format("profile: --technique {}: there is none of such a name; {}{}",
                               technique, fmt::join(lines, "; "), did_you_mean(technique, all)));
}

void require_kernel(const std::string& expression, const std::vector<const EngineInfo*>& engines) {
  const bool plugin = std::ranges::any_of(
      engines, [](const EngineInfo* engine) { return !engine->plugin.empty(); });
  if (plugin || names_a_kernel(expression)) return;
  std::vector<std::string> all;
  for (const KernelName& kernel : kernel_names()) all.emplace_back(kernel.name);
  throw InputError(fmt::format(
      "profile: --kernel {}: it is found in the name of no kernel; `bfslab profile SPEC "
      "--list` shows them{}",
      expression, did_you_mean(expression, all)));
}

void print_as_json(const std::vector<const EngineInfo*>& engines) {
  Json techniques = Json::object();
  for (const EngineInfo* engine : engines) {
    techniques[engine->name] = techniques_of(engine->name);
  }
  Json kernels = Json::array();
  for (const KernelName& kernel : kernel_names()) {
    kernels.push_back({{"name", kernel.name}, {"file", std::string("kernels/") + kernel.file}});
  }
  Json ranges = Json::array();
  for (const RangeName& range : range_names()) {
    ranges.push_back({{"name", range.name}, {"doc", range.doc}});
  }
  print_json(Json{{"techniques", techniques}, {"kernels", kernels}, {"ranges", ranges}});
}

}  // namespace

void print_profile_names(const std::vector<const EngineInfo*>& engines, bool json) {
  if (json) {
    print_as_json(engines);
    return;
  }
  fmt::print("Techniques of the engines, for --technique:\n");
  Rows rows;
  for (const EngineInfo* engine : engines) {
    const std::vector<std::string> own = techniques_of(engine->name);
    rows.push_back({engine->name, own.empty() ? "not known; levels.csv has them"
                                              : fmt::format("{}", fmt::join(own, ", "))});
  }
  print_table(rows, 2);
  fmt::print("\nKernels by folder of kernels/, for --kernel; CUB's begin with Device:\n");
  std::map<std::string, std::vector<std::string>> by_folder;
  for (const KernelName& kernel : kernel_names()) {
    by_folder[folder_of(kernel)].emplace_back(kernel.name);
  }
  rows.clear();
  for (const auto& [folder, names] : by_folder) {
    rows.push_back({folder, fmt::format("{}", fmt::join(names, ", "))});
  }
  print_table(rows, 2);
  fmt::print("\nNVTX ranges of the domain bfslab, each within the one before:\n");
  rows.clear();
  for (const RangeName& range : range_names()) rows.push_back({range.name, range.doc});
  print_table(rows, 2);
}

void require_profile_names(const ProfileArguments& arguments,
                           const std::vector<const EngineInfo*>& engines) {
  if (!arguments.technique.empty()) require_technique(arguments.technique, engines);
  if (!arguments.kernel.empty()) require_kernel(arguments.kernel, engines);
}

}  // namespace bfslab
