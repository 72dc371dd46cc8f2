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
  std::string format;  // a GraphFormat's name; empty: the file's ending tells
  std::string doc;
};

const std::vector<NamedKind>& named_kinds();
// nullptr for generators and `file`.
const NamedKind* find_named_kind(std::string_view kind);

// Why `path` is not a name of that kind, in words that follow "graph "...": "; empty if it is one.
// A path that passes cannot lead out of a folder that it is appended to.
std::string wrong_named_path(const NamedKind& kind, std::string_view path);

// One place where a distributor offers the graph.
struct OfferedFile {
  std::string address;  // https://HOST/PATH
  std::string format;   // a GraphFormat's name
  std::string member;   // of an archive, as a glob on the last part of its path; empty: no archive
};

// All of them, the official one first: the catalogue's, or by the distributor's rule for names that
// the catalogue does not have. Empty where no address is known.
std::vector<OfferedFile> offered_files(const NamedKind& kind, std::string_view path);

}  // namespace bfslab
