#include "datasets/read/file_bytes.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "datasets/graph/buffer.hpp"
#include "datasets/graph/types.hpp"

namespace bfslab {

namespace {

class Mapping {
 public:
  explicit Mapping(const std::string& path) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) refuse(path);
    struct stat status {};
    if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
      if (errno == 0 || S_ISDIR(status.st_mode)) errno = EISDIR;
      close(file);
      refuse(path);
    }
    size_ = static_cast<std::size_t>(status.st_size);
    if (size_ > 0) {
      address_ = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
      if (address_ == MAP_FAILED) {
        close(file);
        refuse(path);
      }
    }
    close(file);
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping() {
    if (size_ > 0) munmap(address_, size_);
  }
  [[nodiscard]] std::string_view text() const {
    return {static_cast<const char*>(address_), size_};
  }

 private:
  [[noreturn]] static void refuse(const std::string& path) {
    throw InputError(fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
  }
  void* address_ = nullptr;
  std::size_t size_ = 0;
};

// Ends the stream however the function is left.
struct Inflater {
  z_stream stream{};
  Inflater() {
    if (inflateInit2(&stream, 15 + 16) != Z_OK) throw std::bad_alloc();
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() { inflateEnd(&stream); }
};

FileBytes inflate_gzip(std::string_view packed, const std::string& path) {
  // Streams may be concatenated, and one that is cut off must not pass for a shorter file.
  constexpr std::size_t kStep = std::size_t{1} << 30;  // zlib counts in 32 bits
  Inflater inflater;
  z_stream& stream = inflater.stream;
  auto text = std::make_shared<Buffer<char>>(std::max<std::size_t>(packed.size() * 4, 1 << 16));
  std::size_t consumed = 0;
  std::size_t produced = 0;
  while (true) {
    if (produced == text->size()) {
      auto larger = std::make_shared<Buffer<char>>(text->size() * 2);
      std::memcpy(larger->data(), text->data(), produced);
      text = std::move(larger);
    }
    const std::size_t in = std::min(kStep, packed.size() - consumed);
    const std::size_t out = std::min(kStep, text->size() - produced);
    // zlib's interface is not const-correct; it does not write to its input.
    stream.next_in =
        reinterpret_cast<Bytef*>(const_cast<char*>(packed.data() + consumed));  // NOLINT
    stream.avail_in = static_cast<uInt>(in);
    stream.next_out = reinterpret_cast<Bytef*>(text->data() + produced);
    stream.avail_out = static_cast<uInt>(out);
    const int result = inflate(&stream, Z_NO_FLUSH);
    consumed += in - stream.avail_in;
    produced += out - stream.avail_out;
    if (result == Z_STREAM_END) {
      if (consumed == packed.size()) return {{text->data(), produced}, text, true};
      if (packed.substr(consumed, 2) != "\x1f\x8b") {
        throw InputError(fmt::format(
            "{}: {} bytes at byte {} follow the gzip stream and are no gzip stream; fetch the file "
            "again",
            path, packed.size() - consumed, consumed));
      }
      inflateReset(&stream);
    } else if (result == Z_MEM_ERROR) {
      throw std::bad_alloc();
    } else if (result != Z_OK && result != Z_BUF_ERROR) {
      throw InputError(
          fmt::format("{}: damaged gzip data before byte {} ({}); fetch the file again", path,
                      consumed, stream.msg != nullptr ? stream.msg : "unreadable"));
    } else if (consumed == packed.size() && stream.avail_out != 0) {
      throw InputError(fmt::format(
          "{}: the gzip stream is cut off after {} bytes; fetch the file again", path, consumed));
    }
  }
}

}  // namespace

FileBytes read_file_bytes(const std::string& path) {
  errno = 0;
  auto mapping = std::make_shared<const Mapping>(path);
  const std::string_view text = mapping->text();
  if (text.starts_with("\x1f\x8b")) return inflate_gzip(text, path);
  return {text, std::move(mapping), false};
}

}  // namespace bfslab
