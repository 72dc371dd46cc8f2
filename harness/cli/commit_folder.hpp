// SPDX-License-Identifier: Apache-2.0
// CommitFolder: a folder of results as it was at a git commit: "main:results/h200".
#pragma once

#include <optional>
#include <string>

namespace bfslab {

class CommitFolder {
 public:
  // `text` is COMMIT:PATH, the path relative to the current folder. Copies the folder's files to a
  // temporary folder; index and work tree of the repository stay as they are. Throws InputError.
  explicit CommitFolder(const std::string& text);
  CommitFolder(CommitFolder&& other) noexcept;
  CommitFolder& operator=(CommitFolder&&) = delete;
  ~CommitFolder();  // removes it

  [[nodiscard]] std::string path() const;

  // Returns whether `text` has a colon and is no existing folder.
  static bool is_meant(const std::string& text);

 private:
  std::string temporary_;
  std::string name_;
};

}  // namespace bfslab
