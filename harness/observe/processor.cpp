// SPDX-License-Identifier: Apache-2.0
#include "harness/observe/processor.hpp"

#include <fstream>

namespace bfslab {

namespace {

constexpr const char* kBlanks = " \t";

std::string trimmed(const std::string& text) {
  const auto begin = text.find_first_not_of(kBlanks);
  if (begin == std::string::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

}  // namespace

std::string proc_field(const std::string& path, const std::string& key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const auto colon = line.find(':');
    if (colon == std::string::npos || trimmed(line.substr(0, colon)) != key) continue;
    return trimmed(line.substr(colon + 1));
  }
  return {};
}

std::string processor_signature() {
  std::string signature;
  for (const char* key : {"vendor_id", "cpu family", "model", "CPU implementer", "CPU part"}) {
    const std::string value = proc_field("/proc/cpuinfo", key);
    if (!value.empty()) signature += (signature.empty() ? "" : " ") + value;
  }
  return signature;
}

}  // namespace bfslab
