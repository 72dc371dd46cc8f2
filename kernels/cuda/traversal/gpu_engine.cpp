// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/traversal/gpu_engine.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/cuda/device/device.hpp"
#include "kernels/cuda/device/upload.hpp"

namespace bfslab::cuda {
namespace {

// The length of a log: 8 MB. Few graphs have deeper searches, and their levels are alike.
constexpr level_t kLoggedLevels = 65'536;

// Requests the device before any stream, so that a machine without one gets a clear message.
const char* on_a_device(const char* name) {
  static_cast<void>(device());
  return name;
}

double ms_of(unsigned long long from_ns, unsigned long long to_ns) {
  return static_cast<double>(to_ns - from_ns) * 1e-6;
}

}  // namespace

GpuEngine::GpuEngine(const char* name, Answer answer, bool goes_up, std::size_t searches)
    : name_(on_a_device(name)),
      asked_(answer),
      goes_up_(goes_up),
      searches_(searches > 1 ? searches : 0) {}

void GpuEngine::load(const GraphSource& source) {
  if (source.csr == nullptr) {
    throw std::invalid_argument(std::string(name_) + " takes a CSR, not a recipe");
  }
  csr_ = source.csr;
  if (goes_up_ && csr_->incoming() == nullptr) {
    throw std::invalid_argument("bottom-up on a directed graph needs its transpose");
  }
  begin_.record(stream_);  // gpu_ms() has events to ask before the first traversal
  end_.record(stream_);
  prepare();
  graph_ = DeviceGraph(*csr_, goes_up_, stream_);
  status_ = StatusArrays(vertices(), wants_parents(asked_));
  kept_ = StatusArrays(searches_.size() * vertices(), wants_parents(asked_));
  sources_ = DeviceBuffer<vertex_t>(searches_.size());
  times_ns_ = DeviceBuffer<unsigned long long>(2 * searches_.size());
  work_.outgoing = graph_.outgoing();
  if (goes_up_) work_.incoming = graph_.incoming();
  work_.status = status_.view();
  work_.slots = slots_.view();
  allocate();
  stream_.wait();
}

void GpuEngine::release_graph() {
  stream_.wait();
  graph_ = {};
  work_.outgoing = work_.incoming = {};
}

AnswerView GpuEngine::answer() const {
  queue_completion();
  stream_.wait();
  return view_of(status_.view());
}

AnswerView GpuEngine::view_of(const StatusView& status) const {
  int device = 0;
  BFSLAB_CUDA(cudaGetDevice(&device));
  return in_one_part({.space = MemorySpace::device,
                      .vertex_count = vertices(),
                      .levels = wants_levels(asked_) ? status.levels : nullptr,
                      .parents = status.parents,
                      .device = device});
}

MemoryUse GpuEngine::memory() const {
  MemoryUse use{.graph = graph_.bytes(),
                .status = status_.bytes() + kept_.bytes(),
                .scratch = slots_.bytes() + sources_.bytes() + times_ns_.bytes()};
  add_memory(use);
  return use;
}

void GpuEngine::traverse(vertex_t source, LevelSink* sink) {
  const bool watched = sink != nullptr;
  const bool by_itself = drives_itself() && (!watched || (!sink->live() && logs_levels()));
  if (by_itself && watched && log_.empty()) log_ = LevelLog(kLoggedLevels);
  begin_.record(stream_);
  if (by_itself) {
    run_on_device(source, watched ? log_.view() : LevelLogView{});
  } else {
    run_from_host(source, sink);
  }
  queue_verdict();
  end_.record(stream_);
  stream_.wait();
  judge();
  if (by_itself && watched) report_log(*sink);
}

std::vector<double> GpuEngine::search_many(std::span<const vertex_t> sources) {
  if (sources.size() > searches_.size()) throw std::invalid_argument("too many searches at once");
  upload(sources_.data(), sources.data(), sources.size_bytes(), stream_);
  begin_.record(stream_);
  if (searches_together()) {
    run_together(sources_.data(), sources.size(), kept_.view());
    end_.record(stream_);
    stream_.wait();
    judge();
    return {};
  }
  if (!run_searches(sources_.data(), sources.size(), kept_.view(), times_ns_.data())) {
    return search_one_by_one(sources);
  }
  end_.record(stream_);
  std::vector<unsigned long long> ns(2 * sources.size());
  download(ns.data(), times_ns_.data(), ns.size() * sizeof(ns[0]), stream_);
  judge();
  std::vector<double> ms;
  for (std::size_t i = 0; i < ns.size(); i += 2) ms.push_back(ms_of(ns[i], ns[i + 1]));
  return ms;
}

// Answers are stored between two searches, outside the time of either.
std::vector<double> GpuEngine::search_one_by_one(std::span<const vertex_t> sources) {
  queue_keeping(0);  // useless work, but the host is ahead when the first search begins
  for (std::size_t i = 0; i < sources.size(); ++i) {
    searches_[i].begin.record(stream_);
    run_on_device(sources[i], {});
    queue_verdict();
    searches_[i].end.record(stream_);
    queue_completion();
    queue_keeping(i);
  }
  end_.record(stream_);
  stream_.wait();
  judge();
  std::vector<double> ms;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    ms.push_back(ms_between(searches_[i].begin, searches_[i].end));
  }
  return ms;
}

