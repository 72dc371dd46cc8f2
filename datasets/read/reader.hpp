// The table of file formats: one file each. A reader turns bytes into an EdgeList or throws
// InputError with FILE:LINE and the reason; it never returns a graph smaller than the file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "datasets/graph/edge_list.hpp"
#include "datasets/read/byte_stream.hpp"

namespace bfslab {

struct GraphFormat {
  std::string name;                  // as in format=NAME
  std::vector<std::string> endings;  // of files: ".txt", ".txt.gz", ..., ".txt.tar.gz"
  // Of file names, where the ending says nothing: "out.", "download.tsv.".
  std::vector<std::string> prefixes;
  std::vector<std::string> members;  // globs for the graph's file in an archive: "*.mtx"
  std::string doc;
  // How the plain bytes are read; `file` is named in messages. nullptr: from_path is set.
  EdgeList (*parse)(ByteStream& bytes, const std::string& file, int threads) = nullptr;
  EdgeList (*from_path)(const std::string& path, int threads) = nullptr;  // our own form

  // Unpacks and parses. `member` is a glob for the file meant in an archive; empty: `members`. The
  // provenance gives the format, the packing and what was ignored. Throws InputError.
  [[nodiscard]] EdgeList read(const std::string& path, int threads,
                              const std::string& member = {}) const;
};

const std::vector<GraphFormat>& graph_formats();

// The format of that name or, for "auto", the one that the file's name tells by how it ends or
// begins. Throws InputError where it does not tell.
const GraphFormat& find_format(const std::string& path, std::string_view format);

}  // namespace bfslab
