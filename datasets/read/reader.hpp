// SPDX-License-Identifier: Apache-2.0
// The table of file formats: one file each. A reader turns bytes into an EdgeList or throws
// InputError with FILE:LINE and the reason; it never returns a graph smaller than the file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "datasets/graph/edge_list.hpp"
#include "datasets/read/byte_stream.hpp"
#include "datasets/read/file_head.hpp"

namespace bfslab {

struct GraphFormat {
  std::string name;  // as in format=NAME
  std::string doc;

  // A file of this format is recognised by its name,
  std::vector<std::string> endings;        // ".txt", ".txt.gz", ..., ".txt.tar.gz"
  std::vector<std::string> prefixes = {};  // where the ending says nothing: "out."
  std::vector<std::string> members = {};   // globs for the graph's file in an archive: "*.mtx"
  // or how its first line begins, in any case and with any blanks, after comment lines. No other
  // format's files begin so. Empty: nothing is sure to be there.
  std::vector<std::string> openings = {};
  // Returns whether a line is another spelling of these, which the reader understands or refuses.
  bool (*opens)(std::string_view line) = nullptr;
  std::string comments = {};  // characters before comments, alone or followed by anything
  // or the shape of its lines: what reading the file so would mean. nullptr: without an opening it
  // is not this format, or, where it has no opening, only the name can decide.
  Reading (*reading)(const FileHead& head) = nullptr;

  // How the plain bytes are read; `file` is named in messages. nullptr: from_path is set, for our
  // own form, and for a graph of several files.
  EdgeList (*parse)(ByteStream& bytes, const std::string& file, int threads) = nullptr;
  EdgeList (*from_path)(const std::string& path, int threads) = nullptr;
  std::vector<std::string> (*companions)(const std::string& path) = nullptr;  // files read besides

  // Unpacks and parses. `member` is a glob for the file meant in an archive; empty: `members`. The
  // provenance gives the format, the packing and what was ignored. Throws InputError.
  [[nodiscard]] EdgeList read(const std::string& path, int threads,
                              const std::string& member = {}) const;
};

// Where the ending of a file's name is that of two formats, the first one is meant.
const std::vector<GraphFormat>& graph_formats();

// nullptr if there is none of that name.
const GraphFormat* format_named(std::string_view name);

// Returns the format that the file's name has by its ending or beginning; nullptr if it has none.
const GraphFormat* format_by_name(std::string_view path);

}  // namespace bfslab
