// Stand-ins where a data set is not at hand. Which are is known to the driver alone: neither the
// spec's canonical text nor its hash says anything about one machine's data folders.
#pragma once

#include <string>
#include <vector>

#include "harness/spec/spec.hpp"

namespace bfslab {

// Where the spec allows it: each graph of the catalogue that has a stand-in, and whose file is in
// none of the folders, becomes that stand-in, named and labelled as one. Build options stay. Says
// what it did, a line each. Throws InputError when the spec lists that very stand-in, too.
std::vector<std::string> use_stand_ins(Spec& spec, const std::vector<std::string>& folders);

}  // namespace bfslab
