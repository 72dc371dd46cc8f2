// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/top_down/prepared_top_down.hpp"

#include <stdexcept>
#include <string>

#include "kernels/unsupported.hpp"

namespace bfslab::cuda {
namespace {

TopDownKernel kernel_of(const TopDownSettings& settings) {
  const ExpansionKernels& kernels = kernels_of(*settings.expand);
  if (settings.frontier.queue == Queue::none) return scanning_kernel();
  return settings.materialises() ? kernels.materialised : kernels.streamed;
}

int device_attribute(cudaDeviceAttr attribute) {
  int device = 0;
  int value = 0;
  BFSLAB_CUDA(cudaGetDevice(&device));
  BFSLAB_CUDA(cudaDeviceGetAttribute(&value, attribute, device));
  return value;
}

}  // namespace

PreparedTopDown::PreparedTopDown(const TopDownSettings& settings) : settings_(settings) {
  kernel_.kernel = kernel_of(settings_);
  if (kernel_.kernel == nullptr) {
    throw std::invalid_argument(std::string("no kernel for ") + settings_.expand->name);
  }
}

// A queue must hold what is reserved at once.
void PreparedTopDown::require_capacity() const {
  if (settings_.frontier.queue != Queue::decentralized &&
      settings_.frontier.queue != Queue::hierarchical) {
    return;
  }
  const bool by_warp = settings_.streams() && settings_.reserve == Reserve::warp;
  const unsigned least = by_warp ? 32 : settings_.threads;
  if (settings_.capacity >= least ||
      (settings_.streams() && settings_.reserve == Reserve::exact && settings_.capacity > 0)) {
    return;
  }
  throw Unsupported("capacity " + std::to_string(settings_.capacity) +
                    ": fewer entries than are reserved at once; " + std::to_string(least) +
                    " are needed");
}

void PreparedTopDown::choose_grid() {
  const Frontier& frontier = settings_.frontier;
  const bool in_shared =
      frontier.queue == Queue::hierarchical || (settings_.streams() && !frontier.in_global_memory);
  kernel_.threads = settings_.threads;
  const void* const function = reinterpret_cast<const void*>(kernel_.kernel);
  cudaFuncAttributes attributes{};
  BFSLAB_CUDA(cudaFuncGetAttributes(&attributes, function));
  const auto most =
      static_cast<std::size_t>(device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin));
  if (in_shared && settings_.capacity == 0) {
    settings_.capacity =
        static_cast<std::uint32_t>((most - attributes.sharedSizeBytes) / sizeof(vertex_t));
  }
  require_capacity();
  kernel_.shared_bytes = in_shared ? settings_.capacity * sizeof(vertex_t) : 0;
  if (kernel_.shared_bytes + attributes.sharedSizeBytes > most) {
    const std::size_t entries = (most - attributes.sharedSizeBytes) / sizeof(vertex_t);
    throw Unsupported("capacity " + std::to_string(settings_.capacity) + ": a queue of " +
                      std::to_string(kernel_.shared_bytes) +
                      " bytes does not fit a CTA's shared memory; " + device().name + " has " +
                      std::to_string(most) + " bytes, which hold " + std::to_string(entries) +
                      " entries beside the kernel's own " +
                      std::to_string(attributes.sharedSizeBytes) + " bytes");
  }
  // The device's maximum, not this engine's share: the attribute belongs to the kernel, which
  // engines of other capacities launch as well.
  BFSLAB_CUDA(cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   static_cast<int>(most - attributes.sharedSizeBytes)));
  const unsigned at_once = blocks_at_once(kernel_.kernel, kernel_.threads, kernel_.shared_bytes);
  kernel_.blocks = settings_.ctas == 0 ? at_once : settings_.ctas;
  if (kernel_.blocks > at_once) {
    throw Unsupported("ctas " + std::to_string(settings_.ctas) + ": " + device().name + " runs " +
                      std::to_string(at_once) + " CTAs of " + std::to_string(settings_.threads) +
                      " threads of this kernel at once, and all of them meet at a barrier");
  }
}

