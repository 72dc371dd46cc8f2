// The engine over the search kernels (engine.hpp, search.hpp): one cooperative launch a traversal,
// or one a level.
//
// Timed are the reset of the statuses and every launch; persistent, the host sees nothing before
// the end. A level sink gets the launches a level, and makes expansions claim what they find, so
// that a level's size is known before it runs.
#include <limits>
#include <string>

#include "kernels/cuda/device/answer.hpp"
#include "kernels/cuda/device/device.hpp"
#include "kernels/cuda/device/launch.hpp"
#include "kernels/cuda/level_slots.hpp"
#include "kernels/cuda/search/engine.hpp"
#include "kernels/cuda/search/level_loop.cuh"
#include "kernels/cuda/search/search.hpp"
#include "kernels/cuda/search/virtual_vertices.hpp"
#include "kernels/unsupported.hpp"

namespace bfslab::cuda {
namespace {

__global__ void __launch_bounds__(kBlockThreads)
    reset_search(const __grid_constant__ Search search, vertex_t source, edge_t degree) {
  reset_statuses(search, source, degree);
  if (thread_in_grid() != 0) return;
  if (search.collect == Collect::scan_free && (degree > 0 || !search.by_degree)) {
    const int of_class = search.by_degree ? degree_class(degree) : 0;
    search.queue[0].entries[search.queue[0].region[of_class]] = source;
    search.slots[0].queued[of_class] = 1;
  }
  if (search.collect == Collect::filter) {
    search.candidates[0] = source;
    search.candidate_count[0] = 1;
    search.candidate_count[1] = 0;
  }
  if (search.overflow != nullptr) *search.overflow = 0;
}

Collect collect_of(const std::string& name) {
  if (name == "scan_free") return Collect::scan_free;
  if (name == "prefix_sum") return Collect::prefix_sum;
  return name == "filter" ? Collect::filter : Collect::single_scan;
}

// As level records name it.
const char* technique_of(const SearchSettings& settings) {
  if (settings.queue == "none") return "status_scan";
  if (settings.queue == "decentralized") {
    return settings.in_shared_memory ? "decentralized_shared" : "decentralized_global";
  }
  if (settings.queue == "hierarchical") {
    return settings.collect == "scan_free" ? "hierarchical_scan_free" : "hierarchical_single_scan";
  }
  if (settings.collect == "scan_free") return "scan_free";
  if (settings.collect == "prefix_sum") return "prefix_sum";
  return settings.collect == "filter" ? "filter" : "single_scan";
}

int device_attribute(cudaDeviceAttr attribute) {
  int device = 0;
  int value = 0;
  BFSLAB_CUDA(cudaGetDevice(&device));
  BFSLAB_CUDA(cudaDeviceGetAttribute(&value, attribute, device));
  return value;
}

class SearchEngine final : public Engine {
 public:
  SearchEngine(SearchSettings settings, Answer answer)
      : settings_(std::move(settings)), answer_(answer) {
    if (settings_.queue == "none") {
      kernel_ = status_scan_kernel();
    } else if (settings_.queue == "decentralized") {
      kernel_ = streamed_kernel(settings_.expand.c_str());
    } else {
      kernel_ = materialised_kernel(settings_.expand.c_str());
    }
    if (kernel_ == nullptr) throw std::invalid_argument("no kernel for " + settings_.expand);
  }

  void load(const GraphSource& source) override;
  void traverse(vertex_t source, LevelSink* sink) override;

  [[nodiscard]] AnswerView answer() const override {
    return answer_on_device(answer_, csr_->vertex_count(), levels_, parents_);
  }
  [[nodiscard]] MemoryUse memory() const override {
    const std::uint64_t in_shared = search_.sub_queues == nullptr ? shared_bytes_ * blocks_ : 0;
    return {
        .graph = graph_.bytes() + virtual_.vertex.bytes() + virtual_.first.bytes(),
        .status = levels_.bytes() + parents_.bytes(),
        .queues = queue_[0].bytes() + queue_[1].bytes() + candidates_.bytes() +
                  sub_queues_.bytes() + in_shared,
        .scratch = slots_.bytes() + words_.bytes() + filter_bits_.bytes() + edges_before_.bytes() +
                   block_edges_.bytes(),
        .sized_by_device = sub_queues_.bytes() + in_shared + words_.bytes() + block_edges_.bytes()};
  }
  [[nodiscard]] std::optional<double> gpu_ms() const override { return ms_between(begin_, end_); }

 private:
  [[nodiscard]] bool materialised() const {
    return settings_.queue == "central" || settings_.queue == "hierarchical";
  }
  void choose_grid();
  void make_queues();
  void reset(vertex_t source);
  void launch(const Search& search, level_t first, level_t most);
  void run_from_host(LevelSink* sink, std::uint64_t source_edges);
  [[nodiscard]] std::uint64_t queued_at(level_t level) const;
  void refuse_overflow();

