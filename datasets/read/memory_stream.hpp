// SPDX-License-Identifier: Apache-2.0
// Text in memory as a ByteStream.
#pragma once

#include <algorithm>
#include <cstring>
#include <span>
#include <string_view>

#include "datasets/read/byte_stream.hpp"

namespace bfslab {

class MemoryStream final : public ByteStream {
 public:
  // `text` outlives the stream.
  explicit MemoryStream(std::string_view text) : text_(text) {}

  std::size_t read(std::span<char> out) override {
    const std::size_t count = std::min(out.size(), text_.size() - at_);
    if (count > 0) std::memcpy(out.data(), text_.data() + at_, count);
    at_ += count;
    return count;
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace bfslab
