// SPDX-License-Identifier: Apache-2.0
#include "datasets/write/output_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "datasets/graph/types.hpp"

namespace bfslab {

namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& reason) {
  throw InputError(fmt::format("{}: cannot be written: {}", path, reason));
}

}  // namespace

OutputFile::OutputFile(std::string path, bool compressed)
    : path_(std::move(path)), temporary_(path_ + ".tmp-XXXXXX") {
  const int descriptor = mkostemp(temporary_.data(), O_CLOEXEC);
  if (descriptor < 0) refuse(path_, std::strerror(errno));
  fchmod(descriptor, 0644);
  // "T" is zlib's transparent mode: the bytes as they are.
  file_ = gzdopen(descriptor, compressed ? "wb6" : "wbT");
  if (file_ == nullptr) {
    close(descriptor);
    unlink(temporary_.c_str());
    refuse(path_, std::strerror(errno));
  }
  gzbuffer(file_, 1U << 20);
}

OutputFile::~OutputFile() {
  if (file_ != nullptr) gzclose(file_);
  if (!committed_) unlink(temporary_.c_str());
}

void OutputFile::flush(std::size_t at_least) {
  if (text_.size() < at_least || text_.size() == 0) return;
  put(std::as_bytes(std::span(text_.data(), text_.size())));
  text_.clear();
}

void OutputFile::write(std::span<const std::byte> bytes) {
  flush(0);
  put(bytes);
}

void OutputFile::put(std::span<const std::byte> bytes) {
  constexpr std::size_t kMaxPiece = std::size_t{1} << 30;  // zlib counts in 32 bits
  while (!bytes.empty()) {
    const auto piece = bytes.first(std::min(bytes.size(), kMaxPiece));
    if (gzwrite(file_, piece.data(), static_cast<unsigned>(piece.size())) <= 0) {
      refuse(path_, std::strerror(errno));
    }
    bytes = bytes.subspan(piece.size());
  }
}

void OutputFile::commit() {
  flush(0);
  if (gzclose(std::exchange(file_, nullptr)) != Z_OK) refuse(path_, std::strerror(errno));
  std::error_code error;
  std::filesystem::rename(temporary_, path_, error);
  if (error) refuse(path_, error.message());
  committed_ = true;
}

}  // namespace bfslab
