// SPDX-License-Identifier: Apache-2.0
// `faulty`: an engine that misbehaves on purpose, for the driver's tests. It is linked into
// bfslab-faulty only, and is a plain queue BFS where its toggle `fault` is "none". `faulty-gpu`
// claims to run on a GPU and to answer in its memory. `faulty-counter` and `faulty-recipe` are
// counters of the same kind; the latter needs no graph.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "datasets/name/graph_name.hpp"
#include "harness/check/check.hpp"
#include "harness/check/host_answer.hpp"
#include "kernels/device_check.hpp"
#include "kernels/device_errors.hpp"
#include "kernels/device_services.hpp"
#include "kernels/engine.hpp"
#include "kernels/search_toggles.hpp"
#include "kernels/unsupported.hpp"

namespace bfslab {

namespace {

class Faulty : public Engine {
 public:
  explicit Faulty(const EngineSettings& settings)
      : answer_(settings.answer),
        fault_(settings.toggles.choice("fault")),
        where_(settings.toggles.choice("where")),
        call_(settings.toggles.integer("call")),
        mib_(settings.toggles.integer("mib")),
        sleep_ms_(settings.toggles.integer("sleep_ms")),
        searches_(static_cast<std::size_t>(settings.toggles.integer("searches"))),
        batch_(batch_of(settings.toggles)),
        depth_limit_(depth_limit_of(settings.toggles)) {}

  ~Faulty() override {
    if (where_ == "end") misbehave();
  }

  void load(const GraphSource& source) override {
    graph_ = source.csr;
    levels_.resize(graph_->vertex_count());
    parents_.resize(graph_->vertex_count());
    queue_.reserve(graph_->vertex_count());
    if (where_ == "load") misbehave();
  }

  void traverse(vertex_t source, LevelSink* sink) override {
    if (sleep_ms_ > 0) std::this_thread::sleep_for(std::chrono::milliseconds(sleep_ms_));
    bfs(source, sink);
    if (where_ == "traverse" && calls_++ == call_) misbehave();
  }

  [[nodiscard]] AnswerView answer() const override {
    return answer_on_host(answer_, graph_->vertex_count(), levels_.data(), parents_.data());
  }

  // In a row, its clock counts searches: one and a half of them, then two and a half, ...
  [[nodiscard]] std::size_t max_searches() const override {
    return batch_ > 1 ? batch_ : searches_;
  }
  std::vector<double> search_many(std::span<const vertex_t> sources) override {
    kept_.clear();
    std::vector<double> ms;
    for (const vertex_t source : sources) {
      traverse(source, nullptr);
      kept_.emplace_back(levels_, parents_);
      ms.push_back(static_cast<double>(++searched_) + 0.5);
    }
    if (batch_ > 1) ms.clear();  // together
    return ms;
  }
  [[nodiscard]] AnswerView answer_of(std::size_t search) const override {
    const auto& [levels, parents] = kept_.at(search);
    return answer_on_host(answer_, graph_->vertex_count(), levels.data(), parents.data());
  }

  [[nodiscard]] MemoryUse memory() const override {
    return {0, (levels_.size() + parents_.size()) * 4, queue_.capacity() * 4, 0};
  }

 private:
  void bfs(vertex_t source, LevelSink* sink) {
    std::ranges::fill(levels_, kUnreached);
    std::ranges::fill(parents_, kNoVertex);
    queue_.assign(1, source);
    levels_[source] = 0;
    parents_[source] = source;
    std::size_t begin = 0;
    for (level_t level = 0; begin < queue_.size() && level < depth_limit_; ++level) {
      const std::size_t end = queue_.size();
      if (sink != nullptr) sink->begin({level, Direction::top_down, "queue", end - begin});
      std::uint64_t edges = 0;
      LevelFacts facts;
      facts.unvisited_vertices = graph_->vertex_count() - end;
      for (; begin < end; ++begin) {
        const vertex_t v = queue_[begin];
        edges += graph_->degree(v);
        for (const vertex_t u : graph_->neighbors(v)) {
          if (levels_[u] != kUnreached) continue;
          levels_[u] = level + 1;
          parents_[u] = v;
          queue_.push_back(u);
        }
      }
      facts.frontier_edges = facts.edges_checked = edges;
      facts.found_vertices = queue_.size() - end;
      if (sink != nullptr) sink->end(facts);
      if (sink != nullptr && sink->counts()) {
        sink->measure({"queue", "length", static_cast<double>(queue_.size()), "1", level});
      }
    }
  }

