// SPDX-License-Identifier: Apache-2.0
// Plugins: shared libraries whose engines join those that are linked in (kernels/plugin.hpp).
#pragma once

#include <string>
#include <vector>

namespace bfslab {

struct Plugin {
  std::string path;                       // absolute
  std::string file;                       // the path's last part: "libmine.so"
  std::string sha256;                     // of the file's bytes, 64 hexadecimal digits
  std::vector<std::string> engines = {};  // their names
};

// Loads a plugin and registers its engines, for the rest of the process. A file that is loaded
// already is passed over. `sha256`: the hash that the file must have; empty for any. Throws
// InputError for a file that cannot be read, is no plugin, has another contract or another hash,
// lacks a symbol, or has an engine that cannot be registered. Its code runs only after the
// contract has been compared.
void load_plugin(const std::string& path, const std::string& sha256 = {});

// Returns the loaded plugins, in the order of loading.
const std::vector<Plugin>& plugins();

// Returns the plugin that has the engine of that name; nullptr if none has.
const Plugin* plugin_of(const std::string& engine);

// Returns the words of a command line that make another process load the same files:
// {"--plugin", "HASH:PATH", ...}.
std::vector<std::string> plugin_words();

// Loads what a word "HASH:PATH" of plugin_words() names. Throws as load_plugin() does.
void load_plugin_word(const std::string& word);

}  // namespace bfslab
