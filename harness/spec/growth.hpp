// SPDX-License-Identifier: Apache-2.0
// Growth: rows of one spec stay rows of another if the spec has only grown. Its protocol may not
// change. The tables of fields have the role of each field (FieldRole).
#pragma once

#include <optional>
#include <string>

namespace bfslab {

// A key of the protocol, and its two values as JSON.
struct ProtocolChange {
  std::string key;       // "limits.trial_s"
  std::string recorded;  // "10"
  std::string wanted;    // "60"
};

// Returns the first difference in protocol of two canonical texts. A missing key has its default.
// `invocations` may grow with `repeats`, as long as each process measures the same number of them.
// Throws InputError if `recorded` is no JSON object.
std::optional<ProtocolChange> protocol_change(const std::string& recorded,
                                              const std::string& wanted);

// Returns the hash that parse_spec() gives to a spec of this canonical text; empty if it is no JSON
// object.
std::string spec_hash_of(const std::string& canonical);

// Returns the maximum number of repeats of a trial in a canonical text.
unsigned max_repeats(const std::string& canonical);

}  // namespace bfslab
