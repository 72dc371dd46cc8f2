// GPU engines are declared in every build and made only where CUDA is.
#pragma once

#include <memory>
#include <string>

#include "kernels/cuda/search/settings.hpp"
#include "kernels/engine.hpp"

namespace bfslab::cuda {

// Throws InputError: this build has no CUDA.
[[noreturn]] void refuse_without_cuda(const std::string& engine);

#ifdef BFSLAB_HAVE_CUDA
std::unique_ptr<Engine> make_cs406(const EngineSettings& settings);
std::unique_ptr<Engine> make_gunrock(const EngineSettings& settings);
std::unique_ptr<Engine> make_xbfs(const EngineSettings& settings);
// `engine` is a string literal. load throws Unsupported where the device has too little shared
// memory for the capacity or runs fewer CTAs, and traverse where a hierarchical queue overflows.
std::unique_ptr<Engine> make_search(const char* engine, const SearchSettings& settings,
                                    Answer answer);
#else
inline std::unique_ptr<Engine> make_cs406(const EngineSettings&) {
  refuse_without_cuda("cs406-cuda");
}
inline std::unique_ptr<Engine> make_gunrock(const EngineSettings&) {
  refuse_without_cuda("gunrock");
}
inline std::unique_ptr<Engine> make_xbfs(const EngineSettings&) { refuse_without_cuda("xbfs"); }
inline std::unique_ptr<Engine> make_search(const char* engine, const SearchSettings&, Answer) {
  refuse_without_cuda(engine);
}
#endif

}  // namespace bfslab::cuda
