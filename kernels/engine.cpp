// SPDX-License-Identifier: Apache-2.0
#include "kernels/engine.hpp"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <utility>

#include "kernels/check_result.hpp"

namespace bfslab {

namespace {
std::map<std::string, EngineInfo, std::less<>>& registry() {
  static std::map<std::string, EngineInfo, std::less<>> engines_by_name;
  return engines_by_name;
}
}  // namespace

std::vector<const EngineInfo*> engines() {
  std::vector<const EngineInfo*> out;
  for (const auto& [name, info] : registry()) out.push_back(&info);
  return out;
}

const EngineInfo* find_engine(std::string_view name) {
  const auto found = registry().find(name);
  return found == registry().end() ? nullptr : &found->second;
}

std::vector<double> Engine::search_many(std::span<const vertex_t> /*sources*/) {
  throw std::logic_error("this engine searches from one source at a time");
}

AnswerView Engine::answer_of(std::size_t /*search*/) const {
  throw std::logic_error("this engine searches from one source at a time");
}

std::optional<CheckResult> Engine::check_in_place(std::uint64_t /*source*/, bool /*rules*/) {
  return std::nullopt;
}

std::optional<CheckResult> Engine::check_in_place_of(std::size_t /*search*/,
                                                     std::uint64_t /*source*/, bool /*rules*/) {
  return std::nullopt;
}

RegisterEngine::RegisterEngine(EngineInfo info) {
  std::string name = info.name;
  if (!registry().emplace(name, std::move(info)).second) {
    std::fprintf(stderr, "two engines are called %s\n", name.c_str());
    std::abort();
  }
}

}  // namespace bfslab
