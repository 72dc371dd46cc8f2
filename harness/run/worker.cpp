// SPDX-License-Identifier: Apache-2.0
#include "harness/run/worker.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <omp.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <new>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>

#include "harness/plugin/plugins.hpp"
#include "harness/record/build_info.hpp"
#include "harness/run/engine_bench.hpp"
#include "harness/run/line_pipe.hpp"
#include "harness/run/ranks.hpp"
#include "harness/run/read_only.hpp"
#include "harness/run/worker_graph.hpp"
#include "harness/run/worker_signals.hpp"
#include "harness/run/worker_start.hpp"
#include "harness/spec/read.hpp"
#include "harness/spec/work.hpp"
#include "kernels/device_services.hpp"
#include "kernels/nvtx.hpp"

namespace bfslab {

namespace {

using distributed::Processes;

// Returns the reason why these processes cannot be one worker; empty if they can. This is the first
// collective call: its messages have the same size in all builds.
std::string unfit(Processes& processes, unsigned ranks) {
  if (processes.size() != ranks) {
    return fmt::format(
        "{} ranks were asked for, and {} started that know of each other: the launcher must start "
        "{{ranks}} processes, and be of the MPI that bfslab was built with",
        ranks, processes.size());
  }
  if (ranks == 1) return {};
  std::string text = disagreement(processes, "of build", program_hash());
  if (!text.empty()) text += ": install the same bfslab on all hosts";
  return text;
}

// Lets a team have as many threads as an engine asks for, which is the number that rows have,
// whatever OMP_DYNAMIC and OMP_MAX_ACTIVE_LEVELS say.
void allow_teams() {
  omp_set_dynamic(0);
  if (omp_get_max_active_levels() < 1) omp_set_max_active_levels(1);
}

// Times the machine before and after the trials, if the spec asks for it.
class Calibrator {
 public:
  Calibrator(const Processes& processes, const Spec& spec, const OpenRequest& request)
      : wanted_(request.traverses && spec.record_time && !request.graph_alone &&
                spec.pollution.drift_pct < PollutionRule::kNoCalibration),
        with_gpu_(uses_gpu(spec) && processes.rank() == 0) {}

  // Runs on all ranks at once, since a rank that waits for another one is busy. Only rank 0's
  // result is reported. A GPU is probed by that rank only: before engines choose their devices, all
  // ranks would probe the host's first one, in turns that are twenty times as long as the probe.
  [[nodiscard]] std::optional<Calibration> run() const {
    return wanted_ ? calibrate(with_gpu_) : std::nullopt;
  }

 private:
  bool wanted_;
  bool with_gpu_;
};

// Answers requests for trials until the driver closes the pipe. Collective.
void run_trials(LinePipe* pipe, const Report& report, const WorkerGraph& graph,
                const Calibrator& calibrator, EngineBench& bench, Processes& processes) {
  std::string line;
  while (read_line(processes, pipe, line)) {
    const Request request = decode_request(line);
    if (std::holds_alternative<CloseRequest>(request)) {
      ClosedReply closed;
      closed.calibration = calibrator.run();
      closed.fault = graph.damage();
      report(closed);
    } else {
      report(bench.run(std::get<TrialRequest>(request)));
    }
  }
}

// Loads the graph that the driver asks for, and runs its trials. `pipe`: to the driver; null on
// ranks other than 0. Collective.
void serve(Processes& processes, unsigned ranks, LinePipe* pipe, StepClock& steps) {
  allow_teams();
  const Report report = [&](const Reply& reply) {
    if (pipe != nullptr) pipe->write(encode(reply));
  };
  if (const std::string why = unfit(processes, ranks); !why.empty()) {
    return report(FailedReply{Status::crash, why});
  }
  const Company company = company_on_host(processes);
  LoadMeter meter(company);  // from the start: its window is full when the first trial begins
  std::string line;
  if (!read_line(processes, pipe, line)) return;
  const auto request = std::get<OpenRequest>(decode_request(line));
  Spec spec = read_work(request.work, request.spec_file);
  if (request.graph_alone) spec.configurations.clear();
  const nvtx::Range experiment_range(spec.name.c_str());
  const nvtx::Range graph_range(spec.graphs.front().text.c_str());

  steps.enter(Step::graph);
  WorkerGraph graph(processes, company, spec, request, report);
  auto loaded = graph.load();
  if (const auto* failed = std::get_if<FailedReply>(&loaded)) return report(*failed);
  auto& facts = std::get<GraphFactsReply>(loaded);
  const Calibrator calibrator(processes, spec, request);
  facts.calibration = calibrator.run();
  report(facts);

  std::set<pid_t> own(company.others.begin(), company.others.end());
  own.insert(::getpid());
  GpuWatch gpu_watch(uses_gpu(spec), std::move(own));
  processes.barrier();  // so that no rank takes another rank's beginning for foreign load
  if (uses_gpu(spec)) gpu::open();
  steps.enter(Step::idle);

  std::optional<ReadOnly> protection;
  if (graph.source().csr != nullptr) protection.emplace(*graph.source().csr);
  EngineBench bench(spec, graph.source(), std::move(facts.sources),
                    {steps, meter, gpu_watch, processes});
  run_trials(pipe, report, graph, calibrator, bench, processes);
}

void load_plugins(const std::vector<std::string>& words) {
  for (const std::string& word : words) load_plugin_word(word);
}

}  // namespace

int run_worker(const std::vector<std::string>& plugins) {
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
    load_plugins(plugins);
    serve(*alone, 1, &pipe, steps);
  } catch (const std::exception& error) {
    pipe.write(encode(FaultReply{error.what()}));
    return 1;
  }
  return 0;
}

int run_rank(unsigned ranks, const std::vector<std::string>& plugins) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // a rank never outlives its parent on its host
  // Libraries print to standard error, so that the pipe to the driver carries only our lines.
  const int reply_fd = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
  const std::unique_ptr<Processes> processes = distributed::join_mpi();
  outlive_broken_connections();
  const bool reports = processes->rank() == 0;
  if (!reports) ::close(reply_fd);
  LinePipe pipe(STDIN_FILENO, reply_fd, kLineMark);
  StepClock steps([&](Step step) {
    if (!reports) return;
    pipe.write(encode(StepReply{step}));
    std::string line;
    if (step == Step::traverse && !pipe.read(line)) throw std::runtime_error("the driver is gone");
  });
  note_senders_of_rank(steps, processes->rank());
  try {
    load_plugins(plugins);
    serve(*processes, ranks, reports ? &pipe : nullptr, steps);
  } catch (const std::bad_alloc&) {
    end_all_ranks(*processes, Status::oom, fmt::format("std::bad_alloc {}", to_text(steps.step())));
  } catch (const std::exception& error) {
    end_all_ranks(*processes, Status::crash,
                  fmt::format("exception {}: {}", to_text(steps.step()), error.what()));
  }
  return 0;
}

}  // namespace bfslab