  SearchSettings settings_;
  Answer answer_;
  SearchKernel kernel_ = nullptr;
  unsigned blocks_ = 0;
  std::size_t shared_bytes_ = 0;  // a CTA

  const CsrGraph* csr_ = nullptr;
  Stream stream_;
  Event begin_, end_;
  DeviceGraph graph_;
  VirtualVertices virtual_;
  DeviceBuffer<level_t> levels_;
  DeviceBuffer<vertex_t> parents_;
  DeviceBuffer<vertex_t> queue_[2];  // [items] frontiers of even and of odd levels
  DeviceBuffer<vertex_t> candidates_, sub_queues_;
  DeviceBuffer<std::uint32_t> words_;  // sums, candidate counts, the overflow flag
  DeviceBuffer<std::uint32_t> filter_bits_;
  DeviceBuffer<edge_t> edges_before_, block_edges_;
  LevelSlots slots_;
  PinnedBuffer<std::uint32_t> overflowed_{1};
  Search search_;
};

// How many CTAs there are, and how much shared memory each asks for.
void SearchEngine::choose_grid() {
  const bool in_shared = (settings_.queue == "decentralized" && settings_.in_shared_memory) ||
                         settings_.queue == "hierarchical";
  shared_bytes_ = in_shared ? settings_.capacity * sizeof(vertex_t) : 0;
  cudaFuncAttributes attributes{};
  BFSLAB_CUDA(cudaFuncGetAttributes(&attributes, kernel_));
  const auto most =
      static_cast<std::size_t>(device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin));
  if (shared_bytes_ + attributes.sharedSizeBytes > most) {
    const std::size_t entries = (most - attributes.sharedSizeBytes) / sizeof(vertex_t);
    throw Unsupported("capacity " + std::to_string(settings_.capacity) + ": a queue of " +
                      std::to_string(shared_bytes_) +
                      " bytes does not fit a CTA's shared memory; " + device().name + " has " +
                      std::to_string(most) + " bytes, which hold " + std::to_string(entries) +
                      " entries beside the kernel's own " +
                      std::to_string(attributes.sharedSizeBytes) + " bytes");
  }
  // The most there is and not this engine's share: the attribute is the kernel's, and engines of
  // other capacities launch it as well.
  BFSLAB_CUDA(cudaFuncSetAttribute(kernel_, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   static_cast<int>(most - attributes.sharedSizeBytes)));
  int of_multiprocessor = 0;
  BFSLAB_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
      &of_multiprocessor, kernel_, static_cast<int>(settings_.threads), shared_bytes_));
  const auto at_once = static_cast<unsigned>(of_multiprocessor * device().multiprocessors);
  blocks_ = settings_.ctas == 0 ? at_once : settings_.ctas;
  if (blocks_ > at_once) {
    throw Unsupported("ctas " + std::to_string(settings_.ctas) + ": " + device().name + " runs " +
                      std::to_string(at_once) + " CTAs of " + std::to_string(settings_.threads) +
                      " threads of this kernel at once, and all of them meet at a barrier");
  }
}

void SearchEngine::make_queues() {
  const std::size_t n = csr_->vertex_count();
  const std::size_t items = search_.items.count;
  if (materialised()) {
    for (int parity = 0; parity < 2; ++parity) {
      queue_[parity] = DeviceBuffer<vertex_t>(items);
      search_.queue[parity].entries = queue_[parity].data();
    }
    if (search_.by_degree) {
      std::uint32_t count[kDegreeClasses] = {};
      for (vertex_t v = 0; v < n; ++v) ++count[degree_class(csr_->degree(v))];
      for (int c = 1; c < kDegreeClasses; ++c) {
        for (QueueView& queue : search_.queue) {
          queue.region[c] = queue.region[c - 1] + count[c - 1];
        }
      }
    }
    if (settings_.expand == "merge_path" || settings_.expand == "load_balanced") {
      edges_before_ = DeviceBuffer<edge_t>(n + 1);
      block_edges_ = DeviceBuffer<edge_t>(blocks_);
    }
  }
  if (search_.collect == Collect::filter) {
    if (csr_->edge_count() >= std::numeric_limits<std::uint32_t>::max()) {
      throw Unsupported(
          "collect=filter: its list of candidates is counted by 32 bits, and the "
          "graph has " +
          std::to_string(csr_->edge_count()) + " adjacency entries");
    }
    candidates_ = DeviceBuffer<vertex_t>(csr_->edge_count() + 1);
    filter_bits_ = DeviceBuffer<std::uint32_t>((n + 31) / 32);
  }
  if (settings_.queue == "decentralized" && !settings_.in_shared_memory) {
    sub_queues_ = DeviceBuffer<vertex_t>(std::size_t{blocks_} * settings_.capacity);
  }
  const std::size_t sums = std::size_t{kDegreeClasses} * blocks_;
  words_ = DeviceBuffer<std::uint32_t>(sums + 3);
  search_.sums = words_.data();
  search_.candidate_count = words_.data() + sums;
  search_.overflow = words_.data() + sums + 2;
  search_.candidates = candidates_.data();
  search_.filter_bits = filter_bits_.data();
  search_.sub_queues = sub_queues_.data();
  search_.edges_before = edges_before_.data();
  search_.block_edges = block_edges_.data();
}

