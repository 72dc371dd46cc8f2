// SPDX-License-Identifier: Apache-2.0
// Specs that a command makes from its options: graphs, engines and settings without a file.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "harness/spec/json_value.hpp"
#include "harness/spec/spec.hpp"

namespace CLI {
class App;
}

namespace bfslab {

struct DirectArguments {
  std::vector<std::string> graphs;
  std::vector<std::string> set;  // "threads=2", "hybrid.threads=2"
  unsigned sources = 16;
  unsigned repeats = 4;
  std::string name;  // empty: made from the contents
  std::string spec_file;
};

// Adds GRAPH..., --set, --sources, --repeats, --name and --spec. `arguments` must live until the
// command has been parsed.
void add_direct_options(CLI::App& command, DirectArguments& arguments);

// Returns the engine of that name. Throws InputError, with the nearest name, where there is none,
// and for a counter.
const EngineInfo& traversing_engine(const std::string& name);

// A setting of --set: "hybrid.threads=[1,2]" is {"hybrid", "threads", [1, 2]}.
struct DirectSetting {
  std::string engine;  // empty: of every engine
  std::string key;
  Json value;  // JSON, or else the text
};
// Throws InputError for a text without a key or a value.
DirectSetting parse_setting(const std::string& text);

// Returns the keys that every such spec has: name, graphs, sources, repeats, invocations. Relative
// paths of graphs become absolute, so that the spec means the same in any folder.
Json begun_spec(const DirectArguments& arguments, bool allow_stand_ins);

// Sets the repeats, and the number of processes that share them: their largest divisor of at most
// four.
void set_repeats(Json& spec, unsigned repeats);

// Returns the spec. Messages name `command` and its options in place of file and line.
Spec direct_spec(const Json& json, const std::string& command);

// Returns "bench-0123abcd": `command`, and the beginning of the hash of what decides the
// measurement, the files of the plugins that have its engines included.
std::string name_by_contents(const Json& json, const std::string& command);

// Writes the spec to a file, unless it has that text already. Throws InputError if the file has
// another text.
void write_spec(const std::string& file, const Json& json);

// Throws InputError, with the reason, if an engine cannot run on this machine.
void require_engines_here(const Spec& spec, const std::string& command);

}  // namespace bfslab
