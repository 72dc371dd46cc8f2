// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>

#include "datasets/graph/types.hpp"
#include "datasets/read/file_input.hpp"
#include "datasets/read/packings.hpp"

namespace bfslab {

namespace {

class GzipStream final : public ByteStream {
 public:
  GzipStream(const std::string& path, const char* mend) : input_(path), mend_(mend) {
    // 16: gzip headers only, so that the trailer's CRC and length are compared.
    if (inflateInit2(&stream_, 15 + 16) != Z_OK) throw std::bad_alloc();
  }
  GzipStream(const GzipStream&) = delete;
  GzipStream& operator=(const GzipStream&) = delete;
  ~GzipStream() override { inflateEnd(&stream_); }

  std::size_t read(std::span<char> out) override {
    std::size_t filled = 0;
    while (filled < out.size() && begin_stream()) filled += inflate_into(out.subspan(filled));
    return filled;
  }
  [[nodiscard]] std::string packing() const override { return "gzip"; }

 private:
  // False at the end of the file, if it is the end of a stream too.
  bool begin_stream() {
    if (within_) return true;
    if (input_.ahead().empty()) return false;
    if (input_.offset() > 0) inflateReset(&stream_);
    within_ = true;
    first_byte_ = input_.offset();
    return true;
  }

  std::size_t inflate_into(std::span<char> out) {
    const std::string_view in = input_.ahead();
    if (in.empty()) {
      throw InputError(fmt::format("{}: the gzip stream is cut off after {} bytes; {}",
                                   input_.path(), input_.offset(), mend_));
    }
    const std::size_t room = std::min<std::size_t>(out.size(), std::numeric_limits<uInt>::max());
    // zlib's interface is not const-correct; it does not write to its input.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));  // NOLINT
    stream_.avail_in = static_cast<uInt>(in.size());
    stream_.next_out = reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = static_cast<uInt>(room);
    const int result = inflate(&stream_, Z_NO_FLUSH);
    input_.consume(in.size() - stream_.avail_in);
    if (result == Z_STREAM_END) {
      within_ = false;
    } else if (result == Z_MEM_ERROR) {
      throw std::bad_alloc();
    } else if (result != Z_OK && result != Z_BUF_ERROR) {
      refuse();
    }
    return room - stream_.avail_out;
  }

  [[noreturn]] void refuse() const {
    const std::string reason = stream_.msg != nullptr ? stream_.msg : "unreadable";
    if (first_byte_ > 0 && reason == "incorrect header check") {
      throw InputError(fmt::format(
          "{}: {} bytes at byte {} follow the gzip stream and are not a gzip stream; {}",
          input_.path(), input_.size() - first_byte_, first_byte_, mend_));
    }
    throw InputError(fmt::format("{}: damaged gzip data before byte {} ({}); {}", input_.path(),
                                 input_.offset(), reason, mend_));
  }

  FileInput input_;
  const char* mend_;
  z_stream stream_{};
  bool within_ = false;  // a stream that has not ended
  std::uint64_t first_byte_ = 0;
};

}  // namespace

std::unique_ptr<ByteStream> open_gzip(const std::string& path, const char* mend) {
  return std::make_unique<GzipStream>(path, mend);
}

}  // namespace bfslab
