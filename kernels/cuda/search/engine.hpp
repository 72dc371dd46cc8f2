// The engine over search.hpp's kernels: top-down, any frontier with any expansion. `dfq` is its
// full table of toggles, `tigr` one corner of it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "kernels/cuda/make_engine.hpp"

namespace bfslab::cuda {

// Values as the toggles of `dfq` have them.
struct SearchSettings {
  std::string queue = "decentralized";  // none, central, hierarchical
  std::string collect = "single_scan";  // scan_free, prefix_sum, filter
  std::string expand = "virtual_warp";
  bool in_shared_memory = true;      // of the decentralized queue
  bool one_atomic_a_vertex = false;  // else one a warp
  std::uint32_t capacity = 2048;     // entries of a CTA's queue
  unsigned ctas = 0;                 // 0: all that the device runs at once
  unsigned threads = 1024;           // of a CTA
  unsigned width = 32;               // of a virtual warp
  unsigned split = 0;                // most edges of a virtual vertex; 0: vertices are whole
  bool strided = true;               // virtual vertices of a vertex take turns at its edges
  bool persistent = true;            // else a launch a level
};

// `load` throws Unsupported where the device has too little shared memory for the capacity or runs
// fewer CTAs, and `traverse` where a hierarchical queue overflows. Throws InputError in a build
// without CUDA, in the engine's name.
#ifdef BFSLAB_HAVE_CUDA
std::unique_ptr<Engine> make_search(const char* engine, const SearchSettings& settings,
                                    Answer answer);
#else
inline std::unique_ptr<Engine> make_search(const char* engine, const SearchSettings&, Answer) {
  refuse_without_cuda(engine);
}
#endif

// GPU memory beyond the host's CSR: for estimates.
double search_bytes(const SearchSettings& settings, const GraphFacts& facts, Answer answer);

}  // namespace bfslab::cuda
