// What an engine throws at a configuration that is legal and yet cannot traverse this graph on this
// machine.
#pragma once

#include <string>

#include "datasets/graph/types.hpp"

namespace bfslab {

// Thrown by load, or by traverse where only the traversal shows it (a queue that a hub overflows).
// Engine and device are sound: another traversal is right or refused as well. A row `unsupported`
// with the message as its reason: what was asked for, and the limit that it exceeds. Only settings
// for which EngineInfo::may_refuse holds may throw it: tests take it from no other.
class Unsupported : public InputError {
 public:
  explicit Unsupported(const std::string& message) : InputError(message) {}
};

}  // namespace bfslab
