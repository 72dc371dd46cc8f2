// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/short_names.hpp"

#include "datasets/name/bare_name.hpp"
#include "datasets/name/graph_name.hpp"

namespace bfslab {

ShortNames::ShortNames() {
  for (const std::string& name : bare_names()) {
    names_.emplace(GraphName::parse(name).canonical, name);
  }
}

std::string ShortNames::of(const std::string& canonical) const {
  const auto known = names_.find(canonical);
  if (known != names_.end()) return known->second;
  const std::string defaults = ',' + BuildOptions().canonical();
  if (!canonical.ends_with(defaults)) return canonical;
  return canonical.substr(0, canonical.size() - defaults.size());
}

}  // namespace bfslab
