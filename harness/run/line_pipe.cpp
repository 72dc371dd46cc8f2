// SPDX-License-Identifier: Apache-2.0
#include "harness/run/line_pipe.hpp"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <stdexcept>

namespace bfslab {

bool take_line(std::string& received, std::string& line) {
  const auto end = received.find('\n');
  if (end == std::string::npos) return false;
  line = received.substr(0, end);
  received.erase(0, end + 1);
  return true;
}

bool LinePipe::read(std::string& line) {
  while (!take_line(received_, line)) {
    std::array<char, 1 << 14> block;
    const ssize_t got = ::read(read_fd_, block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    received_.append(block.data(), static_cast<std::size_t>(got));
  }
  return true;
}

void LinePipe::write(const std::string& line) {
  const std::string text = mark_ + line + '\n';
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t wrote = ::write(write_fd_, text.data() + done, text.size() - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) throw std::runtime_error("the driver is gone");
    done += static_cast<std::size_t>(wrote);
  }
}

}  // namespace bfslab
