// SPDX-License-Identifier: Apache-2.0
// nlohmann decides the meaning of texts, numbers and words; this pass finds their places.
#include "harness/spec/position_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

#include "harness/spec/json_path.hpp"
#include "harness/spec/json_value.hpp"

namespace bfslab {

namespace {

struct GiveUp {};  // thrown if the scanner cannot make sense of the rest of the text

bool word_char(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '+' ||
         c == '-' || c == '$';
}

// Returns the first code point if the text begins with one; else the bytes that look like one.
std::string first_character(std::string_view text) {
  std::size_t size = 1;
  while (size < text.size() && (static_cast<unsigned char>(text[size]) & 0xC0U) == 0x80U) ++size;
  return std::string(text.substr(0, size));
}

std::string in_words(unsigned line, unsigned column) {
  return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

}  // namespace

class PositionScanner {
 public:
  PositionScanner(std::string_view text, PositionMap& out) : text_(text), out_(out) {}

  void run() {
    try {
      check_encoding();
      skip_space();
      if (at_end()) {
        error(place_, "", "an empty file", "an object: { \"name\": ..., \"graphs\": [...], ... }");
        return;
      }
      value("", place_);
      skip_space();
      if (!at_end()) error(place_, "", next_in_words() + " after the last bracket", "nothing more");
    } catch (const GiveUp&) {
    }
  }

 private:
  [[nodiscard]] bool at_end() const { return offset_ >= text_.size(); }
  [[nodiscard]] char peek() const { return at_end() ? '\0' : text_[offset_]; }
  [[nodiscard]] std::string_view rest() const { return text_.substr(offset_); }

  void advance(std::size_t bytes = 1) {
    for (; bytes > 0 && !at_end(); --bytes, ++offset_) {
      const auto c = static_cast<unsigned char>(text_[offset_]);
      if (c == '\n') {
        ++place_.line;
        place_.column = 1;
      } else if (offset_ + 1 >= text_.size() || (text_[offset_ + 1] & 0xC0) != 0x80) {
        ++place_.column;  // at the last byte of a code point
      }
    }
  }

  void error(Place where, const std::string& path, std::string found, std::string expected) {
    out_.well_formed_ = false;
    out_.errors_.push_back({where, path, std::move(found), std::move(expected)});
    if (out_.errors_.size() >= PositionMap::kMaxErrors) throw GiveUp{};
  }

  // A byte that is not valid UTF-8 makes every later column meaningless.
  void check_encoding() {
    if (text_.size() > PositionMap::kMaxBytes) {
      error({}, "", "more than " + std::to_string(PositionMap::kMaxBytes) + " bytes",
            "a spec of at most " + std::to_string(PositionMap::kMaxBytes) + " bytes");
      throw GiveUp{};
    }
    if (text_.starts_with("\xEF\xBB\xBF")) {
      error({}, "", "a byte order mark", "plain UTF-8: save the file without it");
      offset_ = 3;
      return;
    }
    if (text_.starts_with("\xFF\xFE") || text_.starts_with("\xFE\xFF")) {
      error({}, "", "UTF-16 text", "UTF-8: save the file in that encoding");
      throw GiveUp{};
    }
  }

  [[nodiscard]] std::string next_in_words() const {
    if (at_end()) return "the end of the file";
    const auto c = static_cast<unsigned char>(peek());
    if (c == '\n' || c == '\r') return "the end of the line";
    if (word_char(peek())) return fmt::format("\"{}\"", word().substr(0, 40));
    if (c < 0x20 || c == 0x7F) return "a control character";
    const std::string text = first_character(rest());
    return Json::accept('"' + text + '"') ? "'" + text + "'" : "a byte that is not UTF-8";
  }

  [[nodiscard]] std::string_view word() const {
    std::size_t size = 0;
    while (size < rest().size() && word_char(rest()[size])) ++size;
    return rest().substr(0, size);
  }

  void skip_space() {
    while (!at_end()) {
      const char c = peek();
      if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
        advance();
      } else if (rest().starts_with("//") || c == '#') {
        error(place_, path_, "a comment", "none: JSON has no comments; say it in \"title\"");
        while (!at_end() && peek() != '\n') advance();
      } else if (rest().starts_with("/*")) {
        error(place_, path_, "a comment", "none: JSON has no comments; say it in \"title\"");
        const std::size_t end = rest().find("*/");
        if (end == std::string_view::npos) throw GiveUp{};
        advance(end + 2);
      } else {
        return;
      }
    }
  }

