// A ByteStream as lines: one by one for headers, then in blocks of whole lines that threads take in
// turns, each parsing its own while another unpacks the next.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/read/byte_stream.hpp"

namespace bfslab {

struct TextBlock {
  std::size_t index = 0;  // 0, 1, 2, ... in the order of the file
  std::string_view text;  // whole lines, '\n' included; only the file's last may lack it
};

class TextLines {
 public:
  // `stream` outlives it. `file` is named in messages.
  TextLines(ByteStream& stream, std::string file);

  // The next line without its '\n' (a '\r' stays), or false at the end. Valid until the next call.
  // Throws InputError for a line of more than 64 MiB. Not for use beside next_block().
  bool next_line(std::string_view& line);
  // As next_line(), but the line will be returned again.
  bool peek_line(std::string_view& line);
  // Lines handed out by next_line() so far.
  [[nodiscard]] std::uint64_t lines_read() const { return lines_read_; }

  // The next block into `buffer` (or the mapping); false at the end. Threads may call it at once;
  // what it throws in one of them ends the file for the others.
  bool next_block(TextBlock& block, std::vector<char>& buffer);

  [[nodiscard]] const std::string& file() const { return file_; }

 private:
  std::string_view pending() const;
  bool fill();

  ByteStream& stream_;
  std::string file_;
  std::string_view mapped_;  // what is left of a plain file
  bool is_mapped_ = false;
  std::vector<char> rest_;  // read, not yet handed out: rest_[rest_begin_..]
  std::size_t rest_begin_ = 0;
  bool ended_ = false;
  std::uint64_t lines_read_ = 0;
  std::size_t next_index_ = 0;
  std::mutex mutex_;
};

}  // namespace bfslab
