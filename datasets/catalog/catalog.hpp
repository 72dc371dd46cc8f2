// SPDX-License-Identifier: Apache-2.0
// The catalogue: every data set that the papers name, and those that bfslab is tested with, as data
// (datasets/catalog.json, compiled into the program).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bfslab {

struct CatalogEntry {
  std::string name;   // as users type it: "soc-Epinions1"
  std::string title;  // one line for people
  // The canonical spelling of what the bare name stands for, without build options:
  // "snap:soc-Epinions1", "konect:opsahl-powergrid", "suitesparse:DIMACS10/delaunay_n13".
  std::string graph;
  std::string format;                  // a GraphFormat's name; empty for a generator
  std::vector<std::string> addresses;  // official first, then alternatives; may be empty
  std::string see;     // the page where a file without an address can be had by hand
  std::string member;  // of an archive: "out.*"; empty where the file is no archive
  bool directed = false;
  std::uint64_t vertices = 0;  // as published; 0: not published
  std::uint64_t edges = 0;     // as published
  std::string
      edges_are;       // the kind of edges that the published number counts: one of edge_counts()
  std::string sha256;  // of the plain, decompressed text; empty while unknown
  std::string packed_sha256;         // of the packed file at the first address; empty while unknown
  std::string terms;                 // of use, or who to cite
  std::vector<std::string> used_by;  // "xbfs Table 1", "bfslab tests"
  std::string edition;               // what distinguishes it from others of the same source
  std::string stand_in;              // graph name of its generated stand-in; empty: has none
  std::string note;
};

struct CatalogGroup {
  std::string name;  // "xbfs-table1"
  std::string doc;
  std::vector<std::string> members;  // entries' names, in the paper's order
};

struct Catalog {
  std::vector<CatalogEntry> entries;
  std::vector<CatalogGroup> groups;

  // nullptr if there is none of that name.
  [[nodiscard]] const CatalogEntry* find(std::string_view name) const;
  // By what a bare name stands for: "snap:soc-Epinions1".
  [[nodiscard]] const CatalogEntry* find_graph(std::string_view kind_and_path) const;
  [[nodiscard]] const CatalogGroup* find_group(std::string_view name) const;
};

// The built-in catalogue.
const Catalog& catalog();

// "edge lines": as the file lists them; "undirected edges": each once, though the file may list it
// both ways; "doubled edges": each both ways, though the file lists it once; "simple edges": each
// once, without self-loops, however the file lists it.
const std::vector<std::string>& edge_counts();

// The ending of a bare name that stands for an entry's stand-in: "com-lj-standin".
inline constexpr std::string_view kStandInEnding = "-standin";

// Reads the text of a catalogue and validates its form; `file` is only named in messages. Throws
// InputError with every mistake, one per line. Whether its graph names are valid is checked by
// check_catalog (datasets/name/check_catalog.hpp).
Catalog parse_catalog(std::string_view text, const std::string& file);

}  // namespace bfslab
