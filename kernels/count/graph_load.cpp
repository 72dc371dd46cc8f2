// SPDX-License-Identifier: Apache-2.0
// graph-load: the time that a graph takes from its file, its generator or the cache to a CSR in
// memory, and the memory that this takes.
//
// Every repeat loads the graph again and drops it. The file is read once beforehand, untimed, so
// that all repeats find it in the page cache: the time is that of the reader and the builder, not
// of the disk. Counts are stored; rates (MB of plain text per second, edges per second, peak over
// CSR) are derived in the plots.
//
// Measures, by part: "best", "median" and "repeat=N": load_time (ms); "input": file_bytes,
// text_bytes (plain text, unpacked; files only); "graph": vertices, edges (directed entries),
// input_edges, csr_bytes; "memory": known (1 if the kernel lets the high-water mark be reset),
// start_bytes, peak_bytes (above the start, over all repeats; left out unless known); "run":
// threads.
#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "datasets/cache/cache.hpp"
#include "datasets/generate/generator.hpp"
#include "datasets/load_graph.hpp"
#include "datasets/name/locate.hpp"
#include "datasets/read/reader.hpp"
#include "kernels/count/resident_peak.hpp"
#include "kernels/engine.hpp"

namespace bfslab {

namespace {

void tell(MeasureSink& sink, const std::string& part, const char* metric, double value,
          const char* unit = "1") {
  sink.measure({part, metric, value, unit, {}});
}

// Returns the bytes of the plain text, unpacked. Throws InputError if the file is damaged.
std::uint64_t plain_bytes(const LocatedFile& file, const GraphFormat& format) {
  const std::vector<std::string> member{file.member};
  const auto bytes = open_bytes(file.path, file.member.empty() ? format.members : member);
  std::vector<char> block(std::size_t{1} << 20);
  std::uint64_t sum = 0;
  while (const std::size_t got = bytes->read(block)) sum += got;
  return sum;
}

void tell_input(const GraphName& name, const LoadOptions& options, MeasureSink& sink) {
  if (find_generator(name.kind) != nullptr) return;
  const LocatedFile file = find_file(name, options.data_folders);
  tell(sink, "input", "file_bytes", static_cast<double>(std::filesystem::file_size(file.path)),
       "B");
  const GraphFormat& format = *format_of(file).format;
  if (format.parse == nullptr) return;
  tell(sink, "input", "text_bytes", static_cast<double>(plain_bytes(file, format)), "B");
}

// Puts the graph into the cache, so that only reading it back is timed.
void put_into_cache(const GraphName& name, const LoadOptions& options) {
  if (options.cache_folder.empty()) {
    throw InputError("graph-load: source = cache, but no cache folder is given");
  }
  load_graph(name, options);
  const std::string path = cache_path(options.cache_folder, name.canonical);
  if (!std::filesystem::exists(path)) {
    throw InputError(
        fmt::format("graph-load: {} could not be cached as {}: is there enough space, and "
                    "is the folder writable?",
                    name.canonical, path));
  }
}

void count(const GraphSource& source, const Toggles& toggles, MeasureSink& sink) {
  const GraphName name = GraphName::parse(source.recipe);
  LoadOptions options = source.load != nullptr ? *source.load : LoadOptions{};
  options.threads = static_cast<int>(toggles.integer("threads"));
  options.transpose = false;
  const std::string_view from = toggles.choice("source");
  options.huge_pages = from != "cache_mapped";
  if (from == "file") {
    options.cache_folder.clear();
    tell_input(name, options, sink);
  } else {
    put_into_cache(name, options);
  }

  std::vector<double> times_ms;
  std::uint64_t start = 0;
  std::uint64_t peak = 0;
  bool known = true;
  for (std::int64_t repeat = 0; repeat < toggles.integer("repeats"); ++repeat) {
    const ResidentPeak memory;
    const auto begin = std::chrono::steady_clock::now();
    const CsrGraph graph = load_graph(name, options);
    const std::chrono::duration<double, std::milli> spent =
        std::chrono::steady_clock::now() - begin;
    times_ms.push_back(spent.count());
    known = known && memory.known();
    start = std::max(start, memory.start());
    peak = std::max(peak, memory.risen());
    tell(sink, fmt::format("repeat={}", repeat), "load_time", spent.count(), "ms");
    if (repeat > 0) continue;
    tell(sink, "graph", "vertices", static_cast<double>(graph.vertex_count()));
    tell(sink, "graph", "edges", static_cast<double>(graph.edge_count()));
    tell(sink, "graph", "input_edges", static_cast<double>(graph.input_edge_count()));
    tell(sink, "graph", "csr_bytes", static_cast<double>(graph.bytes()), "B");
  }
  std::sort(times_ms.begin(), times_ms.end());
  const std::size_t middle = times_ms.size() / 2;
  const double median =
      times_ms.size() % 2 == 1 ? times_ms[middle] : (times_ms[middle - 1] + times_ms[middle]) / 2;
  tell(sink, "best", "load_time", times_ms.front(), "ms");
  tell(sink, "median", "load_time", median, "ms");
  tell(sink, "memory", "known", known ? 1 : 0);
  tell(sink, "memory", "start_bytes", static_cast<double>(start), "B");
  if (known) tell(sink, "memory", "peak_bytes", static_cast<double>(peak), "B");
  const int threads = options.threads > 0 ? options.threads : omp_get_max_threads();
  tell(sink, "run", "threads", threads);
}

const RegisterEngine registration{
    {.name = "graph-load",
     .paper = "",
     .section = "",
     .summary = "Loads the graph again: time, input bytes, CSR bytes and peak memory.",
     .can = {.recipe = true},
     .toggles = {Toggle::choice("source", "file", {"file", "cache", "cache_mapped"},
                                "From its own file or generator; from the cache, as runs do; from "
                                "the cache, used as mapped"),
                 Toggle::integer("repeats", 3, 1, 1000, "Loads, each from scratch"),
                 Toggle::integer("threads", 0, 0, 1024, "0: as many as OpenMP provides")},
     // Memory of up to three CSRs, about 20 ns per entry: rough, for bfslab check.
     .estimate = [](const GraphFacts& graph, const Toggles& toggles, Answer) -> Estimate {
       const auto n = static_cast<double>(graph.vertices);
       const auto m = static_cast<double>(graph.edges);
       return {3 * ((n + 1) * sizeof(edge_t) + m * sizeof(vertex_t)),
               1e-3 + 2e-8 * m * static_cast<double>(toggles.integer("repeats"))};
     },
     .count = count}};

}  // namespace

}  // namespace bfslab
