// SPDX-License-Identifier: Apache-2.0
// Named graphs from their distributors, or from a mirror, into a data folder: what `bfslab graph
// fetch` and `bfslab run` do about a graph whose file is missing.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "datasets/fetch/http.hpp"
#include "datasets/fetch/remote_graph.hpp"
#include "datasets/fetch/retry.hpp"

namespace bfslab {

inline constexpr std::uint64_t kMaxBytes = std::uint64_t{64} << 30;

struct FetchOptions {
  std::string folder;  // the data folder; created if it does not exist
  // Empty: the distributor itself. A folder, or the beginning of an http(s) address, below which
  // files lie at the HOST/PATH of the distributors' own addresses.
  std::string mirror;
  bool offline = false;  // nothing but a mirror that is a folder may be used
  // Limit for one file as it is packed. 0: the limit follows from the graph's published size if
  // that is known, and is kMaxBytes otherwise.
  std::uint64_t max_bytes = 0;
  HttpLimits limits;
  RetryPolicy retry;
  FetchProgress progress;                          // may be empty
  std::function<void(const std::string&)> notice;  // resuming, waiting, trying again; may be empty
  // Called several times a second while anything is waited for; throws to give up. May be empty.
  std::function<void()> poll;
};

struct FetchResult {
  std::string file;     // where the graph is now
  std::string address;  // where it came from; empty if it was already there
  std::uint64_t bytes = 0;
  bool already_there = false;
};

// Puts the first of the graph's files that is available at FOLDER/HOST/PATH of its address, so that
// a data folder can serve as another machine's mirror; a file that the readers would find in FOLDER
// counts as there. Bytes go to a `.part` file beside it, which is locked (two processes never fetch
// one file twice) and continued by the next call after an interruption. It gets its name only once
// it is complete and its text has the catalogue's checksum; with another checksum it is kept as
// FILE.mismatch, which no reader looks for, and with a fault it is removed. Archives stay packed.
// Throws InputError when the file is unavailable: the message then has the official address and the
// place to put the file by hand. Throws std::system_error when the disk is full.
FetchResult fetch_graph(const RemoteGraph& graph, const FetchOptions& options);

// Returns whether anything may be fetched. With --offline only a mirror that is a folder counts.
bool may_fetch(const FetchOptions& options);

// Where the graph is below `folder`; empty if it is not there.
std::string find_fetched(const RemoteGraph& graph, const std::string& folder);

// The place that fetch_graph would put the graph's official file at; empty where no address is
// known.
std::string fetch_target(const RemoteGraph& graph, const std::string& folder);

}  // namespace bfslab
