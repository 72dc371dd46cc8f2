// SPDX-License-Identifier: Apache-2.0
// Stand-ins for data sets that are unavailable. Only the driver replaces them: neither the spec's
// canonical text nor its hash depends on one machine's data folders.
#pragma once

#include <string>
#include <vector>

#include "harness/spec/spec.hpp"

namespace bfslab {

// If the spec allows stand-ins, replaces each catalogue graph that has one and whose file is
// missing from all the folders. The stand-in is named and labelled as such. Graphs of at most 20
// million published edges get three stand-ins, with seeds 1 to 3. Build options are kept. Returns a
// line per replaced graph. Throws InputError if the spec lists the same stand-in, too.
std::vector<std::string> use_stand_ins(Spec& spec, const std::vector<std::string>& folders);

}  // namespace bfslab
