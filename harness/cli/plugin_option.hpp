// SPDX-License-Identifier: Apache-2.0
// --plugin, which commands that name engines have in common.
#pragma once

namespace CLI {
class App;
}

namespace bfslab {

// Adds --plugin FILE. Its files are loaded while the command line is read, before the command's
// callback runs, so that their engines are known wherever an engine may be named. InputError then
// leaves CLI::App::parse().
void add_plugin_option(CLI::App& command);

}  // namespace bfslab