  void misbehave() {
    if (fault_ == "crash") {
      std::fputs("faulty: about to crash\n", stderr);
      std::signal(SIGSEGV, SIG_DFL);  // a sanitizer would turn it into an exit
      std::raise(SIGSEGV);
    }
    if (fault_ == "abort") std::abort();
    if (fault_ == "exit") std::_Exit(7);
    if (fault_ == "kill") std::raise(SIGKILL);
    if (fault_ == "throw") throw std::runtime_error("faulty: thrown on purpose");
    if (fault_ == "bad_alloc") throw std::bad_alloc();
    if (fault_ == "device_memory") throw OutOfDeviceMemory(std::uint64_t{1} << 40, 5, 10);
    if (fault_ == "device") throw DeviceError("faulty: no such kernel");
    if (fault_ == "refuse") throw Unsupported("faulty: refuses this graph on purpose");
    if (fault_ == "hang") hang();
    if (fault_ == "alarm") end_by_its_alarm();
    if (fault_ == "sigterm") std::raise(SIGTERM);
    if (fault_ == "once") end_once();
    if (fault_ == "half" && queue_.size() > 1) levels_[queue_.back()] = kUnreached;
    if (fault_ == "scribble")
      const_cast<vertex_t&>(graph_->columns()[graph_->columns().size() / 2]) ^= 1;
    if (fault_ == "flip") flip_an_edge();
    if (fault_ == "stopped") stop_for_a_while();
    if (fault_ == "hungry") eat();
    if (fault_ == "spike") eat_and_forget();
    if (fault_ == "no_context") throw OutOfDeviceMemory(0, 0, 0);
    if (fault_ == "chatter") std::puts("faulty: an engine must not print");
    if (fault_ == "orphan") leave_an_orphan();
    if (fault_ == "wrong_levels" && queue_.size() > 1) ++levels_[queue_.back()];
    if (fault_ == "too_deep") search_past_the_limit();
    if (fault_ == "wrong_parents" && queue_.size() > 1) parents_[queue_.back()] = queue_.back();
  }

  void search_past_the_limit() {
    for (const vertex_t v : queue_) {
      for (const vertex_t u : graph_->neighbors(v)) {
        if (levels_[u] != kUnreached) continue;
        levels_[u] = levels_[v] + 1;
        parents_[u] = v;
      }
    }
  }

  // As a cosmic ray would, past the protection of the graph's arrays.
  void flip_an_edge() {
    auto& columns = const_cast<vertex_t&>(graph_->columns().back());
    const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    const auto begin = reinterpret_cast<std::uintptr_t>(&columns) / page * page;
    // A page of a mapped file is copied first.
    std::vector<char> copy(page);
    void* const there = reinterpret_cast<void*>(begin);
    std::memcpy(copy.data(), there, page);
    const int how = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
    if (::mmap(there, page, PROT_READ | PROT_WRITE, how, -1, 0) == MAP_FAILED) std::abort();
    std::memcpy(there, copy.data(), page);
    columns = columns > 0 ? columns - 1 : 1;
  }

