// SPDX-License-Identifier: Apache-2.0
// Checks the tables of a folder of results together, before any of their rows are used.
#pragma once

#include <span>
#include <string>

namespace bfslab {

// The rule for rows of levels.csv and measures.csv that belong to no row of runs.csv.
enum class Details { must_belong, may_be_left };

// Reads all tables of a folder. Throws InputError, which names the file and the line, where
// something else has changed one (require_seals), where a trial stands twice in runs.csv, and where
// rows of levels.csv or measures.csv have no row in it, except those of the one trial that a kill
// may have ended; and where a folder with sealed rows lacks a table that neither environment.json
// nor `left_out` says is left out. Returns whether its rows are sealed.
bool require_sound_folder(const std::string& folder, Details details = Details::must_belong,
                          std::span<const std::string> left_out = {});

}  // namespace bfslab
