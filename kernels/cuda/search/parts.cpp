// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/search/parts.hpp"

#include <stdexcept>
#include <string>
#include <utility>

#include "kernels/unsupported.hpp"

namespace bfslab::cuda {
namespace {

SearchKernel kernel_of(const SearchSettings& settings) {
  if (settings.queue == "none") return scanning_kernel();
  if (settings.queue == "decentralized") return streamed_kernel(settings.expand.c_str());
  return materialised_kernel(settings.expand.c_str());
}

Reserve reserve_of(const std::string& name) {
  if (name == "warp") return Reserve::warp;
  return name == "cta" ? Reserve::cta : Reserve::exact;
}

int device_attribute(cudaDeviceAttr attribute) {
  int device = 0;
  int value = 0;
  BFSLAB_CUDA(cudaGetDevice(&device));
  BFSLAB_CUDA(cudaDeviceGetAttribute(&value, attribute, device));
  return value;
}

}  // namespace

SearchParts::SearchParts(SearchSettings settings) : settings_(std::move(settings)) {
  kernel_.kernel = kernel_of(settings_);
  if (kernel_.kernel == nullptr) throw std::invalid_argument("no kernel for " + settings_.expand);
}

void SearchParts::choose_grid() {
  const bool in_shared = (settings_.queue == "decentralized" && settings_.in_shared_memory) ||
                         settings_.queue == "hierarchical";
  kernel_.threads = settings_.threads;
  kernel_.shared_bytes = in_shared ? settings_.capacity * sizeof(vertex_t) : 0;
  const void* const function = reinterpret_cast<const void*>(kernel_.kernel);
  cudaFuncAttributes attributes{};
  BFSLAB_CUDA(cudaFuncGetAttributes(&attributes, function));
  const auto most =
      static_cast<std::size_t>(device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin));
  if (kernel_.shared_bytes + attributes.sharedSizeBytes > most) {
    const std::size_t entries = (most - attributes.sharedSizeBytes) / sizeof(vertex_t);
    throw Unsupported("capacity " + std::to_string(settings_.capacity) + ": a queue of " +
                      std::to_string(kernel_.shared_bytes) +
                      " bytes does not fit a CTA's shared memory; " + device().name + " has " +
                      std::to_string(most) + " bytes, which hold " + std::to_string(entries) +
                      " entries beside the kernel's own " +
                      std::to_string(attributes.sharedSizeBytes) + " bytes");
  }
  // The most there is and not this engine's share: the attribute is the kernel's, and engines of
  // other capacities launch it as well.
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

void SearchParts::allocate(const CsrGraph& graph, const Traversal& work, bool makes_queues,
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
      search_.queue[parity] = settings_.expand == "degree_classes"
                                  ? queue_[parity].view_by_degree(graph)
                                  : queue_[parity].view();
    }
  }
  if (settings_.sums_degrees()) degree_sums_ = DegreeSums(n, kernel_.blocks);
  search_.expansion = degree_sums_.view(settings_.expand == "virtual_warp" ? settings_.width : 1);
  if (settings_.queue == "decentralized" && !settings_.in_shared_memory) {
    sub_queues_ = DeviceBuffer<vertex_t>(std::size_t{kernel_.blocks} * settings_.capacity);
  }
  search_.items.by_block = settings_.scan_by_block;
  search_.sub_queues = {sub_queues_.data(), settings_.capacity, reserve_of(settings_.reserve)};
  const std::size_t sums = std::size_t{kDegreeClasses} * kernel_.blocks;
  words_ = DeviceBuffer<std::uint32_t>(sums + 1);
  search_.sums = words_.data();

  search_.hierarchical = settings_.queue == "hierarchical";
  Collecting& how = search_.collecting;
  how.one_atomic_a_vertex = settings_.one_atomic_a_vertex;
  how.overflow = words_.data() + sums;
  if (settings_.collect == "scan_free") {
    search_.gather = Gather::nothing;
    how.on_found = OnFound::queued;
  } else if (settings_.collect == "prefix_sum") {
    search_.gather = Gather::prefix_sum;
  } else if (settings_.collect == "filter") {
    search_.gather = Gather::filter;
    how.on_found = OnFound::listed;
    candidates_ = Candidates("collect=filter", n, graph.edge_count());
    how.candidates = candidates_.view();
  }
}

SourceIn SearchParts::source_in() const {
  if (settings_.collect != "scan_free") return SourceIn::no_queue;
  return settings_.expand == "degree_classes" ? SourceIn::class_queue : SourceIn::whole_queue;
}

void SearchParts::fetch_overflow(cudaStream_t stream) {
  BFSLAB_CUDA(cudaMemcpyAsync(overflowed_.data(), search_.collecting.overflow,
                              sizeof(std::uint32_t), cudaMemcpyDeviceToHost, stream));
}

void SearchParts::refuse_overflow() const {
  if (*overflowed_.data() == 0) return;
  throw Unsupported("hierarchical queue: a CTA found more than its " +
                    std::to_string(settings_.capacity) +
                    " entries hold in one level; raise `capacity`, or take another queue");
}

void SearchParts::add_memory(MemoryUse& use) const {
  const std::uint64_t in_shared = kernel_.shared_bytes * kernel_.blocks;
  use.graph += virtual_.bytes();
  use.queues += queue_[0].bytes() + queue_[1].bytes() + candidates_.list_bytes() +
                sub_queues_.bytes() + in_shared;
  use.scratch += words_.bytes() + candidates_.bitmap_bytes() + degree_sums_.bytes();
  use.sized_by_device +=
      sub_queues_.bytes() + in_shared + words_.bytes() + degree_sums_.bytes_by_device();
}

}  // namespace bfslab::cuda
