// SPDX-License-Identifier: Apache-2.0
// Plugins: shared libraries with engines of your own, which `bfslab run --plugin` loads.
//
//   #include "kernels/plugin.hpp"
//   class Mine final : public bfslab::Engine {...};
//   BFSLAB_PLUGIN({.name = "mine", .summary = "...", .estimate = ..., .make = ...})
//
// docs/own_engine.md is the guide. BFSLAB_PLUGIN stands once in a plugin, outside of all
// namespaces, and takes one or several EngineInfo.
#pragma once

#include <string>
#include <vector>

#include "kernels/engine.hpp"

// The version of the contract, which is every header that this one includes. It changes with any
// change of their code, since programs and plugins share objects of these types:
// tests/frontdoor/test_contract.py compares.
#define BFSLAB_CONTRACT "2"

// The standard library's types are part of the contract, too.
#if defined(_LIBCPP_VERSION)
#define BFSLAB_STANDARD_LIBRARY "libc++"
#elif defined(_GLIBCXX_DEBUG)
#define BFSLAB_STANDARD_LIBRARY "libstdc++ with _GLIBCXX_DEBUG"
#elif _GLIBCXX_USE_CXX11_ABI
#define BFSLAB_STANDARD_LIBRARY "libstdc++"
#else
#define BFSLAB_STANDARD_LIBRARY "libstdc++ with _GLIBCXX_USE_CXX11_ABI=0"
#endif

// The mark by which a file is a plugin. bfslab searches the file for it, and so compares the
// contracts before it runs any of the plugin's code.
#define BFSLAB_PLUGIN_MARK_BEGIN "bfslab plugin: contract "
#define BFSLAB_PLUGIN_MARK \
  BFSLAB_PLUGIN_MARK_BEGIN BFSLAB_CONTRACT ", standard library " BFSLAB_STANDARD_LIBRARY

#define BFSLAB_PLUGIN(...)                                                                  \
  extern "C" {                                                                              \
  [[gnu::used, gnu::visibility("default")]] char bfslab_plugin_mark[] = BFSLAB_PLUGIN_MARK; \
  [[gnu::used, gnu::visibility("default")]] void bfslab_plugin_engines(                     \
      std::vector<bfslab::EngineInfo>& engines) {                                           \
    engines = std::vector<bfslab::EngineInfo>{__VA_ARGS__};                                 \
  }                                                                                         \
  }
