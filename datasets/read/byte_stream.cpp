// SPDX-License-Identifier: Apache-2.0
#include "datasets/read/byte_stream.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include "datasets/graph/types.hpp"
#include "datasets/read/file_input.hpp"
#include "datasets/read/packings.hpp"

namespace bfslab {

namespace {

constexpr std::size_t kTarHeader = 512;

// Read, not mapped: pages of a mapping would count as this process's memory, and a file that is
// truncated while it is read would kill it.
class PlainStream final : public ByteStream {
 public:
  explicit PlainStream(const std::string& path) : file_(path) {
    static_cast<void>(posix_fadvise(file_.descriptor(), 0, 0, POSIX_FADV_SEQUENTIAL));
  }
  std::size_t read(std::span<char> out) override {
    std::size_t done = 0;
    while (done < out.size()) {
      const ssize_t count = ::read(file_.descriptor(), out.data() + done, out.size() - done);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) file_.refuse();
      if (count == 0) break;
      done += static_cast<std::size_t>(count);
    }
    return done;
  }

 private:
  OpenFile file_;
};

using Open = std::unique_ptr<ByteStream> (*)(const std::string& path);

std::unique_ptr<ByteStream> open_plain(const std::string& path) {
  return std::make_unique<PlainStream>(path);
}

struct Packing {
  std::string_view magic;
  Open open;  // nullptr: recognised, so that the message can name it, but not read
  std::string_view unpack_with;
};

using namespace std::string_view_literals;
constexpr std::array kPackings = {
    Packing{"\x1f\x8b"sv, [](const std::string& path) { return open_gzip(path); }, {}},
    Packing{"\x28\xb5\x2f\xfd"sv, open_zstd, {}},
    Packing{"BZh"sv, open_bzip2, {}},
    Packing{"\xfd"
            "7zXZ\0"sv,
            nullptr, "xz -d"},
    Packing{"PK\x03\x04"sv, nullptr, "unzip"},
    Packing{"7z\xbc\xaf\x27\x1c"sv, nullptr, "7z x"},
    Packing{"\x04\x22\x4d\x18"sv, nullptr, "lz4 -d"},
};

Open find_packing(const std::string& path) {
  FileInput input(path);
  const std::string_view text = input.ahead();
  for (const Packing& packing : kPackings) {
    if (!text.starts_with(packing.magic)) continue;
    if (packing.open == nullptr) {
      throw InputError(
          fmt::format("{}: packed in a way that is not supported (gzip, bzip2, zstd, and tar of "
                      "these are); unpack "
                      "it with `{}`",
                      path, packing.unpack_with));
    }
    return packing.open;
  }
  // A skippable frame of zstd: a number from 0 to 15 is its first byte's lower half.
  if (text.size() >= 4 && (text[0] & 0xf0) == 0x50 && text.substr(1, 3) == "\x2a\x4d\x18") {
    return open_zstd;
  }
  return open_plain;
}

// Every tar header carries the sum of its bytes, with the sum's own field counted as blanks. No
// text matches by accident, and the oldest archives cannot be recognised by anything else.
bool is_tar_header(std::string_view block) {
  constexpr std::size_t kSum = 148;
  constexpr std::size_t kSumWidth = 8;
  if (block.size() < kTarHeader || block[0] == '\0') return false;
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < kTarHeader; ++i) {
    const bool own = i >= kSum && i < kSum + kSumWidth;
    sum += own ? std::uint32_t{' '} : static_cast<unsigned char>(block[i]);
  }
  std::uint32_t stored = 0;
  std::size_t digits = 0;
  for (const char c : block.substr(kSum, kSumWidth)) {
    if (c == ' ' && digits == 0) continue;
    if (c < '0' || c > '7') break;
    stored = stored * 8 + static_cast<std::uint32_t>(c - '0');
    ++digits;
  }
  return digits > 0 && stored == sum;
}

// A stream whose first bytes were read for inspection.
class PeekedStream final : public ByteStream {
 public:
  PeekedStream(std::unique_ptr<ByteStream> stream, std::string head)
      : stream_(std::move(stream)), head_(std::move(head)) {}
  std::size_t read(std::span<char> out) override {
    const std::size_t count = std::min(out.size(), head_.size() - at_);
    if (count > 0) std::memcpy(out.data(), head_.data() + at_, count);
    at_ += count;
    return count < out.size() ? count + stream_->read(out.subspan(count)) : count;
  }
  [[nodiscard]] std::string packing() const override { return stream_->packing(); }

 private:
  std::unique_ptr<ByteStream> stream_;
  std::string head_;
  std::size_t at_ = 0;
};

}  // namespace

std::unique_ptr<ByteStream> open_bytes(const std::string& path,
                                       const std::vector<std::string>& members) {
  const Open open = find_packing(path);
  std::unique_ptr<ByteStream> stream = open(path);
  const auto archive = [&] { return open_tar([&] { return open(path); }, path, members); };
  std::string head(kTarHeader, '\0');
  head.resize(stream->read(head));
  if (is_tar_header(head)) return archive();
  return std::make_unique<PeekedStream>(std::move(stream), std::move(head));
}

}  // namespace bfslab
