// SPDX-License-Identifier: Apache-2.0
#include "harness/run/worker.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <omp.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <new>
#include <optional>
#include <set>
#include <stdexcept>

#include "datasets/build/build.hpp"
#include "datasets/load_graph.hpp"
#include "harness/record/build_info.hpp"
#include "harness/run/engine_bench.hpp"
#include "harness/run/line_pipe.hpp"
#include "harness/run/ranks.hpp"
#include "harness/run/read_only.hpp"
#include "harness/run/sources.hpp"
#include "harness/run/worker_process.hpp"
#include "harness/spec/read.hpp"
#include "harness/spec/runnable.hpp"
#include "harness/spec/work.hpp"
#include "kernels/device_build.hpp"
#include "kernels/device_services.hpp"
#include "kernels/nvtx.hpp"

namespace bfslab {

namespace {

using distributed::Processes;
using Tell = std::function<void(const Reply&)>;

bool uses_gpu(const Spec& spec) {
  return std::ranges::any_of(spec.configurations,
                             [](const Configuration& each) { return each.engine->can.gpu; });
}

// Why none of the configurations can run here, whatever the graph, so that it need not be built;
// empty where one can.
std::string none_can_run(const Spec& spec) {
  std::string reason;
  for (const Configuration& each : spec.configurations) {
    reason = cannot_make(each, spec.answer);
    if (reason.empty()) return {};
  }
  return reason;
}

LoadOptions load_options(const Spec& spec, const OpenRequest& request, const Tell& tell) {
  LoadOptions options;
  options.data_folders = request.data_folders;
  options.cache_folder = request.cache_folder;
  options.transpose = std::ranges::any_of(spec.configurations, [](const Configuration& each) {
    return each.engine->can.needs_transpose;
  });
  options.notice = [&](const std::string& text) { tell(Notice{text}); };
  // A GPU that will traverse the graph can build it, too.
  if (uses_gpu(spec)) {
    options.build_elsewhere = [&](const EdgeSource& source, const BuildOptions& build) {
      const auto begin = std::chrono::steady_clock::now();
      DeviceBuild done = build_on_device(source, build);
      const std::chrono::duration<double, std::milli> spent =
          std::chrono::steady_clock::now() - begin;
      if (done.built) {
        tell(Notice{fmt::format("built on the GPU in {:.0f} ms", spent.count())});
      } else if (!done.why_not.empty()) {
        tell(Notice{"built on the CPU, not on the GPU: " + done.why_not});
      }
      return std::move(done.built);
    };
  }
  return options;
}

std::string text_of(const Provenance& provenance) {
  std::vector<std::string> entries;
  for (const auto& [key, value] : provenance) entries.push_back(fmt::format("{}={}", key, value));
  return fmt::format("{}", fmt::join(entries, ";"));
}

// What is known of a graph that nobody asked to build. The hash changes when the generator or the
// file does, so that a later run does not add to rows of another graph.
GraphFactsReply describe_recipe(const GraphName& name, const LoadOptions& options) {
  const std::string stamp = graph_stamp(name, options);
  GraphFactsReply facts;
  facts.graph_hash = "recipe-" + short_hash(name.canonical + '\n' + stamp);
  const GraphSize size = predict_size(name);
  if (size.vertices > 0) facts.vertices = size.vertices;
  if (size.edges > 0) facts.edges = size.edges;
  facts.symmetric = name.build.symmetrize;
  facts.made_from = stamp;
  facts.provenance = text_of({{"built", "no, used by its recipe: edges is an upper bound"},
                              {"recipe", name.canonical},
                              {"made_from", stamp}});
  facts.profiled = nvtx::attached();
  return facts;
}

// The same, with the sources of a graph that engines make in parts. Collective.
GraphFactsReply describe_parts(Processes& processes, const Company& company,
                               const GraphSource& source, const Spec& spec,
                               const OpenRequest& request, const Tell& tell) {
  const GraphEntry& entry = spec.graphs.front();
  GraphFactsReply facts = describe_recipe(entry.name, *source.load);
  if (!request.traverses) return facts;
  if (facts.graph_hash == request.drawn_from) {
    facts.sources = request.drawn;  // all tuples are made once, not by each worker
    return facts;
  }
  tell(Notice{fmt::format("{}: drawing its sources", entry.text)});
  const auto processors = static_cast<unsigned>(CPU_COUNT(&company.processors));
  distributed::Word threads = std::max(1U, processors / company.ranks);
  processes.all_reduce({&threads, 1}, distributed::Reduction::minimum);
  const distributed::EligibleVertices eligible(processes, static_cast<unsigned>(threads), source,
                                               eligible_rule(spec.sources));
  facts.vertices = eligible.vertices();
  facts.input_edges = eligible.tuples();
  SourceChoice choice = choose_sources(eligible, spec.sources_of(entry));
  facts.eligible_sources = choice.eligible;
  facts.sources = std::move(choice.sources);
  return facts;
}

GraphFactsReply describe(const CsrGraph& graph, const Spec& spec, bool traverses, double load_ms) {
  GraphFactsReply facts;
  facts.graph_hash = graph.identity().content_hash;
  facts.vertices = graph.vertex_count();
  facts.edges = graph.edge_count();
  facts.input_edges = graph.input_edge_count();
  facts.graph_bytes = graph.bytes();
  edge_t max_degree = 0;
  std::uint64_t isolated = 0;
  for (vertex_t v = 0; v < graph.vertex_count(); ++v) {
    max_degree = std::max(max_degree, graph.degree(v));
    isolated += graph.degree(v) == 0 ? 1 : 0;
  }
  facts.max_degree = max_degree;
  facts.isolated_vertices = isolated;
  facts.symmetric = graph.symmetric();
  facts.load_ms = load_ms;
  facts.provenance = text_of(graph.provenance());
  if (traverses) {
    SourceChoice choice = choose_sources(graph, spec.sources_of(spec.graphs.front()));
    facts.eligible_sources = choice.eligible;
    facts.sources = std::move(choice.sources);
  }
  facts.profiled = nvtx::attached();
  return facts;
}

// What is wrong with the arrays of a graph in memory; empty if nothing is.
std::string damage(const CsrGraph& graph) {
  const CsrGraph* const incoming = graph.incoming();
  for (const CsrGraph* each : {&graph, incoming}) {
    if (each == nullptr || content_hash(*each) == each->identity().content_hash) continue;
    return fmt::format("the graph{} in the worker's memory is not the one that was loaded",
                       each == &graph ? "" : "'s transpose");
  }
  return {};
}

// Why these processes cannot be one worker; empty if they can. The first collective call: what it
// sends is of the same size in all builds.
std::string unfit(Processes& processes, unsigned ranks) {
  if (processes.size() != ranks) {
    return fmt::format(
        "{} ranks were asked for, and {} started that know of each other: the launcher must start "
        "{{ranks}} processes, and be of the MPI that bfslab was built with",
        ranks, processes.size());
  }
  if (ranks == 1) return {};
  std::string text = disagreement(processes, "of build", executable_hash());
  if (!text.empty()) text += ": install the same bfslab on all hosts";
  return text;
}

// Lets a team have as many threads as an engine asks for, which is the number that rows have,
// whatever OMP_DYNAMIC and OMP_MAX_ACTIVE_LEVELS say.
void allow_teams() {
  omp_set_dynamic(0);
  if (omp_get_max_active_levels() < 1) omp_set_max_active_levels(1);
}

// `pipe`: to the driver; null on ranks other than 0.
void serve(Processes& processes, unsigned ranks, LinePipe* pipe, StepClock& steps) {
  allow_teams();
  const Tell tell = [&](const Reply& reply) {
    if (pipe != nullptr) pipe->write(encode(reply));
  };
  if (const std::string why = unfit(processes, ranks); !why.empty()) {
    return tell(FailedReply{Status::crash, why});
  }
  const Company company = company_on_host(processes);
  LoadMeter meter(company);  // from the start: its window is full when the first trial begins
  std::string line;
  if (!read_line(processes, pipe, line)) return;
  const auto request = std::get<OpenRequest>(decode_request(line));
  Spec spec = read_work(request.work, request.spec_file);
  if (request.graph_alone) spec.configurations.clear();
  const GraphEntry& entry = spec.graphs.front();
  const nvtx::Range experiment_range(spec.name.c_str());
  const nvtx::Range graph_range(entry.text.c_str());

  steps.enter(Step::graph);
  const GraphName& name = entry.name;
  const LoadOptions options = load_options(spec, request, tell);
  const bool whole = request.whole;
  std::string why = disagreement(processes, "of spec", spec.hash);
  if (why.empty() && !whole && processes.size() > 1) {
    why = disagreement(processes, "of graph", describe_recipe(name, options).graph_hash);
  }
  if (!why.empty()) return tell(FailedReply{Status::crash, why});

  if (std::string none = none_can_run(spec); processes.size() == 1 && !none.empty()) {
    return tell(FailedReply{Status::unsupported, none});
  }

  CsrGraph graph;
  GraphSource source{nullptr, name.canonical, &options};
  GraphFactsReply facts;
  Status status = Status::skipped;
  try {
    if (!whole) {
      facts = describe_parts(processes, company, source, spec, request, tell);
    } else if (processes.rank() == 0) {
      // First, so that a file which changes meanwhile is another one to whoever compares later.
      const std::string stamp = graph_stamp(name, options);
      const auto begin = std::chrono::steady_clock::now();
      graph = load_graph(name, options);
      const std::chrono::duration<double, std::milli> spent =
          std::chrono::steady_clock::now() - begin;
      source.csr = &graph;
      facts = describe(graph, spec, request.traverses, spent.count());
      facts.made_from = stamp;
    }
  } catch (const InputError& error) {
    why = error.what();
  } catch (const std::bad_alloc&) {
    if (!whole && processes.size() > 1) throw;  // of this rank alone
    status = Status::oom;
    why = "std::bad_alloc while loading the graph";
  }
  if (whole) share_text(processes, why);
  if (!why.empty()) return tell(FailedReply{status, why});
  // All ranks at once, since what waits for another rank is busy.
  const bool times = request.traverses && spec.record_time && !request.graph_alone &&
                     spec.pollution.drift_pct < PollutionRule::kNoCalibration;
  // Rank 0's alone is told. A GPU is probed by that rank only: before engines choose their devices
  // all would probe the host's first, in turns that are twenty times as long as the probe.
  const auto calibrated = [&] { return calibrate(uses_gpu(spec) && processes.rank() == 0); };
  if (times) facts.calibration = calibrated();
  tell(facts);
  std::set<pid_t> own(company.others.begin(), company.others.end());
  own.insert(::getpid());
  GpuWatch gpu_watch(uses_gpu(spec), std::move(own));
  processes.barrier();  // what others see of this one's GPU is none of their beginning
  if (uses_gpu(spec)) gpu::open();
  steps.enter(Step::idle);

  std::optional<ReadOnly> protection;
  if (source.csr != nullptr) protection.emplace(graph);
  EngineBench bench(spec, source, std::move(facts.sources), steps, meter, gpu_watch, processes);
  while (read_line(processes, pipe, line)) {
    const Request next = decode_request(line);
    if (std::holds_alternative<CloseRequest>(next)) {
      ClosedReply closed;
      if (times) closed.calibration = calibrated();
      if (source.csr != nullptr) closed.fault = damage(graph);
      tell(closed);
    } else {
      tell(bench.run(std::get<TrialRequest>(next)));
    }
  }
}

StepClock* notebook = nullptr;  // of the handler below
// By signal, the line that a rank writes to its log; empty in a worker of one process.
std::array<std::string, NSIG> rank_lines;

// Notes that another process sent the signal and then ends as without this handler.
void note_sender(int signal, siginfo_t* info, void* /*context*/) {
  const bool of_kernel = info->si_code > 0;
  const bool of_instruction =
      signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE || signal == SIGILL;
  if (of_kernel && of_instruction) return;  // the faulty instruction runs into it again
  // Other signals of the kernel are not raised twice: a terminal's, and the process's own alarm.
  const bool own = of_kernel ? signal == SIGALRM : info->si_pid == ::getpid();
  if (!own) {
    notebook->note_foreign_signal();
    const std::string& line = rank_lines[static_cast<std::size_t>(signal)];
    const ssize_t wrote = line.empty() ? 0 : ::write(STDERR_FILENO, line.data(), line.size());
    static_cast<void>(wrote);  // without it the signal passes for the rank's own
  }
  ::raise(signal);
}

// Lets the driver distinguish a worker that crashes from one that another process ends.
void note_senders(StepClock& steps) {
  notebook = &steps;
  struct sigaction action {};
  action.sa_sigaction = note_sender;
  action.sa_flags = SA_SIGINFO | SA_RESETHAND;
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGXCPU,
                           SIGPIPE, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
    struct sigaction before {};
    ::sigaction(signal, nullptr, &before);  // a sanitizer has handlers of its own
    if (before.sa_handler == SIG_DFL) ::sigaction(signal, &action, nullptr);
  }
}

// What this rank writes to has ended: the driver, or another rank, whose end the launcher learns of
// a moment later. The first rank that ends passes for the one that failed, so this one waits to be
// ended, and ends itself only if nobody does.
void wait_for_the_launcher(int signal) {
  ::sleep(5);
  ::raise(signal);
}

void outlive_broken_connections() {
  struct sigaction action {};
  action.sa_handler = wait_for_the_launcher;
  action.sa_flags = SA_RESETHAND;
  ::sigaction(SIGPIPE, &action, nullptr);
}

}  // namespace

