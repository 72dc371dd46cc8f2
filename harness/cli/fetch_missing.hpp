// SPDX-License-Identifier: Apache-2.0
// Downloads in commands: their options, their progress, and graphs that are fetched because a
// command needs them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "datasets/fetch/fetch.hpp"
#include "datasets/name/graph_name.hpp"

namespace CLI {
class App;
}

namespace bfslab {

struct FetchArguments {
  std::string mirror;  // empty: BFSLAB_MIRROR
  bool offline = false;
  FetchOptions tuning;  // limits and retries
};

// Adds --mirror and --offline, and with `tuning` also --max-size, --retries, --backoff, --timeout
// and --connect-timeout. `arguments` must live until the command has been parsed.
void add_fetch_options(CLI::App& command, FetchArguments& arguments, bool tuning);

// Joins the arguments with BFSLAB_MIRROR and BFSLAB_OFFLINE, for downloads into `folder`. Throws
// InputError for a BFSLAB_OFFLINE that is neither 0 nor 1.
FetchOptions fetch_options(const FetchArguments& arguments, const std::string& folder);

// Calls fetch_graph() and shows its progress on a terminal, unless `quiet`. `notice` gets every
// notice as it arrives.
FetchResult fetch_and_show(const RemoteGraph& graph, FetchOptions options,
                           const std::function<void(const std::string&)>& notice,
                           bool quiet = false);

// Describes in a line what fetching the graph would do, with its size if that is known; empty if it
// cannot be fetched: no address, or the network is forbidden. Does not use the network.
std::string fetch_plan(const std::string& label, const GraphName& name,
                       const FetchOptions& options);

// Fetches the graph's file into the last of the folders, unless one of them has it or the name is
// not that of a file. `command` begins the lines on standard error. Throws what fetch_graph()
// throws.
void fetch_if_missing(const std::string& label, const GraphName& name,
                      const std::vector<std::string>& folders, const FetchArguments& arguments,
                      const std::string& command);

}  // namespace bfslab
