// SPDX-License-Identifier: Apache-2.0
// The binary CSR on disk: a page of header, a page or more of text facts, then the arrays, each
// starting on a new page so that they can be used as mapped. Little-endian, as the header records.
#pragma once

#include <string>

#include "datasets/graph/csr_graph.hpp"

namespace bfslab {

inline constexpr std::string_view kCsrEnding = ".csr";

// A file that is not one of our CSR files, is damaged, or holds another graph; the message says
// which.
class CsrFileError : public std::runtime_error {
 public:
  explicit CsrFileError(const std::string& message) : std::runtime_error(message) {}
};

struct CsrFile {
  CsrGraph graph;
  std::string source;  // as it was given to write_csr_file
};

// The facts about a graph that precede the arrays in its file.
struct CsrFacts {
  GraphIdentity identity;
  std::string source;  // as it was given to write_csr_file
  std::uint64_t vertices = 0;
  std::uint64_t edges = 0;  // directed entries
  bool symmetric = true;
};

// Reads and verifies the header and the facts, but none of the arrays: as fast for a large graph as
// for a small one. Throws CsrFileError.
CsrFacts read_csr_facts(const std::string& path);

// Maps the file, checks its sizes, and verifies both checksums in parallel. With `huge_pages` the
// arrays are then copied from the page cache's 4 KiB pages into huge ones, where a traversal misses
// the TLB less. Throws CsrFileError.
CsrFile read_csr_file(const std::string& path, bool huge_pages, int threads);

// Writes beside `path`, syncs, and renames, so that `path` never holds a half-written graph and
// concurrent writers do not mix. `source` is what the graph was made from, compared on reading by
// the caller. Throws std::system_error (disk full, no permission) and then leaves no file.
void write_csr_file(const CsrGraph& graph, const std::string& path, const std::string& source,
                    int threads);

}  // namespace bfslab
