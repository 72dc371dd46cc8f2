// SPDX-License-Identifier: Apache-2.0
#include "harness/spec/spec.hpp"
#include "tests/fuzz/target.hpp"

namespace bfslab::fuzz {

namespace {

// The spec, then the arguments of --set, each after a zero byte.
void run(Input input) {
  std::vector<std::string> parts(1);
  for (const char c : as_text(input)) {
    if (c == '\0' && parts.size() < 8) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  const std::vector<std::string> overrides(parts.begin() + 1, parts.end());
  const Spec spec = [&] {
    try {
      return parse_spec(parts.front(), "fuzz.json", overrides);
    } catch (const InputError& error) {
      const std::string message = error.what();
      require(message.starts_with("fuzz.json") || message.starts_with("--set"),
              "the message does not begin with the file: " + message);
      throw;
    }
  }();
  require(!spec.configurations.empty(), "a spec without configurations");
  require(!spec.graphs.empty(), "a spec without graphs");
  for (const Configuration& configuration : spec.configurations) {
    require(configuration.engine != nullptr, "a configuration without an engine");
  }
  const Spec again = parse_spec(spec.canonical, "canonical.json");
  require(again.hash == spec.hash, "the canonical text means another spec");
  require(again.configurations.size() == spec.configurations.size() &&
              again.graphs.size() == spec.graphs.size(),
          "the canonical text has other trials");
}

}  // namespace

Target spec_target() { return {"spec", "the parser of specs, with --set", run}; }

}  // namespace bfslab::fuzz
