// bfslab graph fetch NAME...: named graphs from their distributors into a data folder.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <memory>

#include "datasets/fetch/fetch.hpp"
#include "harness/cli/commands.hpp"
#include "harness/cli/folders.hpp"

namespace bfslab {

namespace {

// One line on a terminal, redrawn ten times a second at most; nothing elsewhere.
class TerminalProgress {
 public:
  explicit TerminalProgress(std::string name) : name_(std::move(name)) {}
  ~TerminalProgress() { clear(); }
  TerminalProgress(const TerminalProgress&) = delete;
  TerminalProgress& operator=(const TerminalProgress&) = delete;

  void show(std::uint64_t done, std::uint64_t total) {
    const auto now = std::chrono::steady_clock::now();
    if (!terminal_ || (drawn_ && now - last_ < std::chrono::milliseconds(100))) return;
    last_ = now;
    drawn_ = true;
    constexpr double kMegabyte = 1e6;
    const double megabytes = static_cast<double>(done) / kMegabyte;
    if (total > 0) {
      fmt::print(stderr, "\r\033[K{}: {:.1f} of {:.1f} MB ({:.0f} %)", name_, megabytes,
                 static_cast<double>(total) / kMegabyte,
                 100.0 * static_cast<double>(done) / static_cast<double>(total));
    } else {
      fmt::print(stderr, "\r\033[K{}: {:.1f} MB", name_, megabytes);
    }
    std::fflush(stderr);
  }
  void clear() {
    if (drawn_) fmt::print(stderr, "\r\033[K");
    drawn_ = false;
  }

 private:
  std::string name_;
  bool terminal_ = ::isatty(STDERR_FILENO) != 0;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point last_;
};

struct Arguments {
  std::vector<std::string> names;
  std::vector<std::string> data;
  std::string cache;
  std::string mirror;
};

void fetch_all(const Arguments& arguments) {
  const std::string folder =
      arguments.data.empty() ? cache_folder(arguments.cache) + "/data" : arguments.data.front();
  for (const std::string& name : arguments.names) {
    TerminalProgress progress(name);
    FetchOptions options;
    options.folder = folder;
    options.mirror = arguments.mirror;
    options.progress = [&](std::uint64_t done, std::uint64_t total) { progress.show(done, total); };
    options.notice = [&](const std::string& text) {
      progress.clear();
      fmt::print(stderr, "graph fetch: {}\n", text);
    };
    const FetchResult result = fetch_graph(name, options);
    progress.clear();
    fmt::print(stderr, "graph fetch: {} {}, {} bytes\n", name,
               result.already_there ? "is already there" : "fetched", result.bytes);
    fmt::print("{}\n", result.file);
  }
}

}  // namespace

void add_graph_fetch(CLI::App& graph, int& /*exit_code*/) {
  auto* fetch = graph.add_subcommand(
      "fetch", "Fetch named graphs from their distributor, or from a mirror, into a data folder");
  auto arguments = std::make_shared<Arguments>();
  fetch->add_option("NAME", arguments->names, "snap:NAME, or NAME: a file of SNAP's")->required();
  fetch->add_option("--data", arguments->data, "Where to put it (default: CACHE/data)")
      ->type_name("DIR")
      ->allow_extra_args(false);  // one folder an option: a NAME may follow
  fetch
      ->add_option("--cache", arguments->cache,
                   "Cache folder (default: $BFSLAB_CACHE, else ~/.cache/bfslab)")
      ->type_name("DIR");
  fetch
      ->add_option("--mirror", arguments->mirror,
                   "A folder or an http(s) address with files laid out as HOST/PATH of the "
                   "distributors' own addresses")
      ->type_name("DIR|URL");
  fetch->footer(
      "The paths of the files go to standard output, one a line. An interrupted download is\n"
      "continued by the next call.\n\n"
      "Examples:\n"
      "  bfslab graph fetch snap:ca-GrQc\n"
      "  bfslab graph fetch wiki-Vote soc-Epinions1 --data data\n"
      "  bfslab graph fetch ca-GrQc --mirror /mnt/mirror");
  fetch->callback([arguments] { fetch_all(*arguments); });
}

}  // namespace bfslab
