// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/target.hpp"

#include <cstdio>
#include <cstdlib>

#include "datasets/graph/types.hpp"
#include "tests/fuzz/guarded_memory.hpp"

namespace bfslab::fuzz {

namespace {

// The memory that a reader may map: some buffers of fixed size, and a few words for each byte read.
// Counts in a header must not be trusted before the lines that they announce have been read.
std::size_t mapping_limit(Input input) {
  constexpr std::size_t kFixed = std::size_t{64} << 20;
  return kFixed + input.size() * 64;
}

}  // namespace

const std::vector<Target>& targets() {
  static const std::vector<Target> table = [] {
    std::vector<Target> all = reader_targets();
    all.push_back(csr_arrays_target());
    all.push_back(cache_target());
    all.push_back(packings_target());
    all.push_back(catalog_target());
    all.push_back(spec_target());
    all.push_back(graph_name_target());
    return all;
  }();
  return table;
}

const Target* find_target(std::string_view name) {
  for (const Target& target : targets()) {
    if (target.name == name) return &target;
  }
  return nullptr;
}

std::string run_one(const Target& target, Input input) {
  const MappingLimit limit(mapping_limit(input));
  try {
    target.run(input);
    return {};
  } catch (const InputError& error) {
    std::string message = error.what();
    require(!message.empty(), "an InputError says nothing");
    require(message.size() < (std::size_t{1} << 16), "an InputError of more than 64 KiB");
    return message;
  }
}

void require(bool holds, const std::string& message) {
  if (holds) return;
  std::fprintf(stderr, "fuzz: %s\n", message.c_str());
  std::abort();
}

}  // namespace bfslab::fuzz