  // By a signal, and continued by another.
  static void stop_for_a_while() {
    const pid_t self = ::getpid();
    const pid_t child = ::fork();
    if (child == 0) {
      ::kill(self, SIGSTOP);
      ::usleep(50'000);
      ::kill(self, SIGCONT);
      std::_Exit(0);
    }
    ::waitpid(child, nullptr, 0);
  }

  // Ends by another process's signal, $FAULTY_SIGNAL.
  static void ended_by_a_child() {
    const char* const number = std::getenv("FAULTY_SIGNAL");
    if (::fork() == 0) {
      ::kill(::getppid(), number == nullptr ? SIGTERM : std::atoi(number));
      std::_Exit(0);
    }
    hang();
  }

  // Ended in that way as long as the folder $FAULTY_MARKS has no file for each of its ends.
  static void end_once() {
    const char* const marks = std::getenv("FAULTY_MARKS");
    const char* const times = std::getenv("FAULTY_TIMES");
    for (int i = 0; i < (times == nullptr ? 1 : std::atoi(times)); ++i) {
      const std::string mark =
          std::string(marks == nullptr ? "." : marks) + "/mark" + std::to_string(i);
      const int file = ::open(mark.c_str(), O_CREAT | O_EXCL | O_WRONLY, 0666);
      if (file < 0) continue;
      ::close(file);
      ended_by_a_child();
    }
  }

  [[noreturn]] static void hang() {
    while (true) ::pause();
  }

  // Grows to `mib` and stays there until it is noticed.
  [[noreturn]] void eat() {
    constexpr std::size_t kMiB = std::size_t{1} << 20;
    std::vector<std::unique_ptr<char[]>> eaten;
    for (std::int64_t i = 0; i < mib_; ++i) {
      eaten.push_back(std::make_unique_for_overwrite<char[]>(kMiB));
      std::memset(eaten.back().get(), 1, kMiB);
    }
    hang();
  }

  // Has `mib` for a moment.
  void eat_and_forget() {
    const std::size_t bytes = static_cast<std::size_t>(mib_) << 20;
    void* const eaten =
        ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (eaten == MAP_FAILED) throw std::bad_alloc();
    std::memset(eaten, 1, bytes);
    ::munmap(eaten, bytes);
  }

  [[noreturn]] static void end_by_its_alarm() {
    const itimerval at_once = {{0, 0}, {0, 1}};
    ::setitimer(ITIMER_REAL, &at_once, nullptr);
    hang();
  }

  // Dies, but leaves a child that holds the worker's descriptors open.
  [[noreturn]] static void leave_an_orphan() {
    if (::fork() == 0) {
      ::alarm(600);  // in case it is not ended
      hang();
    }
    std::_Exit(3);
  }

  Answer answer_;
  std::string fault_;
  std::string where_;
  std::int64_t call_;
  std::int64_t mib_;
  std::int64_t sleep_ms_;
  std::size_t searches_;
  std::size_t batch_;
  level_t depth_limit_;
  std::uint64_t searched_ = 0;
  std::vector<std::pair<std::vector<level_t>, std::vector<vertex_t>>> kept_;
  std::int64_t calls_ = 0;
  const CsrGraph* graph_ = nullptr;
  std::vector<level_t> levels_;
  std::vector<vertex_t> parents_;
  std::vector<vertex_t> queue_;
};

// Memory of a made-up device: every bit is the other way round, so that reading it without copying
// it out gives no answer.
class FaultyGpu : public Faulty {
 public:
  explicit FaultyGpu(const EngineSettings& settings) : Faulty(settings) {
    gpu::copy_to_host.supply(copy_to_host);
    gpu::profiler_start.supply([] { note("profiler start"); });
    gpu::profiler_stop.supply([] { note("profiler stop"); });
    // A process that gets no context has no device.
    if (settings.toggles.choice("fault") == "no_context") {
      gpu::pci_bus_ids.supply([](unsigned) { return std::vector<std::string>(); });
    } else {
      gpu::pci_bus_ids.supply([](unsigned members) -> std::vector<std::string> {
        if (members == 1) return {kBus};
        return {kQuietBus, kBus};
      });
    }
    if (settings.toggles.integer("probe_us") > 0) {
      quiet_ms = static_cast<double>(settings.toggles.integer("probe_us")) / 1000;
      gpu::probe_ms.supply(probe);
    } else {
      gpu::probe_ms.supply([](const std::string&) { return 0.0; });  // never a real device's
    }
    gpu::overwrite_l2.supply([](unsigned) {
      if (std::getenv("FAULTY_NO_CACHE") != nullptr) throw OutOfDeviceMemory(100, 5, 10);
      note("overwrote the L2 cache");
      return std::size_t{0};
    });
    const std::string& room = settings.toggles.choice("room");
    make_device_checker.supply(room == "none"        ? make_checker<Room::none>
                               : room == "for_graph" ? make_checker<Room::for_graph>
                                                     : make_checker<Room::for_check>);
  }

  void traverse(vertex_t source, LevelSink* sink) override {
    Faulty::traverse(source, sink);
    const WholeAnswer answer = as_whole(Faulty::answer()).value();
    levels_there_ = turned(answer.levels, answer.vertex_count);
    parents_there_ = turned(answer.parents, answer.vertex_count);
  }

