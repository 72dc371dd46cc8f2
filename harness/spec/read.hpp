// SPDX-License-Identifier: Apache-2.0
// The readers of a spec's parts. Each reports mistakes to `diagnostics` and fills in the
// rest; the contents of `spec` count only if there was no message at all.
#pragma once

#include <string>

#include "harness/spec/diagnostics.hpp"
#include "harness/spec/json_value.hpp"
#include "harness/spec/spec.hpp"

namespace bfslab {

// Returns the spec at `path` merged with those that it extends, without validation. Throws
// InputError if there is no JSON.
Json load_resolved(const std::string& path);

// Reads every key but graphs, base, cases, sweep, zip and baseline.
void read_plain_keys(const Json& json, Spec& spec, Diagnostics& diagnostics);
// Returns the folder to which `file:PATH` in the spec at `file` is relative.
std::string folder_of(const std::string& file);
// Reads the graphs. Call it after read_plain_keys(): listed sources are compared with the graphs.
void read_graphs(const Json& json, Spec& spec, Diagnostics& diagnostics);
// Reads the programs of "external", which are engines from then on.
void read_external(const Json& json, Spec& spec, Diagnostics& diagnostics);
// Reads base, cases, sweep, zip and baseline into spec.configurations. Reports engines that cannot
// take the graphs or give the requested answer.
void read_configurations(const Json& json, Spec& spec, Diagnostics& diagnostics);

// Returns the same text for all files of the same meaning: fixed keys in the order of their tables,
// settings sorted, cases and swept keys as written (their order is the order of the rows), no
// $schema.
std::string canonical_text(const Json& json);
// Returns the part of it that decides a measurement, without the fields whose role is drawing.
std::string measured_text(const Json& json);
// Returns the first 16 hex digits of the text's SHA-256.
std::string short_hash(const std::string& text);

}  // namespace bfslab
