// SPDX-License-Identifier: Apache-2.0
#include "datasets/name/graph_name.hpp"
#include "tests/fuzz/target.hpp"

namespace bfslab::fuzz {

namespace {

void run(Input input) {
  const GraphName name = GraphName::parse(as_text(input));
  require(!name.canonical.empty() && name.canonical.starts_with(name.kind + ":"),
          "the canonical name does not begin with its kind: " + name.canonical);
  const GraphName again = GraphName::parse(name.canonical);
  require(again.canonical == name.canonical,
          "the canonical name means another graph: " + name.canonical + ", " + again.canonical);
  require(again.kind == name.kind && again.path == name.path && again.values == name.values,
          "the canonical name has other parameters: " + name.canonical);
  static_cast<void>(predict_size(name));
}

}  // namespace

Target graph_name_target() { return {"graph_name", "the parser of graph names", run}; }

}  // namespace bfslab::fuzz
