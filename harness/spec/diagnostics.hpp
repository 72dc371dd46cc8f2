// Diagnostics: gathers every error of one spec and throws them as one InputError, one per line:
//   FILE:LINE:COLUMN: at `PATH`: found X, expected Y; did you mean "Z"?
// What a --set option set has no line: the option is named instead.
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
  Diagnostics(std::string file, const PositionMap& positions)
      : file_(std::move(file)), positions_(positions) {}

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
  void add_syntax(const TextError& error);

  [[nodiscard]] bool empty() const { return messages_.empty(); }
  [[nodiscard]] std::size_t size() const { return messages_.size(); }
  // Throws InputError if there is any message.
  void throw_if_any() const;

 private:
  // Group 0: in the file, by place; group 1: the options, in their order.
  using Message = std::tuple<int, Place, std::size_t, std::string>;
  std::string file_;
  const PositionMap& positions_;
  std::vector<std::pair<std::string, std::string>> overrides_;
  std::set<Message> messages_;
};

}  // namespace bfslab