void PreparedTopDown::allocate(const CsrGraph& graph, const Traversal& work, bool makes_queues,
                               const Stream& stream) {
  static_cast<Traversal&>(search_) = work;
  const std::size_t n = graph.vertex_count();
  search_.items.count = graph.vertex_count();
  if (settings_.split > 0 && n > 0) {
    virtual_ = split_vertices(search_.outgoing, settings_.split, stream);
    search_.items = virtual_.view(settings_.strided);
  }
  if (settings_.materialises() && makes_queues) {
    for (int parity = 0; parity < 2; ++parity) {
      queue_[parity] = WholeQueue(search_.items.count);
      search_.queue[parity] =
          settings_.by_class() ? queue_[parity].view_by_degree(graph) : queue_[parity].view();
    }
  }
  const ExpansionTraits& traits = settings_.expand->traits;
  if (traits.sums_degrees) degree_sums_ = DegreeSums(n, kernel_.blocks);
  search_.expansion = degree_sums_.view(traits.has_width ? settings_.width : 1);
  if (settings_.streams() && settings_.frontier.in_global_memory) {
    sub_queues_ = DeviceBuffer<vertex_t>(std::size_t{kernel_.blocks} * settings_.capacity);
  }
  search_.items.by_block = settings_.scan_by_block;
  search_.sub_queues = {sub_queues_.data(), settings_.capacity, settings_.reserve};
  const std::size_t sums = std::size_t{kDegreeClasses} * kernel_.blocks;
  words_ = DeviceBuffer<std::uint32_t>(sums + 1);
  search_.sums = words_.data();

  search_.hierarchical = settings_.frontier.queue == Queue::hierarchical;
  Collecting& collecting = search_.collecting;
  collecting.one_atomic_a_vertex = settings_.one_atomic_a_vertex;
  collecting.overflow = words_.data() + sums;
  const Collect collect = settings_.frontier.collect;
  if (collect == Collect::scan_free) {
    search_.gather = Gather::nothing;
    collecting.on_found = OnFound::queued;
  } else if (collect == Collect::prefix_sum) {
    search_.gather = Gather::prefix_sum;
  } else if (collect == Collect::filter) {
    search_.gather = Gather::filter;
    collecting.on_found = OnFound::listed;
    candidates_ = Candidates("collect=filter", n, graph.edge_count());
    collecting.candidates = candidates_.view();
  }
}

SourceIn PreparedTopDown::source_in() const {
  if (settings_.frontier.collect != Collect::scan_free) return SourceIn::no_queue;
  return settings_.by_class() ? SourceIn::class_queue : SourceIn::whole_queue;
}

void PreparedTopDown::fetch_overflow(cudaStream_t stream) {
  BFSLAB_CUDA(cudaMemcpyAsync(overflowed_.data(), search_.collecting.overflow,
                              sizeof(std::uint32_t), cudaMemcpyDeviceToHost, stream));
}

void PreparedTopDown::refuse_overflow() const {
  if (*overflowed_.data() == 0) return;
  throw Unsupported("hierarchical queue: a CTA found more than its " +
                    std::to_string(settings_.capacity) +
                    " entries hold in one level; raise `capacity`, or take another queue");
}

void PreparedTopDown::add_memory(MemoryUse& use) const {
  const std::uint64_t in_shared = kernel_.shared_bytes * kernel_.blocks;
  use.graph += virtual_.bytes();
  use.queues += queue_[0].bytes() + queue_[1].bytes() + candidates_.list_bytes() +
                sub_queues_.bytes() + in_shared;
  use.scratch += words_.bytes() + candidates_.bitmap_bytes() + degree_sums_.bytes();
  use.sized_by_device +=
      sub_queues_.bytes() + in_shared + words_.bytes() + degree_sums_.bytes_by_device();
}

}  // namespace bfslab::cuda
