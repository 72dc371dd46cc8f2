// SPDX-License-Identifier: Apache-2.0
// Diagnostics: gathers every error of one spec and throws them as one InputError, one per line:
//   FILE:LINE:COLUMN: at `PATH`: found X, expected Y; did you mean "Z"?
// What a --set option brought in has no line: the option stands in its place. A spec that extends
// others has several files: a message names the one that said it.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "harness/spec/position_map.hpp"

namespace bfslab {

enum class Anchor { value, key };  // which of the two a message points at

class Diagnostics {
 public:
  // A spec's file, or the next one that it extends; reports what is wrong with its text.
  void add_file(const std::string& file, PositionMap positions);

  // From now on `path` and everything below it belong to `option` ("--set base.threads=2").
  void overridden(std::string path, std::string option) {
    overrides_.emplace_back(std::move(path), std::move(option));
  }

  void add(const std::string& path, const std::string& found, const std::string& expected,
           const std::string& nearest = {}, Anchor anchor = Anchor::value);
  // The same with a sentence of its own. Two equal messages are kept once.
  void add_text(const std::string& path, const std::string& text, Anchor anchor = Anchor::value);
  // About the option itself: its path or its value cannot be read.
  void add_option(const std::string& option, const std::string& text);
  // About `path` in the file that was added last, whether or not another file says it, too.
  void add_to_last_file(const std::string& path, const std::string& text);

  [[nodiscard]] bool empty() const { return messages_.empty(); }
  [[nodiscard]] std::size_t size() const { return messages_.size(); }
  // Throws InputError if there is any message: the first hundred, and how many more there are.
  void throw_if_any() const;

 private:
  struct File {
    std::string name;
    PositionMap positions;
  };
  // First the files' messages, by file and place, then the options', in their order.
  using Message = std::tuple<std::size_t, Place, std::size_t, std::string>;

  void add_at(const std::string& path, const std::string& text, Anchor anchor,
              std::size_t first_file);
  void add_message(std::size_t file, Place place, const std::string& path, const std::string& text);

  std::vector<File> files_;
  std::vector<std::pair<std::string, std::string>> overrides_;
  std::set<Message> messages_;
};

}  // namespace bfslab
