// SPDX-License-Identifier: Apache-2.0
#include "datasets/read/detect.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <vector>

#include "datasets/graph/types.hpp"
#include "datasets/read/line_words.hpp"

namespace bfslab {

namespace {

// Bytes of plain text to look at: some thousand lines.
constexpr std::size_t kHead = std::size_t{1} << 16;

FileHead read_head(const std::string& path, const std::vector<std::string>& members) {
  const auto bytes = open_bytes(path, members);
  FileHead head;
  head.text.resize(kHead);
  head.text.resize(bytes->read(head.text));
  head.complete = head.text.size() < kHead;
  if (head.text.starts_with(kByteOrderMark)) head.text.erase(0, kByteOrderMark.size());
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

bool begins_with_one(const std::string& line, const std::vector<std::string>& openings) {
  return std::any_of(openings.begin(), openings.end(), [&](const std::string& opening) {
    return line == opening || line.starts_with(opening + ' ');
  });
}

// The line by which the text is of this format; empty: there is none.
std::string_view opening_line(const GraphFormat& format, std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view whole = text.substr(0, end);
    const std::string line = plain_line(whole);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty()) continue;
    if (begins_with_one(line, format.openings) ||
        (format.opens != nullptr && format.opens(whole))) {
      return whole.substr(0, whole.find('\r'));
    }
    // A letter begins a comment only where it stands alone.
    const bool comment = format.comments.find(line.front()) != std::string::npos &&
                         (std::isalpha(static_cast<unsigned char>(line.front())) == 0 ||
                          line.size() == 1 || line[1] == ' ');
    if (!comment) return {};
  }
  return {};
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

Reading reading_of(const GraphFormat& format, const FileHead& head) {
  return format.reading == nullptr ? Reading() : format.reading(head);
}

// The only format whose lines have the shape of the file's. Throws InputError if there are several,
// or none and the name claims no format.
Detected detect_by_lines(const std::string& path, const FileHead& head,
                         const GraphFormat* claimed) {
  std::vector<const GraphFormat*> possible;
  std::vector<std::string> readings;
  for (const GraphFormat& format : graph_formats()) {
    Reading words = reading_of(format, head);
    if (words.empty()) continue;
    possible.push_back(&format);
    readings.push_back(std::move(words));
  }
  if (possible.size() == 1) {
    std::string but = "as its name says nothing";
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
        fmt::format("{0}: neither its name nor its contents show what it is{1}; if it is a graph, "
                    "name it file:{0},format=NAME with one of {2}",
                    path,
                    head.text.empty() ? ": it is empty"
                                      : fmt::format(": it begins with \"{}\"", first_line(head)),
                    names_of_formats()));
  }
  std::vector<std::string> names;
  for (const GraphFormat* format : possible) {
    names.push_back(fmt::format("file:{},format={}", path, format->name));
  }
  throw InputError(fmt::format("{}: could be two things: {}. Say which by its name: {}", path,
                               fmt::join(readings, "; or "), fmt::join(names, " or ")));
}

}  // namespace

Detected detect_format(const std::string& path, const std::string& member,
                       const GraphFormat* claimed) {
  if (claimed != nullptr && claimed->reading == nullptr && claimed->openings.empty()) {
    return {claimed, {}};  // only the name decides
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

  // The first such line decides: later ones are comments.
  const GraphFormat* opened = nullptr;
  std::string_view opening;
  for (const GraphFormat& format : graph_formats()) {
    const std::string_view line = opening_line(format, head.text);
    if (line.empty() || (opened != nullptr && line.data() >= opening.data())) continue;
    opened = &format;
    opening = line;
  }
  if (opened != nullptr && opened == claimed) return {claimed, {}};
  if (opened != nullptr) {
    return {opened, fmt::format("{}, by its first line \"{}\"", opened->name, shown(opening))};
  }
  if (claimed != nullptr && !reading_of(*claimed, head).empty()) return {claimed, {}};
  return detect_by_lines(path, head, claimed);
}

}  // namespace bfslab