int run_worker() {
  for (const int fd : {kRequestFd, kReplyFd, kStepFd}) {
    if (::fcntl(fd, F_GETFD) < 0) {
      throw InputError("`bfslab worker` is started by `bfslab run`, not by hand");
    }
    ::fcntl(fd, F_SETFD, FD_CLOEXEC);
  }
  StepClock steps(kStepFd);
  note_senders(steps);
  LinePipe pipe(kRequestFd, kReplyFd);
  const std::unique_ptr<Processes> alone = distributed::alone();
  try {
    serve(*alone, 1, &pipe, steps);
  } catch (const std::exception& error) {
    pipe.write(encode(FaultReply{error.what()}));
    return 1;
  }
  return 0;
}

int run_rank(unsigned ranks) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // a rank never outlives what its launcher runs on its host
  // What libraries print goes where errors go, so that the pipe to the driver is ours alone.
  const int reply_fd = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
  const std::unique_ptr<Processes> processes = distributed::join_mpi();
  outlive_broken_connections();
  const bool speaks = processes->rank() == 0;
  if (!speaks) ::close(reply_fd);
  LinePipe pipe(STDIN_FILENO, reply_fd, kLineMark);
  StepClock steps([&](Step step) {
    if (!speaks) return;
    pipe.write(encode(StepReply{step}));
    std::string heard;
    if (step == Step::traverse && !pipe.read(heard)) throw std::runtime_error("the driver is gone");
  });
  for (int signal = 1; signal < NSIG; ++signal) {
    rank_lines[static_cast<std::size_t>(signal)] = rank_signal_line(processes->rank(), signal);
  }
  note_senders(steps);
  try {
    serve(*processes, ranks, speaks ? &pipe : nullptr, steps);
  } catch (const std::bad_alloc&) {
    end_all_ranks(*processes, Status::oom, fmt::format("std::bad_alloc {}", to_text(steps.step())));
  } catch (const std::exception& error) {
    end_all_ranks(*processes, Status::crash,
                  fmt::format("exception {}: {}", to_text(steps.step()), error.what()));
  }
  return 0;
}

}  // namespace bfslab
