// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/plugin_option.hpp"

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "harness/plugin/plugins.hpp"

namespace bfslab {

void add_plugin_option(CLI::App& command) {
  command
      .add_option_function<std::vector<std::string>>(
          "--plugin",
          [](const std::vector<std::string>& files) {
            for (const std::string& file : files) load_plugin(file);
          },
          "Shared library with engines of your own (docs/own_engine.md; repeatable)")
      ->type_name("FILE")
      ->allow_extra_args(false);
}

}  // namespace bfslab
