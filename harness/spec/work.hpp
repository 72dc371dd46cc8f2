// SPDX-License-Identifier: Apache-2.0
// Work: the part of a spec that one worker needs, with every configuration as the driver resolved
// it, so that no worker validates or expands a spec again.
#pragma once

#include <span>
#include <string>

#include "harness/spec/spec.hpp"

namespace bfslab {

// Returns JSON text of the spec's plain keys, one graph and some configurations. `graph` and
// `configurations` are indices into the spec's lists.
std::string work_text(const Spec& spec, std::size_t graph,
                      std::span<const std::size_t> configurations);

// Returns a Spec that has that graph and those configurations alone, in their order. `file` is the
// spec's: external programs lie relative to it. Throws std::runtime_error, or what nlohmann's JSON
// throws, for text that work_text() did not write.
Spec read_work(const std::string& text, const std::string& file);

}  // namespace bfslab