  void value(const std::string& path, Place key) {
    path_ = path;
    out_.positions_[path] = {key, place_};
    switch (peek()) {
      case '{':
        return object(path);
      case '[':
        return array(path);
      case '"':
        string(path);
        return;
      default:
        return scalar(path);
    }
  }

  void enter() {
    if (++depth_ > PositionMap::kMaxDepth) {
      error(place_, "",
            "brackets nested more than " + std::to_string(PositionMap::kMaxDepth) + " deep",
            "a spec, which needs five levels");
      throw GiveUp{};
    }
    advance();  // the bracket
    skip_space();
  }

  void object(const std::string& path) {
    const Place opened = place_;
    std::map<std::string, Place> seen;
    enter();
    while (peek() != '}') {
      const Place where = place_;
      if (seen.size() == PositionMap::kMaxKeys) {  // the JSON library looks keys up one by one
        error(where, path, fmt::format("more than {} keys", PositionMap::kMaxKeys),
              fmt::format("an object of at most {}", PositionMap::kMaxKeys));
        throw GiveUp{};
      }
      const std::string name = key(path, opened);
      const std::string here = child_path(path, name);
      if (const auto [first, fresh] = seen.emplace(name, where); !fresh) {
        const bool was = out_.well_formed_;
        error(where, here,
              "the key \"" + name + "\" twice, first at " +
                  in_words(first->second.line, first->second.column),
              "each key once");
        out_.well_formed_ = was;  // a duplicate is still JSON
      }
      skip_space();
      if (peek() == ':') {
        advance();
      } else {
        error(place_, here, next_in_words(), "':' after the key");
        if (peek() == '=') {
          advance();
        } else if (at_end() || peek() == ',' || peek() == '}') {
          throw GiveUp{};
        }
      }
      skip_space();
      value(here, where);
      path_ = path;
      separator(path, '}', "object", opened);
    }
    advance();
    --depth_;
  }

  void array(const std::string& path) {
    const Place opened = place_;
    enter();
    for (std::size_t i = 0; peek() != ']'; ++i) {
      if (at_end()) unclosed(path, ']', "array", opened);
      value(element_path(path, i), place_);
      path_ = path;
      separator(path, ']', "array", opened);
    }
    advance();
    --depth_;
  }

  // After a value: a comma and more, or the closing bracket (left for the caller).
  void separator(const std::string& path, char close, const char* what, Place opened) {
    const Place ended = place_;
    skip_space();
    if (peek() == close) return;
    if (peek() == ',') {
      const Place comma = place_;
      advance();
      skip_space();
      if (peek() == close) {
        error(comma, path, std::string("a comma before '") + close + "'",
              "no comma after the last entry");
      } else if (peek() == ',') {
        error(place_, path, "a second comma", "one comma between two entries");
        while (peek() == ',') {
          advance();
          skip_space();
        }
      } else if (at_end()) {
        unclosed(path, close, what, opened);
      }
      return;
    }
    if (at_end()) unclosed(path, close, what, opened);
    const char next = peek();
    if (next == '"' || next == '{' || next == '[' || word_char(next)) {
      error(ended, path, "no comma", std::string("',' between two entries of this ") + what);
      return;
    }
    error(place_, path, next_in_words(), std::string("',' or '") + close + "'");
    throw GiveUp{};
  }

  [[noreturn]] void unclosed(const std::string& path, char close, const char* what, Place opened) {
    error(place_, path, "the end of the file",
          std::string("'") + close + "' to close the " + what + " opened at " +
              in_words(opened.line, opened.column));
    throw GiveUp{};
  }

  std::string key(const std::string& path, Place opened) {
    if (peek() == '"') return string(path);
    if (at_end()) unclosed(path, '}', "object", opened);
    if (peek() == '\'') return single_quoted(path);
    if (word_char(peek())) {
      std::string name(word());
      error(place_, path, name + " without quotes", "a key in double quotes: \"" + name + "\"");
      advance(name.size());
      return name;
    }
    error(place_, path, next_in_words(), "a key in double quotes, or '}'");
    throw GiveUp{};
  }

