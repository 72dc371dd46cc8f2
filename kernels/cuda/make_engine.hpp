// GPU engines are declared in every build and made only where CUDA is.
#pragma once

#include <memory>
#include <string>

#include "kernels/engine.hpp"

namespace bfslab::cuda {

// Throws InputError: this build has no CUDA.
[[noreturn]] void refuse_without_cuda(const std::string& engine);

#ifdef BFSLAB_HAVE_CUDA
std::unique_ptr<Engine> make_cs406(const EngineSettings& settings);
std::unique_ptr<Engine> make_gunrock(const EngineSettings& settings);
std::unique_ptr<Engine> make_xbfs(const EngineSettings& settings);
#else
inline std::unique_ptr<Engine> make_cs406(const EngineSettings&) {
  refuse_without_cuda("cs406-cuda");
}
inline std::unique_ptr<Engine> make_gunrock(const EngineSettings&) {
  refuse_without_cuda("gunrock");
}
inline std::unique_ptr<Engine> make_xbfs(const EngineSettings&) { refuse_without_cuda("xbfs"); }
#endif

}  // namespace bfslab::cuda
