// SPDX-License-Identifier: Apache-2.0
// The words that shells complete beyond commands and options: graphs and settings.
#pragma once

#include <string>
#include <vector>

namespace bfslab {

// Returns the names of the catalogue and its groups, and the kinds of graphs with a colon:
// "soc-Epinions1", "xbfs-table1", "kronecker:".
std::vector<std::string> graph_words();

struct EngineWords {
  std::string engine;
  std::vector<std::string> settings;  // "rule=work", "threads=", "preset=..."
};

// Returns the settings of each engine that traverses: NAME=VALUE for each value of a choice, a
// flag, a group or a preset, and NAME= for a number.
std::vector<EngineWords> setting_words();

// Returns the top-level keys of a spec as --set takes them: "repeats=".
std::vector<std::string> key_words();

}  // namespace bfslab
