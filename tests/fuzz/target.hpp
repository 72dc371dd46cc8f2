// SPDX-License-Identifier: Apache-2.0
// The table of fuzz targets: one per reader, and one each for the cache, packed files, the
// catalogue, specs and graph names. A target takes arbitrary bytes; it may throw InputError, and
// nothing else may go wrong.
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace bfslab::fuzz {

using Input = std::span<const std::uint8_t>;

struct Target {
  std::string name;  // of its folder in tests/fuzz/corpus, too
  std::string doc;
  std::function<void(Input)> run;
};

const std::vector<Target>& targets();
const Target* find_target(std::string_view name);

// Runs the target, InputError allowed, under a bound on what one mapping of memory may take.
// Returns the error's message, or nothing. Prints and aborts when an invariant does not hold.
std::string run_one(const Target& target, Input input);

// Aborts with the message unless the condition holds: a fuzzer's assertion.
void require(bool holds, const std::string& message);

inline std::string_view as_text(Input input) {
  return {reinterpret_cast<const char*>(input.data()), input.size()};
}

// Takes numbers from the front of an input; zeros once it is used up.
class Numbers {
 public:
  explicit Numbers(Input input) : left_(input) {}
  template <typename T>
  T take() {
    static_assert(std::is_unsigned_v<T>);
    T value = 0;
    const std::size_t size = std::min(sizeof(T), left_.size());
    if (size > 0) std::memcpy(&value, left_.data(), size);
    left_ = left_.subspan(size);
    return value;
  }
  [[nodiscard]] Input rest() const { return left_; }
  [[nodiscard]] bool empty() const { return left_.empty(); }

 private:
  Input left_;
};

// The makers of the table's rows.
std::vector<Target> reader_targets();
Target cache_target();
Target csr_arrays_target();
Target packings_target();
Target catalog_target();
Target spec_target();
Target graph_name_target();

}  // namespace bfslab::fuzz