AnswerView GpuEngine::answer_of(std::size_t search) const { return view_of(kept(search)); }

StatusView GpuEngine::kept(std::size_t search) const {
  const StatusView all = kept_.view();
  const std::size_t begin = search * vertices();
  return {all.levels + begin, all.parents != nullptr ? all.parents + begin : nullptr};
}

void GpuEngine::queue_keeping(std::size_t search) const {
  const StatusView from = status_.view();
  const StatusView to = kept(search);
  const auto copy = [&](auto* target, const auto* origin) {
    if (origin == nullptr) return;
    BFSLAB_CUDA(cudaMemcpyAsync(target, origin, vertices() * sizeof(*target),
                                cudaMemcpyDeviceToDevice, stream_.get()));
  };
  copy(to.levels, from.levels);
  copy(to.parents, from.parents);
}

void GpuEngine::run_from_host(vertex_t source, LevelSink* sink) {
  const bool counts = sink != nullptr && sink->counts();
  begin(source, sink != nullptr, counts);
  Progress at;
  at.edges = at.all_edges = csr_->degree(source);
  while (at.frontier > 0 && at.level < depth_limit()) {
    const LevelPlan next = plan(at);
    if (sink != nullptr) sink->begin({at.level, next.direction, next.technique, at.frontier});
    launch_level(at);
    slots_.read(stream_);
    const Progress ran = at;
    close_level(at);
    if (sink == nullptr) continue;
    LevelFacts facts;
    if (counts) {
      const LevelSlot& found = seen(ran.level + 1);
      const bool up = next.direction == Direction::bottom_up;
      facts.frontier_edges = ran.edges;
      facts.edges_checked = up ? found.checked : ran.edges;
      facts.found_vertices = at.frontier;
      facts.found_early_vertices = found.early_vertices;
      facts.unvisited_vertices = vertices() - ran.visited;
      facts.bytes_sent = bytes_sent(ran.level);
    }
    sink->end(facts);
    if (counts) measure_level(*sink, ran);
  }
}

// Levels beyond the log's end are not reported.
void GpuEngine::report_log(LevelSink& sink) {
  LevelLogHead head;
  std::vector<LevelRecord> records(kLoggedLevels);
  const LevelLogView log = log_.view();
  download(&head, log.head, sizeof(head), stream_);
  const std::size_t kept = std::min(head.levels, kLoggedLevels);
  download(records.data(), log.records, kept * sizeof(LevelRecord), stream_);
  // The finds of a level are in the record of the next one.
  const std::size_t reported = head.levels > kept ? kept - 1 : kept;
  Progress at;
  at.edges = at.all_edges = records[0].slot.edges;
  unsigned long long began = head.start_ns;
  for (std::size_t l = 0; l < reported && at.frontier > 0 && at.level < depth_limit(); ++l) {
    const LevelRecord& record = records[l];
    const LevelSlot next = l + 1 < kept ? records[l + 1].slot : LevelSlot{};
    const Progress ran = at;
    const LevelPlan plan = read_log(at, record, next);
    LevelReport level{.start = {ran.level, plan.direction, plan.technique, ran.frontier},
                      .facts = {.found_vertices = at.frontier,
                                .found_early_vertices = next.early_vertices,
                                .unvisited_vertices = vertices() - ran.visited,
                                .bytes_sent = bytes_sent(ran.level)}};
    if (sums_edges()) level.facts.frontier_edges = ran.edges;
    if (sink.times()) {
      level.facts.time_ms = ms_of(began, record.end_ns);
      level.facts.clock = Clock::device_timer;
    }
    sink.report(level);
    if (sink.counts()) {
      const unsigned long long between = record.between_ns != 0 ? record.between_ns : began;
      measure_log(sink, ran, record.slot, ms_of(began, between), ms_of(between, record.end_ns));
    }
    began = record.end_ns;
  }
}

LevelPlan GpuEngine::read_log(Progress& at, const LevelRecord& /*ran*/,
                              const LevelSlot& next) const {
  const LevelPlan level_plan = plan(at);
  at.advance(next.all_queued(), 0, false);
  return level_plan;
}

}  // namespace bfslab::cuda
