// SPDX-License-Identifier: Apache-2.0
#include "harness/observe/process_tree.hpp"

#include <dirent.h>
#include <fmt/format.h>

#include <charconv>
#include <cstring>
#include <fstream>
#include <map>
#include <string>

namespace bfslab {

namespace {

// Returns "STATE PARENT ..." of /proc/PID/stat; empty if the process is gone. The file begins with
// "PID (NAME) ", where NAME may hold anything.
std::string state_of(pid_t process) {
  std::ifstream file(fmt::format("/proc/{}/stat", process));
  std::string text;
  std::getline(file, text, '\0');  // the whole file; nothing, if the process ends meanwhile
  const std::size_t name_end = text.rfind(')');
  return name_end == std::string::npos || name_end + 4 > text.size() ? std::string()
                                                                     : text.substr(name_end + 2);
}

// Returns the parent of a process; 0 if the process is gone.
pid_t parent_of(pid_t process) {
  const std::string text = state_of(process);
  pid_t parent = 0;
  if (text.size() > 2) std::from_chars(text.data() + 2, text.data() + text.size(), parent);
  return parent;
}

std::multimap<pid_t, pid_t> children_by_parent() {
  std::multimap<pid_t, pid_t> children;
  DIR* folder = ::opendir("/proc");
  if (folder == nullptr) return children;
  while (const dirent* entry = ::readdir(folder)) {
    const char* const end = entry->d_name + std::strlen(entry->d_name);
    pid_t process = 0;
    const auto parsed = std::from_chars(entry->d_name, end, process);
    if (parsed.ec == std::errc() && parsed.ptr == end) {
      children.emplace(parent_of(process), process);
    }
  }
  ::closedir(folder);
  return children;
}

std::vector<pid_t> below(pid_t process, bool all) {
  const std::multimap<pid_t, pid_t> children = children_by_parent();
  std::vector<pid_t> found = {process};
  for (std::size_t i = 0; i < found.size() && (all || i == 0); ++i) {
    const auto [begin, end] = children.equal_range(found[i]);
    for (auto child = begin; child != end; ++child) found.push_back(child->second);
  }
  found.erase(found.begin());
  return found;
}

}  // namespace

bool is_stopped(pid_t process) {
  const std::string text = state_of(process);
  return text.starts_with('T') || text.starts_with('t');
}

std::vector<pid_t> descendants_of(pid_t process) { return below(process, true); }
std::vector<pid_t> children_of(pid_t process) { return below(process, false); }

}  // namespace bfslab
