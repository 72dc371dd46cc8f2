// SPDX-License-Identifier: Apache-2.0
#include "harness/observe/cgroup.hpp"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <vector>

#include "harness/observe/first_line.hpp"

namespace bfslab {

namespace {

constexpr const char* kRoot = "/sys/fs/cgroup";

bool exists(const std::string& path) { return ::access(path.c_str(), R_OK) == 0; }

// Returns the path of this process in the hierarchy of `controller` ("": the one of version 2);
// "-" if there is none.
std::string own_path(const std::string& controller) {
  std::ifstream file("/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    std::istringstream names(line.substr(first + 1, second - first - 1));
    bool ours = controller.empty() && second == first + 1;
    for (std::string name; std::getline(names, name, ',');) ours |= name == controller;
    if (ours) return line.substr(second + 1);
  }
  return "-";
}

// Returns the folders from this process's cgroup up to the root. A container often sees its own
// cgroup mounted as the root although /proc/self/cgroup names the outer path, so missing ones are
// skipped.
std::vector<std::string> folders(const std::string& root, std::string path, const char* file) {
  std::vector<std::string> found;
  while (true) {
    const std::string folder = path == "/" ? root : root + path;
    if (exists(folder + "/" + file)) found.push_back(folder);
    if (path.size() <= 1) break;
    path.resize(std::max<std::size_t>(path.rfind('/'), 1));
    if (path.find('/') == std::string::npos) path = "/";
  }
  return found;
}

std::uint64_t field(const std::string& path, const std::string& key) {
  std::ifstream file(path);
  std::string name;
  for (std::uint64_t value = 0; file >> name >> value;) {
    if (name == key) return value;
  }
  return 0;
}

struct Memory {
  int version;
  const char* limit_file;
  const char* events_file;
  std::vector<std::string> folders;
};

Memory memory_controller() {
  if (exists(std::string(kRoot) + "/cgroup.controllers")) {
    const std::string path = own_path("");
    return {2, "memory.max", "memory.events",
            path == "-" ? std::vector<std::string>{} : folders(kRoot, path, "memory.max")};
  }
  const std::string path = own_path("memory");
  if (path == "-") return {0, "", "", {}};
  return {1, "memory.limit_in_bytes", "memory.oom_control",
          folders(std::string(kRoot) + "/memory", path, "memory.limit_in_bytes")};
}

}  // namespace

CgroupMemory cgroup_memory() {
  const Memory memory = memory_controller();
  CgroupMemory out{memory.folders.empty() ? 0 : memory.version, 0};
  for (const std::string& folder : memory.folders) {
    std::ifstream file(folder + "/" + memory.limit_file);
    std::uint64_t limit = 0;
    // "max" (version 2) does not parse; version 1 expresses "none" by a number beyond any machine.
    if (!(file >> limit) || limit == 0 || limit >= (std::uint64_t{1} << 60)) continue;
    out.limit = out.limit == 0 ? limit : std::min(out.limit, limit);
  }
  return out;
}

std::string cgroup_cpu_limit() {
  if (exists(std::string(kRoot) + "/cgroup.controllers")) {
    const std::string path = own_path("");
    if (path == "-") return {};
    for (const std::string& folder : folders(kRoot, path, "cpu.max")) {
      std::string line = first_line(folder + "/cpu.max");
      if (line.rfind("max", 0) != 0) return line;
    }
    return {};
  }
  const std::string path = own_path("cpu");
  if (path == "-") return {};
  for (const std::string& folder : folders(std::string(kRoot) + "/cpu", path, "cpu.cfs_quota_us")) {
    const std::string quota = first_line(folder + "/cpu.cfs_quota_us");
    if (!quota.empty() && quota != "-1")
      return quota + "/" + first_line(folder + "/cpu.cfs_period_us");
  }
  return {};
}

std::uint64_t kernel_oom_kills() {
  std::uint64_t kills = field("/proc/vmstat", "oom_kill");
  const Memory memory = memory_controller();
  for (const std::string& folder : memory.folders) {
    kills += field(folder + "/" + memory.events_file, "oom_kill");
  }
  return kills;
}

}  // namespace bfslab
