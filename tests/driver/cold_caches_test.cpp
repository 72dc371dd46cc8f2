// SPDX-License-Identifier: Apache-2.0
// Sizes are those of a made-up machine, as files below a folder.
#include "harness/run/cold_caches.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <numeric>

#include "datasets/graph/types.hpp"
#include "tests/datasets/temporary_folder.hpp"

namespace bfslab {
namespace {

struct Cache {
  const char* type;
  const char* size;
  const char* shared;
};

void describe(const std::filesystem::path& folder, int processor,
              const std::vector<Cache>& caches) {
  for (std::size_t i = 0; i < caches.size(); ++i) {
    const auto at =
        folder / ("cpu" + std::to_string(processor)) / "cache" / ("index" + std::to_string(i));
    std::filesystem::create_directories(at);
    std::ofstream(at / "type") << caches[i].type << '\n';
    std::ofstream(at / "size") << caches[i].size << '\n';
    std::ofstream(at / "shared_cpu_list") << caches[i].shared << '\n';
  }
}

cpu_set_t processors(std::initializer_list<int> numbers) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int each : numbers) CPU_SET(each, &set);
  return set;
}

TEST(ColdCaches, AProcessorOverwritesTwiceItsShareOfEachDataCache) {
  const tests::TemporaryFolder temporary;
  const std::filesystem::path folder = temporary.path();
  for (const int each : {0, 1, 9}) {
    describe(folder, each,
             {{"Data", "32K", each == 0 ? "0" : "1,9"},
              {"Instruction", "64K", "0-1,9"},
              {"Unified", "3M", "0-1,8-11"}});
  }
  // Three of the six processors that share the last cache overwrite it.
  const auto shares = cache_shares(processors({0, 1, 9}), folder.string());
  ASSERT_EQ(shares.size(), 3U);
  EXPECT_EQ(shares[0].processor, 0);
  EXPECT_EQ(shares[0].bytes, 2 * ((32U << 10) + (3U << 20) / 3));
  EXPECT_EQ(shares[2].processor, 9);
  EXPECT_EQ(shares[2].bytes, 2 * ((32U << 10) / 2 + (3U << 20) / 3));
  // All together overwrite at least twice the last cache.
  EXPECT_GE(shares[0].bytes + shares[1].bytes + shares[2].bytes, 2 * (3U << 20));
}

TEST(ColdCaches, UnknownCachesAreRefused) {
  const tests::TemporaryFolder temporary;
  const std::filesystem::path folder = temporary.path();
  describe(folder, 0, {{"Unified", "1M", "0-1"}});
  describe(folder, 1, {{"Unified", "", "0-1"}});
  try {
    cache_shares(processors({0, 1}), folder.string());
    FAIL() << "no size of processor 1's cache is known";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("cpu1/cache names no cache"), std::string::npos);
  }
}

TEST(ColdCaches, EveryLineOfTheMemoryIsReadAndWritten) {
  cpu_set_t here;
  ASSERT_EQ(sched_getaffinity(0, sizeof here, &here), 0);
  std::vector<CacheShare> shares;
  for (int each = 0; each < CPU_SETSIZE; ++each) {
    if (CPU_ISSET(each, &here)) shares.push_back({each, 4096});
  }
  std::vector<std::vector<std::uint64_t>> memory(shares.size(), std::vector<std::uint64_t>(512));
  overwrite_memory(shares, memory);
  overwrite_memory(shares, memory);
  for (const auto& words : memory) {
    for (std::size_t i = 0; i < words.size(); ++i) EXPECT_EQ(words[i], i % 8 == 0 ? 2U : 0U);
  }
}

TEST(ColdCaches, AProcessorThatIsNotThereIsAnError) {
  std::vector<std::vector<std::uint64_t>> memory(1, std::vector<std::uint64_t>(8));
  EXPECT_THROW(overwrite_memory({{CPU_SETSIZE - 1, 64}}, memory), std::runtime_error);
}

}  // namespace
}  // namespace bfslab
