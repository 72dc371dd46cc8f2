// SPDX-License-Identifier: Apache-2.0
// LinePipe: whole lines over a pair of descriptors, the worker's end of the pipes. A launcher's
// standard output may carry other text, too, and tags before lines: there every line of ours begins
// with kLineMark.
#pragma once

#include <string>
#include <string_view>

namespace bfslab {

inline constexpr std::string_view kLineMark = "@bfslab ";

// Moves the first whole line of `received` into `line`, without its end. Returns false if there is
// none.
bool take_line(std::string& received, std::string& line);

class LinePipe {
 public:
  LinePipe(int read_fd, int write_fd, std::string_view mark = {})
      : read_fd_(read_fd), write_fd_(write_fd), mark_(mark) {}
  // Waits for a line. Returns false when the other side has closed.
  bool read(std::string& line);
  // Throws std::runtime_error when the other side is gone.
  void write(const std::string& line);

 private:
  int read_fd_;
  int write_fd_;
  std::string mark_;
  std::string received_;
};

}  // namespace bfslab
