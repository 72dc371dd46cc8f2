// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <new>
#include <string>

#include "datasets/graph/types.hpp"
#include "datasets/read/file_input.hpp"
#include "datasets/read/packings.hpp"

namespace bfslab {

namespace {

class ZstdStream final : public ByteStream {
 public:
  explicit ZstdStream(const std::string& path) : input_(path), context_(ZSTD_createDCtx()) {
    if (!context_) throw std::bad_alloc();
  }

  std::size_t read(std::span<char> out) override {
    ZSTD_outBuffer target{out.data(), out.size(), 0};
    while (target.pos < target.size) {
      const std::string_view in = input_.ahead();
      if (in.empty() && !within_) break;
      if (!within_) {
        first_byte_ = input_.offset();
        header_.clear();
      }
      const std::size_t filled = target.pos;
      ZSTD_inBuffer source{in.data(), in.size(), 0};
      const std::size_t hint = ZSTD_decompressStream(context_.get(), &target, &source);
      if (ZSTD_isError(hint) != 0) refuse(hint);
      header_ += in.substr(0, std::min(source.pos, kHeader - header_.size()));
      input_.consume(source.pos);
      within_ = hint != 0;
      if (!within_ && !has_checksum()) unchecked_ = true;
      // Without input it may still return what it holds; when it has nothing, the rest is lost.
      if (in.empty() && within_ && target.pos == filled) {
        throw InputError(
            fmt::format("{}: the zstd stream is cut off after {} bytes; fetch the file again",
                        input_.path(), input_.offset()));
      }
    }
    return target.pos;
  }
  [[nodiscard]] std::string packing() const override {
    return unchecked_ ? "zstd without a checksum" : "zstd";
  }

 private:
  // 3.1.1.1.1 of RFC 8878: magic number, then the descriptor, whose bit 2 promises a checksum
  // of the content. A skippable frame has another magic number, and no content.
  static constexpr std::size_t kHeader = 5;
  [[nodiscard]] bool has_checksum() const {
    constexpr unsigned kChecksumFlag = 4;
    return header_.size() < kHeader || header_[0] != '\x28' ||
           (static_cast<unsigned char>(header_[4]) & kChecksumFlag) != 0;
  }

  [[noreturn]] void refuse(std::size_t result) const {
    const ZSTD_ErrorCode code = ZSTD_getErrorCode(result);
    if (code == ZSTD_error_memory_allocation) throw std::bad_alloc();
    if (code == ZSTD_error_prefix_unknown && first_byte_ > 0) {
      throw InputError(
          fmt::format("{}: {} bytes at byte {} follow the zstd stream and are not a zstd stream; "
                      "fetch the file "
                      "again",
                      input_.path(), input_.size() - first_byte_, first_byte_));
    }
    if (code == ZSTD_error_frameParameter_windowTooLarge) {
      throw InputError(fmt::format(
          "{}: packed with a window of more than 128 MiB (zstd --long); pack it again without",
          input_.path()));
    }
    throw InputError(fmt::format("{}: damaged zstd data near byte {} ({}); fetch the file again",
                                 input_.path(), input_.offset(), ZSTD_getErrorName(result)));
  }

  struct Free {
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
  };
  FileInput input_;
  std::unique_ptr<ZSTD_DCtx, Free> context_;
  bool within_ = false;     // a frame that has not ended
  bool unchecked_ = false;  // a frame has ended that has no checksum
  std::string header_;      // the first bytes of the frame, as far as they have been read
  std::uint64_t first_byte_ = 0;
};

}  // namespace

std::unique_ptr<ByteStream> open_zstd(const std::string& path) {
  return std::make_unique<ZstdStream>(path);
}

}  // namespace bfslab
