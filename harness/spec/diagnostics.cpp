#include "harness/spec/diagnostics.hpp"

#include <fmt/format.h>

#include "datasets/graph/types.hpp"
#include "harness/spec/json_path.hpp"

namespace bfslab {

namespace {

std::string sentence(const std::string& found, const std::string& expected,
                     const std::string& nearest) {
  std::string text = "found " + found + ", expected " + expected;
  if (!nearest.empty()) text += "; did you mean \"" + nearest + "\"?";
  return text;
}

// `cases.Ad.engine` -> `cases.Ad`: where a missing key belongs.
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
  const std::string at = path.empty() ? std::string() : fmt::format("at `{}`: ", path);
  for (std::size_t i = overrides_.size(); i-- > 0;) {  // the last option wins
    if (path_within(path, overrides_[i].first)) {
      messages_.insert({1, {}, i, fmt::format("{}: {}{}", overrides_[i].second, at, text)});
      return;
    }
  }
  const TextPosition* position = positions_.find(path);
  for (std::string above = path; position == nullptr && !above.empty();) {
    above = parent(above);
    position = positions_.find(above);
  }
  Place place;
  if (position != nullptr) place = anchor == Anchor::key ? position->key : position->value;
  messages_.insert(
      {0, place, 0, fmt::format("{}:{}:{}: {}{}", file_, place.line, place.column, at, text)});
}

void Diagnostics::add_option(const std::string& option, const std::string& text) {
  messages_.insert({1, {}, overrides_.size(), fmt::format("{}: {}", option, text)});
}

void Diagnostics::add_syntax(const TextError& error) {
  const std::string at = error.path.empty() ? std::string() : fmt::format("at `{}`: ", error.path);
  messages_.insert({0, error.where, 0,
                    fmt::format("{}:{}:{}: {}{}", file_, error.where.line, error.where.column, at,
                                sentence(error.found, error.expected, {}))});
}

void Diagnostics::throw_if_any() const {
  if (messages_.empty()) return;
  std::string all;
  for (const Message& message : messages_) {
    if (!all.empty()) all += '\n';
    all += std::get<3>(message);
  }
  throw InputError(all);
}

}  // namespace bfslab
