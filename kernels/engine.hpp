// SPDX-License-Identifier: Apache-2.0
// The contract between BFS engines and everything above them.
//
// An engine never prints, never reads files, never parses JSON, never exits. It declares itself as
// data (EngineInfo) and registers from its own file:
//
//   namespace { const RegisterEngine registration{{.name = "top-down", ...}}; }
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/graph/csr_graph.hpp"
#include "kernels/answer.hpp"
#include "kernels/level_sink.hpp"
#include "kernels/toggle.hpp"

namespace bfslab {

struct CheckResult;
struct LoadOptions;  // datasets/load_graph.hpp
namespace distributed {
class Processes;
}

struct MemoryUse {          // bytes held by the engine, the caller's host CSR not counted
  std::uint64_t graph = 0;  // copies or auxiliary forms of the graph
  std::uint64_t status = 0;
  std::uint64_t queues = 0;
  std::uint64_t scratch = 0;
  // The part of these bytes that depends on the device's number of blocks and not on the graph.
  // Estimates do not include it.
  std::uint64_t sized_by_device = 0;
  [[nodiscard]] std::uint64_t total() const { return graph + status + queues + scratch; }
};

// A CSR in host memory, or its recipe (for engines that make their own parts, and may get no CSR).
struct GraphSource {
  const CsrGraph* csr = nullptr;      // outlives the engine
  std::string recipe;                 // canonical graph name: GraphName::parse takes it
  const LoadOptions* load = nullptr;  // how a recipe that names a file is loaded
};

class Engine {
 public:
  virtual ~Engine() = default;
  // Uploads or adopts the graph, preprocesses, allocates. Timed as set-up. Called once.
  virtual void load(const GraphSource& source) = 0;
  // Runs the timed region: resets its own state, searches, and returns when the answer is complete.
  // `source` < n. A sink requests per-level facts, which take time; kernels/level_sink.hpp
  // specifies what must be reported.
  virtual void traverse(vertex_t source, LevelSink* sink = nullptr) = 0;
  [[nodiscard]] virtual AnswerView answer() const = 0;
  [[nodiscard]] virtual MemoryUse memory() const = 0;
  // Returns the time of the last traversal, or of the last search_many() as a whole, in ms between
  // two events on the GPU. Empty for engines that record none.
  [[nodiscard]] virtual std::optional<double> gpu_ms() const { return std::nullopt; }
  // Returns the time of the last traversal in ms as the engine reports it, if that is the time to
  // record: an external program reads its graph before it searches. Otherwise empty.
  [[nodiscard]] virtual std::optional<double> own_time_ms() const { return std::nullopt; }
  // Validates the last answer in place; with `rules` false, only counts. An engine needs this if
  // its answer or its graph is spread over several processes, so that none could validate it alone.
  // Collective, with the same result on every rank. Empty for engines without it.
  virtual std::optional<CheckResult> check_in_place(std::uint64_t source, bool rules);
  // --- Several searches in one call: in a row, without returning to the host between them, or
  // together, as a batch that shares its levels (kernels/search_toggles.hpp). Each has an answer of
  // its own, which is judged like that of a single search. A batch counts only if all its answers
  // are right.
  // Returns the maximum number of sources of search_many(); 0 for engines that search one at a
  // time. Known after load().
  [[nodiscard]] virtual std::size_t max_searches() const { return 0; }
  // Searches from `sources`, 1 to max_searches() of them, of which some may be the same. Returns
  // when all answers are complete. In a row: returns the milliseconds of each search by the
  // device's clock, its reset included, in the order of the sources. Together: returns none, since
  // only the call has a time: the caller's clock gives it, and gpu_ms() that of the device.
  virtual std::vector<double> search_many(std::span<const vertex_t> sources);
  // Returns the answer of search `search` of the last search_many(), valid until the next search.
  [[nodiscard]] virtual AnswerView answer_of(std::size_t search) const;
  // Validates that answer, as check_in_place() does the last one.
  virtual std::optional<CheckResult> check_in_place_of(std::size_t search, std::uint64_t source,
                                                       bool rules);
};

struct EngineSettings {
  Toggles toggles;  // every toggle of the engine, resolved and legal
  Answer answer = Answer::levels;
  unsigned ranks = 1;  // above 1 only for engines that can be distributed
  unsigned gpus_per_rank = 1;
  // The processes of a distributed engine with several ranks, which outlive it; otherwise null.
  distributed::Processes* processes = nullptr;
};

struct Capabilities {
  bool directed = true;          // levels are right on directed graphs
  bool needs_transpose = false;  // needs CsrGraph::incoming() of directed graphs
  bool levels = true;
  bool parents = true;
  bool streamed_frontier = false;
  bool gpu = false;
  bool recipe = false;       // needs no CSR: GraphSource::csr may be null
  bool distributed = false;  // runs as several ranks, each with several GPUs if it runs on GPUs
  bool external = false;     // starts a process per search: own_time_ms(), and unknown memory

  [[nodiscard]] bool answers() const { return levels || parents; }
};

struct GraphFacts {
  std::uint64_t vertices = 0;
  std::uint64_t edges = 0;  // directed entries
  bool symmetric = true;
  unsigned members = 1;      // that share it: ranks x GPUs per rank of a distributed engine
  std::uint64_t levels = 0;  // approximate, per search, if the graph is known to be deep
  std::uint64_t max_degree = std::numeric_limits<std::uint64_t>::max();  // upper bound, if known
};

struct Estimate {
  double bytes = 0;    // beyond the CSR
  double seconds = 0;  // one traversal, rough: for `bfslab check`
};

struct EngineInfo {
  std::string name;            // as users type it: "status-scan"
  std::string paper = {};      // "cs406", ...; empty for our own
  std::string section = {};    // "4.1.3"
  std::string summary;         // one sentence
  bool reimplemented = false;  // another system's method in our code; tables say so
  Capabilities can = {};
  std::vector<Toggle> toggles = {};
  std::vector<ToggleGroup> groups = {};
  std::vector<Preset> presets = {};
  std::function<Estimate(const GraphFacts&, const Toggles&, Answer)> estimate;
  // Exactly one of the two. A counter traverses nothing: once per graph and configuration it counts
  // facts of the graph, whatever the experiment's sources. It throws as Engine::load does.
  std::function<std::unique_ptr<Engine>(const EngineSettings&)> make = {};
  std::function<void(const GraphSource&, const Toggles&, MeasureSink&)> count = {};
  // Returns whether load or traverse may throw Unsupported (kernels/unsupported.hpp) with these
  // toggles, on some graph or device. Empty: never.
  std::function<bool(const Toggles&)> may_refuse = {};
  std::string plugin = {};  // file name of the plugin that has the engine; bfslab sets it

  [[nodiscard]] bool counts() const { return static_cast<bool>(count); }
};

// Returns every engine linked into this program, by name.
std::vector<const EngineInfo*> engines();
// Returns nullptr if there is no engine of that name.
const EngineInfo* find_engine(std::string_view name);

// Registers at program start. A second engine of the same name aborts: it is a build error.
class RegisterEngine {
 public:
  explicit RegisterEngine(EngineInfo info);
};

}  // namespace bfslab