  std::string single_quoted(const std::string& path) {
    error(place_, path, "a single quote", "double quotes around text");
    const std::size_t end = rest().find('\'', 1);
    const std::size_t line = rest().find('\n');
    if (end == std::string_view::npos || end > line) throw GiveUp{};
    std::string text(rest().substr(1, end - 1));
    advance(end + 1);
    return text;
  }

  // Returns the distance to the closing quote on the same line; else 0.
  [[nodiscard]] std::size_t quoted_length() const {
    const std::string_view text = rest();
    for (std::size_t i = 1; i < text.size() && text[i] != '\n' && text[i] != '\r'; ++i) {
      if (text[i] == '"') return i + 1;
      const bool escape = text[i] == '\\' && i + 1 < text.size();
      if (escape && text[i + 1] != '\n' && text[i + 1] != '\r') ++i;
    }
    return 0;
  }

  std::string string(const std::string& path) {
    const std::size_t size = quoted_length();
    if (size == 0) {
      error(place_, path, "text without its closing quote", "'\"' before the end of the line");
      throw GiveUp{};
    }
    const std::string token(rest().substr(0, size));
    try {
      std::string out = Json::parse(token).get<std::string>();
      advance(size);
      return out;
    } catch (const Json::parse_error& refused) {
      // The error begins where the longest good text ends.
      std::size_t good = std::min(refused.byte, size) - 1;
      while (!Json::accept(token.substr(0, good) + '"')) --good;
      advance(good);
      report_character(path, token.substr(good));
      advance(size - good);
      return token.substr(1, good - 1);
    }
  }

  void report_character(const std::string& path, const std::string& text) {
    const auto c = static_cast<unsigned char>(text.front());
    if (c >= 0x80) {
      error(place_, path, "a byte that is not UTF-8", "UTF-8: save the file in that encoding");
      throw GiveUp{};
    }
    if (c < 0x20) {
      error(place_, path, c == '\t' ? "a tab inside text" : "a control character inside text",
            "an escape such as \\t");
    } else if (text[1] != 'u') {
      error(place_, path, "the escape \\" + first_character(text.substr(1)),
            "one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX");
    } else if (text.find_first_not_of("0123456789abcdefABCDEF", 2) < 6) {
      error(place_, path, "\\u without four hexadecimal digits", "\\u00e9, or the letter itself");
    } else {
      error(place_, path, "half of a surrogate pair", "both halves, or the letter itself");
    }
  }

  void scalar(const std::string& path) {
    const Place where = place_;
    if (peek() == '\'') {
      single_quoted(path);
      return;
    }
    const std::string_view text = word();
    if (text.empty()) {
      error(where, path, next_in_words(), "a value");
      throw GiveUp{};
    }
    if (!Json::accept(text)) {
      const std::string shown(text.substr(0, 40));
      error(where, path, shown, instead_of(shown));
    }
    advance(text.size());
  }

  static std::string instead_of(std::string_view text) {
    std::string lower;
    for (const char c : text) {
      lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    if (lower == "true" || lower == "yes" || lower == "on") return "true";
    if (lower == "false" || lower == "no" || lower == "off") return "false";
    if (lower == "none" || lower == "nil") return "null";
    if (lower == "nan" || lower.ends_with("inf") || lower.ends_with("infinity")) {
      return "a finite number: JSON has neither NaN nor infinity";
    }
    const char first = text.front();
    if ((first >= '0' && first <= '9') || first == '-' || first == '+' || first == '.') {
      return "a number such as 12, 0.5 or 1e-6";
    }
    return "a value; text stands in double quotes: \"" + std::string(text) + "\"";
  }

  std::string_view text_;
  PositionMap& out_;
  std::size_t offset_ = 0;
  Place place_;
  unsigned depth_ = 0;
  std::string path_;  // the path being read, at which a comment is reported
};

PositionMap PositionMap::scan(std::string_view text) {
  PositionMap map;
  PositionScanner(text, map).run();
  return map;
}

const TextPosition* PositionMap::find(std::string_view path) const {
  const auto found = positions_.find(path);
  return found == positions_.end() ? nullptr : &found->second;
}

}  // namespace bfslab
