// SPDX-License-Identifier: Apache-2.0
// Where the graph of a name of a named kind is to be had, and what lies there.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "datasets/name/named_kinds.hpp"

namespace bfslab {

// One place where a distributor offers the graph.
struct OfferedFile {
  std::string address;  // https://HOST/PATH
  std::string format;   // a GraphFormat's name
  std::string member;   // of an archive, as a glob on the last part of its path; empty: no archive
};

// All of them, the official one first: the catalogue's, or by the distributor's rule for names that
// the catalogue does not have. Empty where no address is known.
std::vector<OfferedFile> offered_files(const NamedKind& kind, std::string_view path);

// HOST/PATH of an http(s) address: the layout of mirrors and data folders. Throws InputError
// when the address could lead out of such a folder, or has no host or no path.
std::string below_mirror(std::string_view address);

}  // namespace bfslab
