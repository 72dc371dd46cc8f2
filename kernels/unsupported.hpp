// SPDX-License-Identifier: Apache-2.0
// The exception for a legal configuration that cannot traverse this graph on this machine.
#pragma once

#include <string>

#include "datasets/graph/types.hpp"

namespace bfslab {

// Thrown by load, or by traverse if only the traversal shows the problem (a queue that a hub
// overflows). Engine and device remain usable: the next traversal is right, or is refused as well.
// It becomes a row `unsupported` with the message as its reason: what was requested, and the limit
// that it exceeds. Only settings for which EngineInfo::may_refuse holds may throw it; in tests any
// other is a failure.
class Unsupported : public InputError {
 public:
  explicit Unsupported(const std::string& message) : InputError(message) {}
};

}  // namespace bfslab
