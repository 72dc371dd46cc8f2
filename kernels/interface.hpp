// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace bfslab {

// The base of classes that are used through a pointer to them: neither copied nor moved.
class Interface {
 public:
  Interface() = default;
  Interface(const Interface&) = delete;
  Interface& operator=(const Interface&) = delete;
  virtual ~Interface() = default;
};

}  // namespace bfslab
