// SPDX-License-Identifier: Apache-2.0
#include "harness/external/parse_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstring>
#include <numeric>
#include <regex>
#include <stdexcept>

#include "datasets/text/printable.hpp"
#include "kernels/answer.hpp"

namespace bfslab {

namespace {

constexpr std::size_t kMaxLine = 4096;  // longer lines are cut before they are matched
constexpr std::size_t kShown = 80;
constexpr std::size_t kLastLines = 3;

std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(text.size(), end + 1));
  return line;
}

void skip_blanks(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t\r,"), line.size()));
}

// Returns the length of the "inf" or "infinity" that the line begins with, with or without a sign
// and in upper or lower case; 0 if it begins with another word. Programs print it as the level of
// an unreached vertex.
std::size_t infinity_at(std::string_view line) {
  std::string word(line.substr(0, line.find_first_of(" \t\r,")));
  const std::size_t length = word.size();
  for (char& c : word) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (word.starts_with('+') || word.starts_with('-')) word.erase(0, 1);
  return word == "inf" || word == "infinity" ? length : 0;
}

// Takes a level or a vertex from the beginning of the line. Throws MalformedAnswer for anything
// else.
std::int64_t take_integer(std::string_view& line) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), value);
  const auto used = static_cast<std::size_t>(end - line.data());
  if (error != std::errc() ||
      (used < line.size() && std::strchr(" \t\r,", line[used]) == nullptr)) {
    throw MalformedAnswer(fmt::format("among its levels stands \"{}\", which is no integer",
                                      printable(line.substr(0, kShown))));
  }
  line.remove_prefix(used);
  skip_blanks(line);
  return value;
}

// Takes a level from the beginning of the line: negative for a vertex that is not reached.
std::int64_t take_level(std::string_view& line) {
  const std::size_t infinity = infinity_at(line);
  if (infinity == 0) return take_integer(line);
  line.remove_prefix(infinity);
  skip_blanks(line);
  return -1;
}

class Levels {
 public:
  Levels(const LevelsFormat& format, vertex_t vertices)
      : format_(format), levels_(vertices, kUnreached) {}

  void put(std::uint64_t vertex, std::int64_t level) {
    if (vertex >= levels_.size()) {
      throw MalformedAnswer(
          fmt::format("it reported a level of vertex {}, and the graph has {} vertices, from 0",
                      vertex, levels_.size()));
    }
    if (level < 0 || level == format_.unreached) return;
    if (static_cast<std::uint64_t>(level) >= levels_.size()) {
      throw MalformedAnswer(fmt::format(
          "it reported level {} of vertex {}, more than {} vertices allow: if that stands for an "
          "unreached vertex, set `unreached`",
          level, vertex, levels_.size()));
    }
    if (levels_[vertex] != kUnreached) {
      throw MalformedAnswer(fmt::format("it reported two levels of vertex {}", vertex));
    }
    levels_[vertex] = static_cast<level_t>(level);
  }

  void read_list(std::string_view text) {
    std::uint64_t vertex = 0;
    each_line(text, [&](std::string_view line) {
      while (!line.empty()) put(vertex++, take_level(line));
    });
  }

  void read_pairs(std::string_view text) {
    each_line(text, [&](std::string_view line) {
      const std::int64_t vertex = take_integer(line);
      if (vertex < static_cast<std::int64_t>(format_.first_vertex) || line.empty()) {
        throw MalformedAnswer(
            fmt::format("a line of its levels is no pair of a vertex, from {}, and its level",
                        format_.first_vertex));
      }
      const std::int64_t level = take_level(line);
      if (!line.empty()) throw MalformedAnswer("a line of its levels has more than a pair");
      put(static_cast<std::uint64_t>(vertex) - format_.first_vertex, level);
    });
  }

  void read_int32(std::string_view bytes) {
    if (bytes.size() != levels_.size() * sizeof(std::int32_t)) {
      throw MalformedAnswer(fmt::format("its levels are {} bytes, and {} vertices need {}",
                                        bytes.size(), levels_.size(),
                                        levels_.size() * sizeof(std::int32_t)));
    }
    for (std::uint64_t vertex = 0; vertex < levels_.size(); ++vertex) {
      std::int32_t level = 0;
      std::memcpy(&level, bytes.data() + vertex * sizeof level, sizeof level);
      put(vertex, level);
    }
  }

