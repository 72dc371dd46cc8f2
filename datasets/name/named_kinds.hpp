// SPDX-License-Identifier: Apache-2.0
// Kinds of graphs that stand for files found by name in the data folders: one per distributor,
// whose names they take, and one for files of no distributor.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bfslab {

struct NamedKind {
  std::string name;    // "snap"
  std::string form;    // how its paths are spelled: "NAME", "GROUP/NAME"
  std::string format;  // a GraphFormat's name; empty: the file's ending decides
  std::string doc;
  // Where the distributor keeps the graph of a path: FOLDER, path, ENDING. No folder: no rule is
  // known, and only what the catalogue lists has an address.
  std::string folder = {};
  std::string ending = {};
  std::string member = {};  // of the archive found there, as a glob; {} is the path's last part
};

const std::vector<NamedKind>& named_kinds();
// nullptr for generators and `file`.
const NamedKind* find_named_kind(std::string_view kind);

// Why `path` is not a name of that kind, in words that follow "graph "...": "; empty if it is one.
// A path that passes cannot lead out of a folder that it is appended to.
std::string wrong_named_path(const NamedKind& kind, std::string_view path);

}  // namespace bfslab
