// SPDX-License-Identifier: Apache-2.0
// fuzz_replay TARGET FILE-OR-FOLDER...: runs stored inputs once each, without libFuzzer, so that
// any compiler's build can. `fuzz_replay --complete CORPUS`: whether each target has its folder,
// and each folder its target. -v: what each input led to.
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/fuzz/guarded_memory.hpp"
#include "tests/fuzz/target.hpp"

namespace {

namespace fs = std::filesystem;
using bfslab::fuzz::Target;

std::string current;

// Names the input before the program dies of the signal as it would otherwise.
void name_input(int signal) {
  constexpr std::string_view kText = "fuzz_replay: died of ";
  static_cast<void>(!write(STDERR_FILENO, kText.data(), kText.size()));
  static_cast<void>(!write(STDERR_FILENO, current.data(), current.size()));
  static_cast<void>(!write(STDERR_FILENO, "\n", 1));
  std::signal(signal, SIG_DFL);
  static_cast<void>(raise(signal));
}

std::vector<fs::path> files_of(const fs::path& path) {
  std::vector<fs::path> files;
  if (!fs::is_directory(path)) return {path};
  for (const auto& entry : fs::directory_iterator(path)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

constexpr int kSkipped = 77;  // the same in CMakeLists.txt for ctest

int replay(const Target& target, const std::vector<fs::path>& files, bool verbose) {
  std::size_t accepted = 0;
  bool other_checksum = false;
  for (const fs::path& path : files) {
    current = path.string();
    std::ifstream in(path, std::ios::binary);
    const std::vector<char> bytes{std::istreambuf_iterator<char>(in), {}};
    if (!in.good() && !in.eof()) {
      std::fprintf(stderr, "fuzz_replay: %s cannot be read\n", current.c_str());
      return 2;
    }
    const std::string message = bfslab::fuzz::run_one(
        target, {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
    accepted += message.empty() ? 1 : 0;
    other_checksum |= message.find("a build with another checksum") != std::string::npos;
    if (verbose) {
      std::printf("%s: %s\n", path.filename().c_str(), message.empty() ? "ok" : message.c_str());
    }
  }
  std::printf("%s: %zu inputs, %zu accepted, %zu refused\n", target.name.c_str(), files.size(),
              accepted, files.size() - accepted);
  // A corpus of which nothing is accepted tests only half of what it should.
  if (accepted > 0) return 0;
  if (other_checksum) {
    std::printf("skipped: its binary files were written with xxhash, which this build lacks\n");
    return kSkipped;
  }
  std::fprintf(stderr, "fuzz_replay: no input of %s is accepted: make its corpus again\n",
               target.name.c_str());
  return 1;
}

int check_complete(const fs::path& corpus) {
  int missing = 0;
  for (const Target& target : bfslab::fuzz::targets()) {
    if (fs::is_directory(corpus / target.name)) continue;
    std::fprintf(stderr, "fuzz_replay: no folder %s\n", (corpus / target.name).c_str());
    ++missing;
  }
  for (const auto& entry : fs::directory_iterator(corpus)) {
    if (bfslab::fuzz::find_target(entry.path().filename().string()) != nullptr) continue;
    std::fprintf(stderr, "fuzz_replay: no target for %s\n", entry.path().c_str());
    ++missing;
  }
  return missing == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  const bool verbose = std::erase(words, "-v") > 0;
  if (words.size() < 2) {
    std::fputs("fuzz_replay [-v] TARGET FILE-OR-FOLDER... | --complete CORPUS\n", stderr);
    return 2;
  }
  if (words[0] == "--complete") return check_complete(words[1]);
  const Target* const target = bfslab::fuzz::find_target(words[0]);
  if (target == nullptr) {
    std::fprintf(stderr, "fuzz_replay: no target \"%s\"\n", words[0].c_str());
    return 2;
  }
  bfslab::fuzz::check_that_memory_is_guarded();
  for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL}) {
    std::signal(signal, name_input);
  }
  std::vector<fs::path> files;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const auto more = files_of(words[i]);
    files.insert(files.end(), more.begin(), more.end());
  }
  return replay(*target, files, verbose);
}
