// SPDX-License-Identifier: Apache-2.0
// The line of a KONECT file that says how many sets of vertices it has.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "datasets/read/text_lines.hpp"

namespace bfslab {

struct KonectKind {
  std::string kind;     // "sym", "asym" or "bip"
  std::string weights;  // "unweighted", "positive", ...
};

// Reads "% bip unweighted", in any case, with any number of `%` and also without the blank; "bip"
// is understood behind `#`, too. nullopt: the line says something else.
std::optional<KonectKind> konect_kind(std::string_view line);

// Returns whether a KONECT file may begin with the line.
bool opens_konect(std::string_view line);

// Throws InputError if the line says "% bip": for readers that know one set of vertices only.
void refuse_two_sets(const TextLines& text, std::uint64_t line_number, std::string_view line);
// Why such a line is refused.
std::string two_sets_fault(std::string_view line);

}  // namespace bfslab
