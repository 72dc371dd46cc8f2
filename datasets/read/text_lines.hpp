// SPDX-License-Identifier: Apache-2.0
// A ByteStream as lines: one by one for headers, then in blocks of whole lines that threads take in
// turn, each parsing its own while another unpacks the next.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/read/byte_stream.hpp"

namespace bfslab {

// Some programs put it before UTF-8. It is no part of the text, for any reader.
inline constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

struct TextBlock {
  std::size_t index = 0;  // 0, 1, 2, ... in the order of the file
  std::string_view text;  // whole lines, '\n' included; only the file's last may lack it
};

class TextLines {
 public:
  // `stream` outlives it. `file` is named in messages. A byte order mark at the beginning is left
  // out if it is that of UTF-8, and refused else.
  TextLines(ByteStream& stream, std::string file);

  // Sets the maximum length of a line in bytes; it is 1 MiB before the first call.
  void allow_lines_of(std::uint64_t bytes) { longest_line_ = bytes; }

  // The next line without its '\n' (a '\r' stays), or false at the end. Valid until the next call.
  // Throws InputError for a longer line than is allowed. Not for use beside next_block().
  bool next_line(std::string_view& line);
  // As next_line(), but the line will be returned again.
  bool peek_line(std::string_view& line);
  // Lines handed out by next_line() so far.
  [[nodiscard]] std::uint64_t lines_read() const { return lines_read_; }

  // The next block into `buffer`, where its text then is; false at the end. Threads may call it
  // concurrently; an exception in one of them ends the file for the others.
  bool next_block(TextBlock& block, std::vector<char>& buffer);

  // Returns whether the stream has no more bytes. Not to be called while other threads take blocks.
  [[nodiscard]] bool at_end() const { return ended_ && rest_begin_ == rest_.size(); }
  [[nodiscard]] const std::string& file() const { return file_; }

 private:
  bool take_line(std::string_view& line, bool consume);
  bool read_more(std::vector<char>& buffer);

  ByteStream& stream_;
  std::string file_;
  std::vector<char> rest_;  // read, and not handed out from rest_begin_ on
  std::size_t rest_begin_ = 0;
  std::uint64_t longest_line_ = std::uint64_t{1} << 20;
  bool ended_ = false;  // the stream has no more bytes than rest_
  std::uint64_t bytes_read_ = 0;
  std::uint64_t lines_read_ = 0;
  std::size_t next_index_ = 0;
  std::mutex mutex_;
};

}  // namespace bfslab