  std::vector<level_t> take() { return std::move(levels_); }

 private:
  template <typename Read>
  static void each_line(std::string_view text, const Read& read) {
    while (!text.empty()) {
      std::string_view line = take_line(text);
      skip_blanks(line);
      const bool is_number =
          !line.empty() && (line.front() == '-' || (line.front() >= '0' && line.front() <= '9'));
      if (!is_number && infinity_at(line) == 0) continue;
      read(line);
    }
  }

  const LevelsFormat& format_;
  std::vector<level_t> levels_;
};

const char* words(Stream stream) { return stream == Stream::out ? "output" : "error"; }

// Returns the last lines that are not blank, each in quotes and cut to kShown bytes: "a", "b".
std::string last_lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty() && lines.size() < kLastLines) {
    const std::size_t begin = text.rfind('\n') + 1;  // 0 if there is no line end
    const std::string_view line = text.substr(begin);
    text = text.substr(0, begin == 0 ? 0 : begin - 1);
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    lines.push_back(fmt::format("\"{}{}\"", printable(line.substr(0, kShown)),
                                line.size() > kShown ? "..." : ""));
  }
  std::ranges::reverse(lines);
  return fmt::format("{}", fmt::join(lines, ", "));
}

double number_from_0(const std::string& number) {
  double value = 0;
  const char* const end = number.data() + number.size();
  const auto [read, error] = std::from_chars(number.data(), end, value);
  if (error == std::errc() && read == end && std::isfinite(value) && value >= 0) return value;
  throw std::runtime_error(fmt::format("it reported \"{}\" as its time, which is no number from 0",
                                       printable(number.substr(0, kShown))));
}

}  // namespace

double parse_ms(const TimeFormat& format, std::string_view text) {
  const std::regex pattern(format.pattern);
  std::vector<double> times;
  while (!text.empty()) {
    const std::string_view line = take_line(text).substr(0, kMaxLine);
    std::match_results<std::string_view::const_iterator> found;
    if (!std::regex_search(line.begin(), line.end(), found, pattern)) continue;
    times.push_back(number_from_0(found[1].str()) * format.unit_ms);
  }
  if (times.empty() || (times.size() > 1 && format.take == TakeTime::only)) {
    throw std::runtime_error(fmt::format(
        "it reported {} on its standard {}: {} match `{}`{}",
        times.empty() ? "no time" : "several times", words(format.stream),
        times.empty() ? "no lines" : fmt::format("{} lines", times.size()), format.pattern,
        times.empty() ? "" : "; set `take` if one of them, or their mean, is its time"));
  }
  switch (format.take) {
    case TakeTime::only:
    case TakeTime::last:
      break;
    case TakeTime::mean:
      return std::accumulate(times.begin(), times.end(), 0.0) / static_cast<double>(times.size());
    case TakeTime::min:
      return *std::min_element(times.begin(), times.end());
  }
  return times.back();
}

void require_passed(const PassedFormat& format, std::string_view text) {
  const std::regex pattern(format.pattern);
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::string_view line = take_line(rest).substr(0, kMaxLine);
    if (std::regex_search(line.begin(), line.end(), pattern)) return;
  }
  const std::string last = last_lines(text);
  throw MalformedAnswer(fmt::format(
      "its own check did not pass: no line of its standard {} matches `{}`, its key `passed`; {}",
      words(format.stream), format.pattern,
      last.empty() ? "the stream is empty" : "the stream ends with " + last));
}

std::vector<level_t> parse_levels(const LevelsFormat& format, std::string_view text,
                                  vertex_t vertices) {
  Levels levels(format, vertices);
  switch (format.form) {
    case LevelForm::list:
      levels.read_list(text);
      break;
    case LevelForm::pairs:
      levels.read_pairs(text);
      break;
    case LevelForm::int32:
      levels.read_int32(text);
      break;
  }
  return levels.take();
}

}  // namespace bfslab