void SearchEngine::load(const GraphSource& source) {
  if (source.csr == nullptr) throw std::invalid_argument("a search takes a CSR, not a recipe");
  csr_ = source.csr;
  const std::size_t n = csr_->vertex_count();
  begin_.record(stream_);
  end_.record(stream_);
  choose_grid();
  graph_ = DeviceGraph(*csr_, false, stream_);
  levels_ = DeviceBuffer<level_t>(n);
  if (wants_parents(answer_)) parents_ = DeviceBuffer<vertex_t>(n);
  search_.graph = graph_.outgoing();
  search_.levels = levels_.data();
  search_.parents = parents_.data();
  search_.slots = slots_.at(0);
  search_.collect = collect_of(settings_.collect);
  search_.one_atomic_a_vertex = settings_.one_atomic_a_vertex;
  search_.by_degree = settings_.expand == "degree_classes";
  search_.hierarchical = settings_.queue == "hierarchical";
  search_.width = settings_.expand == "virtual_warp" ? settings_.width : 1;
  search_.capacity = settings_.capacity;
  search_.items.count = static_cast<std::uint32_t>(n);
  if (settings_.split > 0 && n > 0) {
    virtual_ = split_vertices(search_.graph, settings_.split, stream_);
    search_.items = {static_cast<std::uint32_t>(virtual_.vertex.size()), virtual_.vertex.data(),
                     virtual_.first.data(), settings_.split, settings_.strided};
  }
  make_queues();
  stream_.wait();
}

void SearchEngine::reset(vertex_t source) {
  reset_search<<<blocks_for(search_.graph.vertices), kBlockThreads, 0, stream_.get()>>>(
      search_, source, csr_->degree(source));
  BFSLAB_CUDA_LAUNCHED("reset_search");
}

void SearchEngine::launch(const Search& search, level_t first, level_t most) {
  Search argument = search;
  void* arguments[] = {&argument, &first, &most};
  BFSLAB_CUDA(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(kernel_), dim3(blocks_),
                                          dim3(settings_.threads), arguments, shared_bytes_,
                                          stream_.get()));
}

std::uint64_t SearchEngine::queued_at(level_t level) const {
  std::uint64_t all = 0;
  for (const std::uint32_t of_class : slots_.seen(level).queued) all += of_class;
  return all;
}

void SearchEngine::run_from_host(LevelSink* sink, std::uint64_t source_edges) {
  const bool counts = sink != nullptr && sink->counts();
  Search search = search_;
  search.counts = sink != nullptr;
  std::uint64_t frontier = 1;
  std::uint64_t edges = source_edges;
  std::uint64_t visited = 1;
  for (level_t level = 0; frontier > 0; ++level) {
    if (sink != nullptr) {
      sink->begin({level, Direction::top_down, technique_of(settings_), frontier});
    }
    launch(search, level, 1);
    slots_.read(stream_);
    if (sink == nullptr) {
      frontier = queued_at(level);
      continue;
    }
    const LevelSlot& next = slots_.seen(level + 1);
    LevelFacts facts;
    if (counts) {
      facts = {.frontier_edges = edges,
               .edges_checked = edges,
               .found_vertices = next.vertices,
               .unvisited_vertices = csr_->vertex_count() - visited};
    }
    sink->end(facts);
    frontier = next.vertices;
    edges = next.edges;
    visited += frontier;
  }
}

void SearchEngine::refuse_overflow() {
  if (*overflowed_.data() == 0) return;
  throw Unsupported("hierarchical queue: a CTA found more than its " +
                    std::to_string(settings_.capacity) +
                    " entries hold in one level; raise `capacity`, or take another queue");
}

void SearchEngine::traverse(vertex_t source, LevelSink* sink) {
  begin_.record(stream_);
  reset(source);
  if (settings_.persistent && sink == nullptr) {
    launch(search_, 0, std::numeric_limits<level_t>::max());
  } else {
    run_from_host(sink, csr_->degree(source));
  }
  if (search_.hierarchical) {
    BFSLAB_CUDA(cudaMemcpyAsync(overflowed_.data(), search_.overflow, sizeof(std::uint32_t),
                                cudaMemcpyDeviceToHost, stream_.get()));
  }
  end_.record(stream_);
  stream_.wait();
  if (search_.hierarchical) refuse_overflow();
}

}  // namespace

std::unique_ptr<Engine> make_search(const char* /*engine*/, const SearchSettings& settings,
                                    Answer answer) {
  static_cast<void>(device());  // where there is no GPU: refused before streams are made
  return std::make_unique<SearchEngine>(settings, answer);
}

}  // namespace bfslab::cuda