  [[nodiscard]] AnswerView answer() const override {
    const WholeAnswer answer = as_whole(Faulty::answer()).value();
    return in_one_part({MemorySpace::device, answer.vertex_count,
                        answer.levels != nullptr ? levels_there_.data() : nullptr,
                        answer.parents != nullptr ? parents_there_.data() : nullptr});
  }

  [[nodiscard]] std::optional<double> gpu_ms() const override { return 0.125; }

 private:
  // Takes a fixed time, and 20 times as long if another program uses the made-up device: in the
  // second trial, if $FAULTY_SHARED is set.
  static double probe(const std::string& bus) {
    if (bus != kBus) return quiet_ms;
    const char* const calls = std::getenv("FAULTY_SHARED");
    return quiet_ms * (calls != nullptr && ++probes > std::atoi(calls) ? 20 : 1);
  }
  // As fake_nvml.cpp knows them: what $FAKE_NVML_STATE says is of the former.
  static constexpr const char* kBus = "0000:3b:00.0";
  static constexpr const char* kQuietBus = "0000:86:00.0";
  inline static double quiet_ms = 0;
  inline static int probes = 0;

  static std::vector<std::uint32_t> turned(const std::uint32_t* values, std::size_t count) {
    if (values == nullptr) return {};
    std::vector<std::uint32_t> out(values, values + count);
    for (std::uint32_t& value : out) value = ~value;
    return out;
  }
  static void copy_to_host(void* to, const void* from, std::size_t bytes) {
    std::memcpy(to, from, bytes);
    auto* const words = static_cast<std::uint32_t*>(to);
    for (std::size_t i = 0; i < bytes / 4; ++i) words[i] = ~words[i];
  }

  // The host's check, with as much of the made-up device's memory as there is.
  enum class Room { none, for_graph, for_check };
  class Checker final : public AnswerChecker {
   public:
    Checker(const CsrGraph& graph, Room room) : graph_(graph), room_(room) {}
    CheckResult check(vertex_t source, const WholeAnswer& answer) override {
      if (room_ != Room::for_check) throw OutOfDeviceMemory(100, 5, 10);
      note("checked on the device");
      return check_answer(graph_, source, host_answer_.take(in_one_part(answer)));
    }
    CheckResult summarize(vertex_t source, const WholeAnswer& answer) override {
      return summarize_answer(graph_, source, host_answer_.take(in_one_part(answer)));
    }
    [[nodiscard]] std::uint64_t bytes() const override { return 0; }

   private:
    const CsrGraph& graph_;
    Room room_;
    HostAnswer host_answer_;
  };
  template <Room room>
  static std::unique_ptr<AnswerChecker> make_checker(const CsrGraph& graph) {
    if (room == Room::none) throw OutOfDeviceMemory(200, 5, 10);
    return std::make_unique<Checker>(graph, room);
  }
  // Into the worker's log.
  static void note(const char* text) { std::fprintf(stderr, "faulty-gpu: %s\n", text); }

