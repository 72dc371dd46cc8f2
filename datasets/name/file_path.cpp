// SPDX-License-Identifier: Apache-2.0
#include "datasets/name/file_path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "datasets/graph/types.hpp"
#include "datasets/name/graph_name.hpp"

namespace bfslab {

namespace {

bool is_option(std::string_view item) {
  const std::size_t equals = item.find('=');
  if (equals == std::string_view::npos) return false;
  const std::string_view key = item.substr(0, equals);
  const auto& options = build_parameters();
  return key == "format" ||
         std::any_of(options.begin(), options.end(),
                     [&](const GraphParameter& option) { return option.name == key; });
}

// The last comma before `end`, or npos.
std::size_t comma_before(std::string_view text, std::size_t end) {
  return text.substr(0, end).rfind(',');
}

std::size_t without_options(std::string_view text) {
  std::size_t end = text.size();
  while (true) {
    const std::size_t comma = comma_before(text, end);
    if (comma == std::string_view::npos || !is_option(text.substr(comma + 1, end - comma - 1))) {
      return end;
    }
    end = comma;
  }
}

std::size_t before_first_assignment(std::string_view text) {
  for (std::size_t comma = text.find(','); comma != std::string_view::npos;
       comma = text.find(',', comma + 1)) {
    const std::string_view rest = text.substr(comma + 1);
    if (rest.substr(0, rest.find(',')).find('=') != std::string_view::npos) return comma;
  }
  return text.size();
}

}  // namespace

std::size_t path_length(std::string_view text, const std::string& folder) {
  const auto is_there = [&](std::size_t length) {
    std::error_code ignored;
    return length > 0 && std::filesystem::is_regular_file(
                             std::filesystem::path(folder) / text.substr(0, length), ignored);
  };
  const std::size_t usual = without_options(text);
  std::size_t longest = text.size();
  while (longest != std::string_view::npos && !is_there(longest)) {
    longest = comma_before(text, longest);
  }
  if (longest == std::string_view::npos) return std::min(usual, before_first_assignment(text));
  if (longest > usual && is_there(usual)) {
    throw InputError(fmt::format("could be two files, \"{}\" and \"{}\": rename one of them",
                                 text.substr(0, usual), text.substr(0, longest)));
  }
  return longest;
}

std::string why_no_file(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  switch (status.type()) {
    case fs::file_type::regular:
      return "is a file";
    case fs::file_type::directory:
      return "is a folder, not a file";
    case fs::file_type::not_found:
      return fs::is_symlink(fs::symlink_status(path, error))
                 ? "is a link to a file that is not there"
                 : "no such file";
    case fs::file_type::none:
      return "cannot be read: " + error.message();
    case fs::file_type::fifo:
      return "is not a regular file but a pipe: write what it brings to a file first";
    default:
      return "is not a regular file";
  }
}

}  // namespace bfslab
