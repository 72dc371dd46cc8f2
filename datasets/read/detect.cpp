// SPDX-License-Identifier: Apache-2.0
#include "datasets/read/detect.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <vector>

#include "datasets/graph/types.hpp"
#include "datasets/read/edge_lines.hpp"

namespace bfslab {

namespace {

// Of plain text: some thousand lines.
constexpr std::size_t kHead = std::size_t{1} << 16;

FileHead read_head(const std::string& path, const std::vector<std::string>& members) {
  const auto bytes = open_bytes(path, members);
  FileHead head;
  head.text.resize(kHead);
  head.text.resize(bytes->read(head.text));
  head.complete = head.text.size() < kHead;
  if (!head.complete) head.text.resize(head.text.rfind('\n') + 1);  // npos + 1 is 0
  return head;
}

// In lower case, single blanks between its words.
std::string plain_line(std::string_view line) {
  std::string out;
  for (LineWords words(line); !words.done();) {
    if (!out.empty()) out += ' ';
    out += words.next();
  }
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

bool opens(const GraphFormat& format, std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string line = plain_line(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty()) continue;
    for (const std::string& opening : format.openings) {
      if (line == opening || line.starts_with(opening + ' ')) return true;
    }
    // A letter is a comment's only as a word of its own.
    const bool comment = format.comments.find(line.front()) != std::string::npos &&
                         (std::isalpha(static_cast<unsigned char>(line.front())) == 0 ||
                          line.size() == 1 || line[1] == ' ');
    if (!comment) return false;
  }
  return false;
}

std::string first_line(const FileHead& head) {
  return shown(std::string_view(head.text).substr(0, head.text.find_first_of("\r\n")));
}

std::string names_of_formats() {
  std::vector<std::string> names;
  for (const GraphFormat& format : graph_formats()) names.push_back(format.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string openings_of(const GraphFormat& format) {
  return fmt::format("{}", fmt::join(format.openings, "\" or \""));
}

}  // namespace

Detected detect_format(const std::string& path, const std::string& member,
                       const GraphFormat* claimed) {
  if (claimed != nullptr && claimed->reading == nullptr && claimed->openings.empty()) {
    return {claimed, {}};  // only a name tells
  }
  std::vector<std::string> members{member};
  if (member.empty()) {
    members.clear();
    for (const GraphFormat& format : graph_formats()) {
      if (claimed != nullptr && &format != claimed) continue;
      members.insert(members.end(), format.members.begin(), format.members.end());
    }
  }
  const FileHead head = read_head(path, members);

  if (claimed != nullptr && opens(*claimed, head.text)) return {claimed, {}};
  for (const GraphFormat& format : graph_formats()) {
    if (!opens(format, head.text)) continue;
    return {&format, fmt::format("{}, by its first line \"{}\"", format.name, first_line(head))};
  }
  const auto reading = [&](const GraphFormat& format) {
    return format.reading == nullptr ? Reading() : format.reading(head);
  };
  if (claimed != nullptr && !reading(*claimed).empty()) return {claimed, {}};

  std::vector<const GraphFormat*> possible;
  std::vector<std::string> readings;
  for (const GraphFormat& format : graph_formats()) {
    Reading words = reading(format);
    if (words.empty()) continue;
    possible.push_back(&format);
    readings.push_back(std::move(words));
  }
  if (possible.size() == 1) {
    std::string but = "as its name tells nothing";
    if (claimed != nullptr) {
      but = claimed->openings.empty()
                ? fmt::format("which are not those of {}, as its name says", claimed->name)
                : fmt::format("as it is called like a file of {} but does not begin with \"{}\"",
                              claimed->name, openings_of(*claimed));
    }
    return {possible.front(),
            fmt::format("{}, by the shape of its lines, {}", possible.front()->name, but)};
  }
  if (possible.empty()) {
    if (claimed != nullptr) return {claimed, {}};
    throw InputError(
        fmt::format("{}: neither its name nor its contents tell what it is{}; if it is a graph, "
                    "add ,format=NAME to its name, with one of {}",
                    path,
                    head.text.empty() ? ": it is empty"
                                      : fmt::format(": it begins with \"{}\"", first_line(head)),
                    names_of_formats()));
  }
  std::vector<std::string> options;
  for (const GraphFormat* format : possible) options.push_back(",format=" + format->name);
  throw InputError(fmt::format("{}: could be two things: {}. Say which: add {} to its name", path,
                               fmt::join(readings, "; or "), fmt::join(options, " or ")));
}

}  // namespace bfslab
