// SPDX-License-Identifier: Apache-2.0
#include "harness/run/cold_caches.hpp"

#include <fmt/format.h>

#include <atomic>
#include <charconv>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <thread>

#include "harness/observe/first_line.hpp"
#include "harness/observe/load_meter.hpp"
#include "kernels/device_services.hpp"

namespace bfslab {

namespace {

constexpr std::uint64_t kTimes = 2;  // (memory that is overwritten) / (size of the caches)
constexpr std::size_t kWordsPerLine = 64 / sizeof(std::uint64_t);

// Reads "32768K" as bytes; 0 if it is no size.
std::uint64_t size_from(std::string_view text) {
  std::uint64_t size = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
  if (error != std::errc()) return 0;
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  return unit == "K" ? size << 10 : unit == "M" ? size << 20 : unit.empty() ? size : 0;
}

// Returns the number of processors of the list, as "0-3,8", that are among `processors`.
std::uint64_t count_shared(const std::string& list, const cpu_set_t& processors) {
  std::uint64_t count = 0;
  std::istringstream ranges(list);
  for (std::string range; std::getline(ranges, range, ',');) {
    int first = 0;
    const char* const end = range.data() + range.size();
    const auto [after, error] = std::from_chars(range.data(), end, first);
    if (error != std::errc()) continue;
    int last = first;
    if (after != end && *after == '-') std::from_chars(after + 1, end, last);
    for (int each = first; each <= last && each < CPU_SETSIZE; ++each) {
      if (CPU_ISSET(each, &processors)) ++count;
    }
  }
  return count;
}

std::uint64_t share_of(int processor, const cpu_set_t& processors, const std::string& folder) {
  std::uint64_t bytes = 0;
  for (int index = 0;; ++index) {
    const std::string cache = fmt::format("{}/cpu{}/cache/index{}", folder, processor, index);
    const std::string type = first_line(cache + "/type");
    if (type.empty()) return bytes;
    const std::uint64_t size = size_from(first_line(cache + "/size"));
    const std::uint64_t sharers = count_shared(first_line(cache + "/shared_cpu_list"), processors);
    if (type != "Instruction" && sharers > 0) bytes += kTimes * size / sharers;
  }
}

void overwrite_on(int processor, std::vector<std::uint64_t>& words, std::atomic<bool>& failed) {
  cpu_set_t only;
  CPU_ZERO(&only);
  CPU_SET(processor, &only);
  if (sched_setaffinity(0, sizeof only, &only) != 0) {
    failed = true;
    return;
  }
  for (std::size_t i = 0; i < words.size(); i += kWordsPerLine) ++words[i];
}

}  // namespace

std::vector<CacheShare> cache_shares(const cpu_set_t& processors, const std::string& folder) {
  std::vector<CacheShare> shares;
  for (int processor = 0; processor < CPU_SETSIZE; ++processor) {
    if (!CPU_ISSET(processor, &processors)) continue;
    const std::uint64_t bytes = share_of(processor, processors, folder);
    if (bytes == 0) {
      throw InputError(fmt::format(
          "\"caches\": \"cold\": {}/cpu{}/cache names no cache and its size, so that it is unknown "
          "how much memory overwrites the caches; use \"warm\" on this machine",
          folder, processor));
    }
    shares.push_back({processor, bytes});
  }
  return shares;
}

void overwrite_memory(const std::vector<CacheShare>& shares,
                      std::vector<std::vector<std::uint64_t>>& memory) {
  std::atomic<bool> failed = false;
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < shares.size(); ++i) {
      threads.emplace_back([&, i] { overwrite_on(shares[i].processor, memory[i], failed); });
    }
  }
  if (failed) {
    throw std::runtime_error("cold caches: a thread could not run on one of the processors");
  }
}

void ColdCaches::overwrite(const Configuration& configuration) {
  if (configuration.engine->can.gpu) {
    gpu::overwrite_l2(configuration.gpus_per_rank);
  } else {
    overwrite_processors();
  }
}

void ColdCaches::overwrite_processors() {
  if (shares_.empty()) {
    shares_ = cache_shares(Company::of_one().processors);
    for (const CacheShare& share : shares_) {
      memory_.emplace_back(share.bytes / sizeof(std::uint64_t) + kWordsPerLine);
    }
  }
  overwrite_memory(shares_, memory_);
}

}  // namespace bfslab
