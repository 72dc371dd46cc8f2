// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/standard_streams.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <stdexcept>
#include <string>

#include "datasets/text/printable.hpp"

namespace bfslab {

void open_standard_streams() {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    if (::fcntl(fd, F_GETFD) >= 0 || errno != EBADF) continue;
    // open() takes the lowest free number, which is this one.
    if (::open("/dev/null", O_RDWR) != fd) throw std::runtime_error("cannot open /dev/null");
  }
}

void write_stderr(std::string_view text) {
  const std::string line = printable_lines(text);
  std::fwrite(line.data(), 1, line.size(), stderr);
}

void finish_stdout() {
  errno = 0;
  std::cout.flush();
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout) return;
  throw std::runtime_error(fmt::format("cannot write to standard output: {}",
                                       errno != 0 ? std::strerror(errno) : "some text was lost"));
}

}  // namespace bfslab
