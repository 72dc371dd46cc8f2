// SPDX-License-Identifier: Apache-2.0
// Stand-ins for data sets that are unavailable. Only the driver replaces them: neither the spec's
// canonical text nor its hash depends on one machine's data folders.
#pragma once

#include <string>
#include <vector>

#include "harness/spec/spec.hpp"

namespace bfslab {

// If the spec allows it, replaces each graph of the catalogue that has a stand-in, and whose file
// is in none of the folders, by that stand-in, named and labelled as such: by three of them, with
// seeds 1 to 3, if the published number of edges is at most 20 million. Build options are kept.
// Returns a line per replaced graph. Throws InputError if the spec lists the same stand-in, too.
std::vector<std::string> use_stand_ins(Spec& spec, const std::vector<std::string>& folders);

}  // namespace bfslab
