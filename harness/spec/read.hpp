// SPDX-License-Identifier: Apache-2.0
// The readers of a spec's parts. Each reports mistakes to `diagnostics` and fills in the
// rest; the contents of `spec` count only if there was no message at all.
#pragma once

#include <string>

#include "harness/spec/diagnostics.hpp"
#include "harness/spec/json_value.hpp"
#include "harness/spec/spec.hpp"

namespace bfslab {

// The spec at `path` over those that it extends; nothing of it is validated. Throws InputError
// where there is no JSON.
Json load_resolved(const std::string& path);

// Every key but graphs, base, cases, sweep, zip and baseline.
void read_plain_keys(const Json& json, Spec& spec, Diagnostics& diagnostics);
// The folder that `file:PATH` in the spec at `file` starts at.
std::string folder_of(const std::string& file);
// After read_plain_keys: listed sources are compared with the graphs.
void read_graphs(const Json& json, Spec& spec, Diagnostics& diagnostics);
// The programs of "external", which are engines from then on.
void read_external(const Json& json, Spec& spec, Diagnostics& diagnostics);
// base, cases, sweep, zip and baseline -> spec.configurations; and what engines cannot do with the
// graphs and the requested answer.
void read_configurations(const Json& json, Spec& spec, Diagnostics& diagnostics);

// The same text for the same meaning of a file: fixed keys in the order of their tables, settings
// sorted, cases and swept keys as written (their order is the order of the rows), no $schema.
std::string canonical_text(const Json& json);
// The part of it that decides a measurement, without the fields whose role is drawing.
std::string measured_text(const Json& json);
// First 16 hex digits of SHA-256.
std::string short_hash(const std::string& text);

}  // namespace bfslab
