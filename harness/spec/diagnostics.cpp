// SPDX-License-Identifier: Apache-2.0
#include "harness/spec/diagnostics.hpp"

#include <fmt/format.h>

#include <limits>

#include "datasets/graph/types.hpp"
#include "datasets/text/printable.hpp"
#include "harness/spec/json_path.hpp"

namespace bfslab {

namespace {

constexpr std::size_t kOptions = std::numeric_limits<std::size_t>::max();  // after all files

std::string at(const std::string& path) {
  return path.empty() ? std::string() : fmt::format("at `{}`: ", path);
}

std::string sentence(const std::string& found, const std::string& expected,
                     const std::string& nearest) {
  std::string text = "found " + found + ", expected " + expected;
  if (!nearest.empty()) text += "; did you mean \"" + nearest + "\"?";
  return text;
}

// Returns the path to which a missing key belongs: `cases.Ad.engine` -> `cases.Ad`.
std::string parent(const std::string& path) {
  std::string_view rest = path;
  std::string out;
  if (path.empty()) return out;
  try {
    std::vector<PathStep> steps = take_path(rest);
    steps.pop_back();
    return path_text(steps);
  } catch (const InputError&) {
    return out;
  }
}

}  // namespace

void Diagnostics::add(const std::string& path, const std::string& found,
                      const std::string& expected, const std::string& nearest, Anchor anchor) {
  add_text(path, sentence(found, expected, nearest), anchor);
}

void Diagnostics::add_text(const std::string& path, const std::string& text, Anchor anchor) {
  for (std::size_t i = overrides_.size(); i-- > 0;) {  // the last option wins
    if (path_within(path, overrides_[i].first)) {
      messages_.insert({kOptions,
                        {},
                        i,
                        printable(fmt::format("{}: {}{}", overrides_[i].second, at(path), text))});
      return;
    }
  }
  add_at(path, text, anchor, 0);
}

void Diagnostics::add_to_last_file(const std::string& path, const std::string& text) {
  add_at(path, text, Anchor::value, files_.size() - 1);
}

// Finds the file and place of a path. If several files have it, the value of the first one counts.
// A path that no file has is reported at the nearest path above it.
void Diagnostics::add_at(const std::string& path, const std::string& text, Anchor anchor,
                         std::size_t first_file) {
  for (std::string above = path;; above = parent(above)) {
    for (std::size_t i = first_file; i < files_.size(); ++i) {
      const TextPosition* position = files_[i].positions.find(above);
      if (position == nullptr) continue;
      const Place place = anchor == Anchor::key ? position->key : position->value;
      add_message(i, place, path, text);
      return;
    }
    if (above.empty()) break;
  }
  add_message(first_file, {}, path, text);
}

void Diagnostics::add_message(std::size_t file, Place place, const std::string& path,
                              const std::string& text) {
  messages_.insert({file, place, 0,
                    printable(fmt::format("{}:{}:{}: {}{}", files_[file].name, place.line,
                                          place.column, at(path), text))});
}

void Diagnostics::add_option(const std::string& option, const std::string& text) {
  messages_.insert(
      {kOptions, {}, overrides_.size(), printable(fmt::format("{}: {}", option, text))});
}

void Diagnostics::add_file(const std::string& file, PositionMap positions) {
  files_.push_back({printable(file), std::move(positions)});
  for (const TextError& error : files_.back().positions.errors()) {
    add_message(files_.size() - 1, error.where, error.path,
                sentence(error.found, error.expected, {}));
  }
}

void Diagnostics::throw_if_any() const {
  if (messages_.empty()) return;
  constexpr std::size_t kShown = 100;
  std::string all;
  std::size_t shown = 0;
  for (const Message& message : messages_) {
    if (shown == kShown) {
      all +=
          fmt::format("\n{}: and {} more messages", files_.front().name, messages_.size() - kShown);
      break;
    }
    if (shown++ > 0) all += '\n';
    all += std::get<3>(message);
  }
  throw InputError(all);
}

}  // namespace bfslab
