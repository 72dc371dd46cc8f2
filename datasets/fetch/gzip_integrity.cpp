#include "datasets/fetch/gzip_integrity.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <cerrno>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <system_error>
#include <vector>

namespace bfslab {

namespace {

constexpr std::size_t kBlock = std::size_t{1} << 17;

struct Inflater {
  z_stream stream{};
  Inflater() {
    // 16: gzip headers only, so that the trailer's CRC and length are compared.
    if (inflateInit2(&stream, 15 + 16) != Z_OK) throw std::runtime_error("zlib: inflateInit2");
  }
  ~Inflater() { inflateEnd(&stream); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
};

}  // namespace

GzipVerdict check_gzip(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             &std::fclose);
  if (!file) throw std::system_error(errno, std::generic_category(), path);
  Inflater inflater;
  z_stream& stream = inflater.stream;
  std::vector<unsigned char> input(kBlock);
  std::vector<unsigned char> output(kBlock);
  bool between_members = true;  // at the file's start, or right after a member's trailer
  bool any_member = false;
  std::uint64_t read_before = 0;

  while (true) {
    stream.avail_in = static_cast<uInt>(std::fread(input.data(), 1, input.size(), file.get()));
    stream.next_in = input.data();
    if (stream.avail_in == 0) {
      if (std::ferror(file.get())) throw std::system_error(errno, std::generic_category(), path);
      break;
    }
    const std::uint64_t block_bytes = stream.avail_in;
    while (stream.avail_in > 0) {
      if (between_members && any_member && inflateReset(&stream) != Z_OK) {
        throw std::runtime_error("zlib: inflateReset");
      }
      between_members = false;
      stream.next_out = output.data();
      stream.avail_out = static_cast<uInt>(output.size());
      const int status = inflate(&stream, Z_NO_FLUSH);
      if (status == Z_STREAM_END) {
        between_members = any_member = true;
      } else if (status != Z_OK && status != Z_BUF_ERROR) {
        return {GzipVerdict::State::damaged,
                fmt::format("{} at byte {}", stream.msg ? stream.msg : "not gzip",
                            read_before + block_bytes - stream.avail_in)};
      }
    }
    read_before += block_bytes;
  }
  if (!any_member && read_before == 0) return {GzipVerdict::State::cut, "it is empty"};
  if (!between_members) {
    return {GzipVerdict::State::cut,
            fmt::format("it ends in the middle, after {} bytes", read_before)};
  }
  return {};
}

}  // namespace bfslab
