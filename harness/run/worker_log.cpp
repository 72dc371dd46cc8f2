// SPDX-License-Identifier: Apache-2.0
#include "harness/run/worker_log.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <regex>

#include "harness/run/line_pipe.hpp"

namespace bfslab {

WorkerLog::WorkerLog(std::string file, bool launched)
    : file_(std::move(file)), launched_(launched) {
  struct stat status {};
  if (::stat(file_.c_str(), &status) == 0) begin_ = status.st_size;
}

std::string WorkerLog::text(off_t max_bytes) const {
  const int fd = ::open(file_.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return {};
  const off_t end = ::lseek(fd, 0, SEEK_END);
  const off_t begin = std::max(begin_, end - max_bytes);
  std::string read(static_cast<std::size_t>(std::max<off_t>(0, end - begin)), '\0');
  const ssize_t got = ::pread(fd, read.data(), read.size(), begin);
  ::close(fd);
  read.resize(static_cast<std::size_t>(std::max<ssize_t>(0, got)));
  return read;
}

std::string WorkerLog::last_lines() const {
  std::string text = this->text(600);
  if (launched_) {  // the frames around mpirun's messages
    text = std::regex_replace(text, std::regex("(^|\n)[-*]{8,}(?=\n|$)"), "");
    text = std::regex_replace(text, std::regex("\n[ \n]*\n"), "\n");
  }
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  // Cut to the last three lines.
  std::size_t cut = text.size();
  for (int lines = 0; lines < 3 && cut != std::string::npos && cut > 0; ++lines) {
    cut = text.rfind('\n', cut - 1);
  }
  if (cut != std::string::npos && cut < text.size()) text.erase(0, cut + 1);
  std::string joined;
  for (const char c : text) {
    if (c == '\n') {
      joined += " | ";
    } else if (static_cast<unsigned char>(c) >= ' ') {
      joined += c;
    }
  }
  return joined;
}

void WorkerLog::append(const std::string& line) const {
  const int fd = ::open(file_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (fd < 0) return;
  write_all(fd, line + "\n");
  ::close(fd);
}

bool take_message(std::string& line) {
  const std::size_t mark = line.find(kLineMark);
  if (mark == std::string::npos) return false;
  const std::string tag = line.substr(0, mark);
  line.erase(0, mark + kLineMark.size());
  if (!tag.ends_with("<stdout>:")) return true;
  for (std::size_t at = 0; (at = line.find(tag, at)) != std::string::npos;) {
    line.erase(at, tag.size());
  }
  return true;
}

EndedRank ended_rank(const std::string& log) {
  static const std::regex killed(
      R"(process rank (\d+) with PID \d+ on node (\S+) exited on signal (\d+))");
  static const std::regex left(R"(Process name: \[\[\d+,\d+\],(\d+)\]\s+Exit code:\s+(\d+))");
  std::smatch found;
  if (std::regex_search(log, found, killed)) {
    const int signal = std::stoi(found[3]);
    const char* name = sigabbrev_np(signal);
    return {fmt::format("rank {} on {}: killed by signal {} (SIG{})", found[1].str(),
                        found[2].str(), signal, name == nullptr ? "?" : name),
            signal};
  }
  if (std::regex_search(log, found, left)) {
    return {fmt::format("rank {}: exited with code {}", found[1].str(), found[2].str()), 0};
  }
  return {};
}

void write_all(int fd, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t wrote = ::write(fd, text.data() + done, text.size() - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return;  // reading will show how the other side ended
    done += static_cast<std::size_t>(wrote);
  }
}

}  // namespace bfslab
