// SPDX-License-Identifier: Apache-2.0
// Diagnostics: gathers every error of one spec and throws them as one InputError, one per line:
//   FILE:LINE:COLUMN: at `PATH`: found X, expected Y; did you mean "Z"?
// A value of a --set option has no line: the option is named in its place. A spec that extends
// others has several files: a message names the one with the value.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "harness/spec/position_map.hpp"

namespace bfslab {

enum class Anchor { value, key };  // the part that a message points at

class Diagnostics {
 public:
  // Adds a spec's file, or the next one that it extends, and reports errors of its text.
  void add_file(const std::string& file, PositionMap positions);

  // Notes that `path` and everything below it belong to `option` ("--set base.threads=2").
  void overridden(std::string path, std::string option) {
    overrides_.emplace_back(std::move(path), std::move(option));
  }

  void add(const std::string& path, const std::string& found, const std::string& expected,
           const std::string& nearest = {}, Anchor anchor = Anchor::value);
  // The same with a free sentence. Two equal messages are kept once.
  void add_text(const std::string& path, const std::string& text, Anchor anchor = Anchor::value);
  // Reports the option itself: its path or its value cannot be read.
  void add_option(const std::string& option, const std::string& text);
  // Reports `path` in the file that was added last, also if another file has it, too.
  void add_to_last_file(const std::string& path, const std::string& text);

  [[nodiscard]] bool empty() const { return messages_.empty(); }
  [[nodiscard]] std::size_t size() const { return messages_.size(); }
  // Throws InputError if there is any message, with the first hundred and the number of the others.
  void throw_if_any() const;

 private:
  struct File {
    std::string name;
    PositionMap positions;
  };
  // The messages of files come first, by file and place, then those of options, in their order.
  using Message = std::tuple<std::size_t, Place, std::size_t, std::string>;

  void add_at(const std::string& path, const std::string& text, Anchor anchor,
              std::size_t first_file);
  void add_message(std::size_t file, Place place, const std::string& path, const std::string& text);

  std::vector<File> files_;
  std::vector<std::pair<std::string, std::string>> overrides_;
  std::set<Message> messages_;
};

}  // namespace bfslab
