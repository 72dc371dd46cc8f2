// SPDX-License-Identifier: Apache-2.0
// Paths into a spec as messages print them and `--set` takes them: cases.Ad.engine, graphs[2],
// cases["a.b"].threads. Plain keys are unquoted; others are quoted.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace bfslab {

using PathStep = std::variant<std::string, std::size_t>;  // a key, or an index into an array

std::string child_path(std::string_view parent, std::string_view key);
std::string element_path(std::string_view parent, std::size_t index);

// Takes a path from the beginning of `text`; it ends at '=' or at the end. Throws InputError.
std::vector<PathStep> take_path(std::string_view& text);
std::string path_text(const std::vector<PathStep>& steps);

// Returns whether `path` is `ancestor` or below it.
bool path_within(std::string_view path, std::string_view ancestor);

}  // namespace bfslab
