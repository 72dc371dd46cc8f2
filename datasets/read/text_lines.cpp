// SPDX-License-Identifier: Apache-2.0
#include "datasets/read/text_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "datasets/graph/types.hpp"

namespace bfslab {

namespace {

#ifdef BFSLAB_TEXT_BLOCK  // fuzzers: short, so that small inputs have many
constexpr std::size_t kFirstBlock = BFSLAB_TEXT_BLOCK;
#else
constexpr std::size_t kFirstBlock = std::size_t{1} << 18;
#endif
// Blocks grow with what has been read, so that they take a small share of the memory of any file,
// and a large one has some hundreds of them.
constexpr std::size_t kLargestBlock = kFirstBlock << 5;
constexpr std::uint64_t kBlocks = 64;

// One past the last line end in `text`, or 0.
std::size_t whole_lines(std::string_view text) {
  const std::size_t end = text.rfind('\n');
  return end == std::string_view::npos ? 0 : end + 1;
}

// Removes the mark of UTF-8 that some programs put before a text. Returns whether the text is
// UTF-16 instead, by its mark.
bool drop_byte_order_mark(std::vector<char>& text) {
  const std::string_view begin(text.data(), std::min<std::size_t>(text.size(), 3));
  if (begin == kByteOrderMark) text.erase(text.begin(), text.begin() + kByteOrderMark.size());
  return begin.starts_with("\xff\xfe") || begin.starts_with("\xfe\xff");
}

}  // namespace

TextLines::TextLines(ByteStream& stream, std::string file)
    : stream_(stream), file_(std::move(file)) {}

// Appends up to a block of bytes to the buffer; false once there are none left.
bool TextLines::read_more(std::vector<char>& buffer) {
  if (ended_) return false;
  if (buffer.size() > longest_line_ &&
      buffer.size() - whole_lines({buffer.data(), buffer.size()}) > longest_line_) {
    ended_ = true;
    throw InputError(
        fmt::format("{}: a line of more than {} bytes: this is damaged, or not a text of lines",
                    file_, longest_line_));
  }
  const std::size_t block =
      std::clamp<std::size_t>(bytes_read_ / kBlocks, kFirstBlock, kLargestBlock);
  const std::size_t old = buffer.size();
  buffer.resize(old + block);
  std::size_t count = 0;
  try {
    count = stream_.read(std::span(buffer).subspan(old));
  } catch (...) {
    ended_ = true;
    rest_.clear();
    rest_begin_ = 0;
    throw;
  }
  buffer.resize(old + count);
  ended_ = count < block;
  if (bytes_read_ == 0 && drop_byte_order_mark(buffer)) {
    ended_ = true;
    throw InputError(
        fmt::format("{}: is UTF-16 text, by its byte order mark; save it as UTF-8", file_));
  }
  bytes_read_ += count;
  return buffer.size() > old;
}

bool TextLines::take_line(std::string_view& line, bool consume) {
  std::size_t searched = rest_begin_;
  const char* newline = nullptr;
  while (true) {
    newline = searched == rest_.size()
                  ? nullptr
                  : static_cast<const char*>(
                        std::memchr(rest_.data() + searched, '\n', rest_.size() - searched));
    if (newline != nullptr) break;
    searched = rest_.size() - std::exchange(rest_begin_, 0);
    rest_.erase(rest_.begin(), rest_.end() - static_cast<std::ptrdiff_t>(searched));
    if (!read_more(rest_)) break;
  }
  const char* const begin = rest_.data() + rest_begin_;
  const std::size_t left = rest_.size() - rest_begin_;
  if (newline == nullptr && left == 0) return false;
  line = {begin, newline == nullptr ? left : static_cast<std::size_t>(newline - begin)};
  if (consume) rest_begin_ += std::min(line.size() + 1, left);
  if (consume) ++lines_read_;
  return true;
}

bool TextLines::next_line(std::string_view& line) { return take_line(line, true); }
bool TextLines::peek_line(std::string_view& line) { return take_line(line, false); }

bool TextLines::next_block(TextBlock& block, std::vector<char>& buffer) {
  const std::scoped_lock lock(mutex_);
  buffer.assign(rest_.begin() + static_cast<std::ptrdiff_t>(rest_begin_), rest_.end());
  rest_.clear();
  rest_begin_ = 0;
  std::size_t size = 0;
  do {
    const std::size_t searched = buffer.size();
    if (!read_more(buffer)) {
      size = buffer.size();  // the last line may lack its line end
      break;
    }
    const std::size_t found =
        whole_lines(std::string_view(buffer.data(), buffer.size()).substr(searched));
    size = found == 0 ? 0 : searched + found;
  } while (size == 0);
  if (size == 0) return false;
  rest_.assign(buffer.begin() + static_cast<std::ptrdiff_t>(size), buffer.end());
  block = {next_index_++, {buffer.data(), size}};
  return true;
}

}  // namespace bfslab
