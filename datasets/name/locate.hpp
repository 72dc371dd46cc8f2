// SPDX-License-Identifier: Apache-2.0
// Where the file that a graph's name stands for is.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "datasets/name/graph_name.hpp"
#include "datasets/read/detect.hpp"

namespace bfslab {

// Returns whether the name stands for a file, not for a generator.
bool stands_for_file(const GraphName& name);

struct LocatedFile {
  std::string path;
  std::string format;   // a GraphFormat's name, by its own name or its distributor; empty: unknown
  std::string member;   // of an archive, as a glob; empty: the format's own
  std::string address;  // whose file it is by its place or name; empty where the user named it
  bool format_given = false;  // by the user: nothing else decides
};

// The format that the file is read in. Opens it. Throws what detect_format() throws.
Detected format_of(const LocatedFile& file);

// The file of a name of a named kind (datasets/name/named_kinds.hpp) or of `file:PATH`. In each
// folder, in order:
//   DIR/NAME.ENDING, DIR/local/NAME.ENDING      NAME also the catalogue's; endings, and beginnings
//                                               (out.NAME), of its format, or of any where no
//                                               distributor's rule says the form
//   DIR/FILE, DIR/local/FILE                    named as at one of its addresses
//   DIR/HOST/PATH, DIR/mirror/HOST/PATH         of each of its addresses
// each of the last two in any packing. Nothing is opened. nullopt if there is none.
std::optional<LocatedFile> locate_file(const GraphName& name,
                                       const std::vector<std::string>& folders);

// For a graph that has no address: the page that has its file, the place in the folder to put it,
// and what identifies it.
std::string remedy_by_hand(const GraphName& name, const std::string& folder);

// The same as locate_file; if there is none, throws InputError with the address, the command that
// fetches it, and the place to put it by hand.
LocatedFile find_file(const GraphName& name, const std::vector<std::string>& folders);

}  // namespace bfslab
