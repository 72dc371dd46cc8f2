// SPDX-License-Identifier: Apache-2.0
// "extends": a spec that states its changes of another spec.
#pragma once

#include <string>

#include "harness/spec/diagnostics.hpp"
#include "harness/spec/json_value.hpp"

namespace bfslab {

// Returns the text of the spec at `path`. Throws InputError with the nearest file's name if there
// is none.
std::string read_spec_file(const std::string& path);

// Merges `text`, the contents of `file`, with the spec that its "extends" names (relative to
// `file`), with the spec that that one extends, and so on. A top-level key replaces the extended
// spec's; "base" and "cases" are merged key by key, each key replaced as a whole; "name" and
// "$schema" are never taken over. The result has no "extends". Registers each file with
// `diagnostics`, and throws InputError when a text is no JSON, or a file is missing or extends
// itself.
Json resolve_extends(const std::string& text, const std::string& file, Diagnostics& diagnostics);

}  // namespace bfslab
