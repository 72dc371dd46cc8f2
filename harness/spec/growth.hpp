// SPDX-License-Identifier: Apache-2.0
// Whether rows of one spec are rows of another: a spec may grow, and its protocol may not change.
// Each field says in its table which role it has (FieldRole).
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

// The first difference in protocol of two canonical texts. A key that is missing has its default.
// `invocations` may grow with `repeats`, as long as each process measures equally many of them.
// Throws InputError where `recorded` is no JSON object.
std::optional<ProtocolChange> protocol_change(const std::string& recorded,
                                              const std::string& wanted);

// The hash that parse_spec() gives to a spec of this canonical text; empty where it is no JSON
// object.
std::string spec_hash_of(const std::string& canonical);

// How many repeats of a trial a canonical text asks for at most.
unsigned most_repeats(const std::string& canonical);

}  // namespace bfslab
