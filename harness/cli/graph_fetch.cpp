// SPDX-License-Identifier: Apache-2.0
// bfslab graph fetch NAME...: fetches graphs from their distributors into a data folder.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "datasets/fetch/fetch.hpp"
#include "datasets/graph/types.hpp"
#include "harness/cli/commands.hpp"
#include "harness/cli/fetch_missing.hpp"
#include "harness/cli/folders.hpp"
#include "harness/cli/standard_streams.hpp"

namespace bfslab {

namespace {

struct GraphFetchArguments {
  std::vector<std::string> names;
  std::vector<std::string> data;
  std::string cache;
  FetchArguments fetch;
};

void say(const std::string& text) { write_stderr("graph fetch: " + text + '\n'); }

// Fetches all graphs: an unavailable one does not prevent the others from being fetched.
void fetch_all(const GraphFetchArguments& arguments, int& exit_code) {
  std::vector<RemoteGraph> graphs;
  for (const std::string& name : arguments.names) {
    for (RemoteGraph& graph : find_remotes(name)) graphs.push_back(std::move(graph));
  }
  const std::string folder =
      arguments.data.empty() ? cache_folder(arguments.cache) + "/data" : arguments.data.front();
  const FetchOptions options = fetch_options(arguments.fetch, folder);
  for (const RemoteGraph& graph : graphs) {
    try {
      const FetchResult result = fetch_and_show(graph, options, say);
      say(fmt::format("{} {}, {} bytes", graph.label,
                      result.already_there ? "is already there" : "fetched", result.bytes));
      fmt::print("{}\n", result.file);
      std::fflush(stdout);
    } catch (const InputError& error) {
      say(error.what());
      exit_code = 2;
    }
  }
}

}  // namespace

void add_graph_fetch(CLI::App& graph, int& exit_code) {
  auto* fetch = graph.add_subcommand(
      "fetch", "Fetch named graphs from their distributors, or from a mirror, into a data folder");
  auto arguments = std::make_shared<GraphFetchArguments>();
  fetch
      ->add_option("NAME", arguments->names,
                   "A graph or a group of the catalogue (`bfslab list graphs`), snap:NAME, "
                   "konect:NAME, suitesparse:GROUP/NAME or dimacs9:NAME")
      ->required();
  fetch->add_option("--data", arguments->data, "Where to put it (default: CACHE/data)")
      ->type_name("DIR")
      ->allow_extra_args(false);  // one folder per option: a NAME may follow
  fetch
      ->add_option("--cache", arguments->cache,
                   "Cache folder (default: $BFSLAB_CACHE, else ~/.cache/bfslab)")
      ->type_name("DIR");
  add_fetch_options(*fetch, arguments->fetch, /*tuning=*/true);
  fetch->footer(
      "The paths of the files are printed on standard output, one per line. An interrupted "
      "download is\n"
      "continued by the next call. A fetched file is unpacked once to check that it is complete, "
      "and its\n"
      "text is compared with the catalogue's checksum where one is known.\n\n"
      "Examples:\n"
      "  bfslab graph fetch soc-Epinions1 opsahl-powergrid\n"
      "  bfslab graph fetch dfq-table1 --data data        every graph of a group\n"
      "  bfslab graph fetch suitesparse:DIMACS10/delaunay_n13 --mirror /mnt/mirror\n"
      "  bfslab graph fetch snap:ca-GrQc --timeout 20 --retries 10");
  fetch->callback([arguments, &exit_code] { fetch_all(*arguments, exit_code); });
}

}  // namespace bfslab
