// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/commit_folder.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <utility>

#include "datasets/graph/types.hpp"
#include "harness/observe/program_output.hpp"

namespace bfslab {

namespace fs = std::filesystem;

namespace {

// Returns the first line that git prints; empty if git fails.
std::string git(const std::vector<std::string>& words) {
  std::vector<std::string> command = {"git"};
  command.insert(command.end(), words.begin(), words.end());
  std::string text = program_output(command, std::chrono::minutes(2));
  return text.substr(0, text.find('\n'));
}

}  // namespace

CommitFolder::CommitFolder(const std::string& text) {
  const std::size_t colon = text.find(':');
  const std::string commit = text.substr(0, colon);
  const fs::path path = fs::path(text.substr(colon + 1)).lexically_normal();
  const std::string top = git({"rev-parse", "--show-toplevel"});
  if (top.empty()) {
    throw InputError(
        fmt::format("{}: no such folder, and this is no git repository in which to look for a "
                    "commit {}",
                    text, commit));
  }
  const std::string tree = git({"rev-parse", "--verify", "--quiet", "--end-of-options",
                                fmt::format("{}:./{}", commit, path.generic_string())});
  if (tree.empty() || git({"cat-file", "-t", tree}) != "tree") {
    throw InputError(fmt::format(
        "{}: git knows no folder {} at commit {} (`git ls-tree {} {}` lists what it knows)", text,
        path.generic_string(), commit, commit, path.generic_string()));
  }
  std::string pattern = (fs::temp_directory_path() / "bfslab-commit-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) {
    throw std::runtime_error(fmt::format("cannot make a folder {}", pattern));
  }
  temporary_ = pattern;
  name_ = path.has_filename() ? path.filename().string() : path.parent_path().filename().string();
  fs::create_directories(this->path());
  // A separate index, from which git writes the files.
  const std::string index = fmt::format("GIT_INDEX_FILE={}/index", temporary_);
  program_output({"env", index, "git", "-C", top, "read-tree", tree}, std::chrono::minutes(2));
  program_output({"env", index, "git", "-C", top, "checkout-index", "--all",
                  fmt::format("--prefix={}/", this->path())},
                 std::chrono::minutes(10));
  if (fs::is_empty(this->path())) {
    fs::remove_all(temporary_);
    throw std::runtime_error(fmt::format("git could not write the files of {}", text));
  }
}

CommitFolder::CommitFolder(CommitFolder&& other) noexcept
    : temporary_(std::exchange(other.temporary_, {})), name_(std::move(other.name_)) {}

CommitFolder::~CommitFolder() {
  std::error_code error;
  if (!temporary_.empty()) fs::remove_all(temporary_, error);
}

std::string CommitFolder::path() const { return temporary_ + "/" + name_; }

bool CommitFolder::is_meant(const std::string& text) {
  return !fs::exists(text) && text.find(':') != std::string::npos && text.front() != ':';
}

}  // namespace bfslab
