// `bfslab graph fetch`: a named graph from its distributor, or from a mirror, into a data folder.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "datasets/fetch/http.hpp"

namespace bfslab {

struct FetchOptions {
  std::string folder;  // the data folder; made when it is not there
  // Empty: the distributor itself. A folder, or the beginning of an http(s) address, below which
  // files lie as HOST/PATH of the distributors' own addresses.
  std::string mirror;
  FetchProgress progress;                          // may be empty
  std::function<void(const std::string&)> notice;  // resuming, waiting, ...; may be empty
};

struct FetchResult {
  std::string file;  // where the graph lies now
  std::uint64_t bytes = 0;
  bool already_there = false;
};

// Puts the file at FOLDER/HOST/PATH, so that a data folder can serve as another machine's mirror;
// a file that the readers would find first (FOLDER/NAME.txt.gz or FOLDER/NAME.txt) counts as there.
// Bytes go to a `.part` file beside it, which is locked (two processes never fetch one file twice),
// continued by the next call after an interruption, and renamed only once it is a whole gzip file.
// Throws InputError when the name is unknown, or the file cannot be had: the message then has the
// official address and the place to put the file by hand.
FetchResult fetch_graph(std::string_view name, const FetchOptions& options);

}  // namespace bfslab