  std::vector<std::uint32_t> levels_there_;
  std::vector<std::uint32_t> parents_there_;
};

std::vector<Toggle> engine_toggles() {
  return {Toggle::choice("fault", "none", {"none",    "crash",   "abort",        "exit",
                                           "kill",    "throw",   "bad_alloc",    "device_memory",
                                           "device",  "refuse",  "hang",         "hungry",
                                           "chatter", "orphan",  "wrong_levels", "wrong_parents",
                                           "sigterm", "once",    "half",         "scribble",
                                           "flip",    "stopped", "spike",        "no_context",
                                           "alarm",   "too_deep"},
                         "What it does wrong"),
          Toggle::choice("where", "traverse", {"traverse", "load", "end"},
                         "In which call; end: when the engine is destroyed"),
          Toggle::integer("call", 0, 0, 1'000'000, "In which traversal, warm-ups counted"),
          Toggle::integer("mib", 1024, 1, 8192, "What `hungry` grows to"),
          Toggle::choice("room", "for_check", {"none", "for_graph", "for_check"},
                         "What the device's check finds of device memory"),
          Toggle::integer("sleep_ms", 0, 0, 60'000, "Sleep in every traversal"),
          Toggle::integer("searches", 0, 0, 64, "Searches in a row, if any"),
          batch_toggle(),
          depth_limit_toggle(),
          Toggle::integer("probe_us", 0, 0, 100'000, "What a probe of the made-up device takes"),
          Toggle::integer("twin", 0, 0, 1000, "Nothing: tells configurations apart")};
}

Estimate engine_estimate(const GraphFacts& graph, const Toggles& /*toggles*/, Answer /*answer*/) {
  return {12.0 * static_cast<double>(graph.vertices), 1e-8 * static_cast<double>(graph.edges)};
}

const RegisterEngine registration{
    {.name = "faulty",
     .paper = "",
     .section = "",
     .summary = "Misbehaves on purpose: for the tests of the driver.",
     .can = {},
     .toggles = engine_toggles(),
     .estimate = engine_estimate,
     .make = [](const EngineSettings& settings) -> std::unique_ptr<Engine> {
       return std::make_unique<Faulty>(settings);
     }}};

EngineInfo info_on_gpu(const char* name, bool distributed, const char* summary) {
  return {.name = name,
          .paper = "",
          .section = "",
          .summary = summary,
          .can = {.gpu = true, .distributed = distributed},
          .toggles = engine_toggles(),
          .estimate = engine_estimate,
          .make = [](const EngineSettings& settings) -> std::unique_ptr<Engine> {
            return std::make_unique<FaultyGpu>(settings);
          }};
}

const RegisterEngine on_gpu{info_on_gpu(
    "faulty-gpu", false, "Claims to be a GPU's, and misbehaves: for the tests of the driver.")};
const RegisterEngine on_gpus{info_on_gpu(
    "faulty-gpus", true, "The same with several GPUs of a rank: for the tests of the driver.")};

// Counts what every graph has, after it has misbehaved as `fault` says.
void count(const GraphSource& source, const Toggles& toggles, MeasureSink& sink) {
  const std::string_view fault = toggles.choice("fault");
  sink.measure({"before", "calls", 1, "1", {}});
  if (fault == "crash") {
    std::fputs("faulty: a counter about to crash\n", stderr);
    std::signal(SIGSEGV, SIG_DFL);
    std::raise(SIGSEGV);
  }
  if (fault == "throw") throw std::runtime_error("faulty: thrown on purpose");
  if (fault == "bad_alloc") throw std::bad_alloc();
  if (fault == "refuse") throw InputError("faulty: refuses this graph on purpose");
  if (fault == "nan") sink.measure({"nan", "value", std::nan(""), "1", {}});
  while (fault == "hang") ::pause();
  std::this_thread::sleep_for(std::chrono::milliseconds(toggles.integer("sleep_ms")));
  const GraphName name = GraphName::parse(source.recipe);
  sink.measure({"recipe", "vertices", static_cast<double>(predict_size(name).vertices), "1", {}});
  sink.measure({"options", "given", source.load != nullptr ? 1.0 : 0.0, "1", {}});
  if (source.csr != nullptr) {
    sink.measure({"csr", "edges", static_cast<double>(source.csr->edge_count()), "1", {}});
  }
  for (level_t level = 0; level < 3; ++level) {
    sink.measure({"levels", "squared", static_cast<double>(level) * level, "1", level});
  }
}

std::vector<Toggle> counter_toggles() {
  return {Toggle::choice("fault", "none",
                         {"none", "crash", "throw", "bad_alloc", "refuse", "nan", "hang"},
                         "What it does wrong"),
          Toggle::integer("sleep_ms", 0, 0, 60'000, "Sleep before it counts"),
          Toggle::integer("twin", 0, 0, 1000, "Nothing: tells configurations apart")};
}

Estimate counter_estimate(const GraphFacts& graph, const Toggles& /*toggles*/, Answer /*answer*/) {
  return {1.0 * static_cast<double>(graph.vertices), 1e-9 * static_cast<double>(graph.edges)};
}

const RegisterEngine counter{{.name = "faulty-counter",
                              .paper = "",
                              .section = "",
                              .summary = "Counts, or misbehaves: for the tests of the driver.",
                              .can = {.directed = false},
                              .toggles = counter_toggles(),
                              .estimate = counter_estimate,
                              .count = count}};

const RegisterEngine recipe{{.name = "faulty-recipe",
                             .paper = "",
                             .section = "",
                             .summary = "Counts without a graph: for the tests of the driver.",
                             .can = {.recipe = true},
                             .toggles = counter_toggles(),
                             .estimate = counter_estimate,
                             .count = count}};

}  // namespace

}  // namespace bfslab
