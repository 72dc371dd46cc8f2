// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/configurations.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>

namespace bfslab::tests {

namespace {

using Values = std::vector<ToggleValue>;

// The default first.
Values values_of(const Toggle& toggle) {
  Values values{toggle.default_value};
  const auto add = [&](const ToggleValue& value) {
    if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
  };
  if (toggle.name == "threads" && toggle.kind == ToggleKind::integer) return values;
  switch (toggle.kind) {
    case ToggleKind::flag:
      add(false);
      add(true);
      break;
    case ToggleKind::choice:
      for (const std::string& choice : toggle.choices) add(choice);
      break;
    case ToggleKind::integer:
      add(static_cast<std::int64_t>(toggle.minimum));
      add(static_cast<std::int64_t>(toggle.maximum));
      break;
    case ToggleKind::real:
      add(toggle.minimum);
      add(toggle.maximum);
      break;
  }
  return values;
}

// The first rule that `toggles` break, with the toggle that it is of; nullptrs where there is none.
std::pair<const Toggle*, const LegalWith*> broken_rule(const EngineInfo& info,
                                                       const Toggles& toggles) {
  for (const Toggle& toggle : info.toggles) {
    for (const LegalWith& rule : toggle.legal_with) {
      if (toggle.is_bound(rule, toggles.at(toggle.name)) && !rule.allows(toggles)) {
        return {&toggle, &rule};
      }
    }
  }
  return {nullptr, nullptr};
}

// Legal toggles that keep the `held` ones: where a rule is broken, one of its two toggles that is
// free takes a value that satisfies it, and is held from then on. Every such value is tried.
std::optional<Toggles> mended(const EngineInfo& info, const Toggles& toggles,
                              const std::set<std::string>& held) {
  const auto [toggle, rule] = broken_rule(info, toggles);
  if (rule == nullptr) return toggles;
  const auto tried = [&](const std::string& name, const ToggleValue& value) {
    Toggles changed = toggles;
    changed.set(name, value);
    std::set<std::string> wider = held;
    wider.insert(name);
    return mended(info, changed, wider);
  };
  if (held.count(rule->toggle) == 0) {
    for (const ToggleValue& value : rule->values) {
      if (auto found = tried(rule->toggle, value)) return found;
    }
  }
  if (held.count(toggle->name) == 0) {  // its default is bound
    for (const ToggleValue& value : values_of(*toggle)) {
      if (toggle->is_bound(*rule, value)) continue;
      if (auto found = tried(toggle->name, value)) return found;
    }
  }
  return std::nullopt;
}

// `fixed` with whatever other toggles that needs. Nothing if no setting of them makes it legal.
std::optional<Toggles> made_legal(const EngineInfo& info, const ToggleSettings& fixed) {
  Toggles toggles(info.toggles);
  std::set<std::string> held;
  for (const auto& [name, value] : fixed) {
    toggles.set(name, value);
    held.insert(name);
  }
  return mended(info, toggles, held);
}

void add_unique(std::vector<Toggles>& all, const Toggles& toggles) {
  const auto same = [&](const Toggles& other) { return other.text() == toggles.text(); };
  if (std::none_of(all.begin(), all.end(), same)) all.push_back(toggles);
}

// (toggle, value, toggle, value), by position in the table and in values_of.
using Pair = std::tuple<std::size_t, std::size_t, std::size_t, std::size_t>;

}  // namespace

std::vector<const EngineInfo*> traversing_engines(bool gpu) {
  std::vector<const EngineInfo*> out = engines();
  std::erase_if(out,
                [gpu](const EngineInfo* info) { return info->counts() || info->can.gpu != gpu; });
  return out;
}

bool counts_threads(const Toggles& toggles) {
  return toggles.has("threads") && std::holds_alternative<std::int64_t>(toggles.at("threads"));
}

bool is_legal(const EngineInfo& info, const Toggles& toggles) {
  return broken_rule(info, toggles).second == nullptr;
}

std::vector<Toggles> each_value(const EngineInfo& info) {
  std::vector<Toggles> out{Toggles(info.toggles)};
  for (const Toggle& toggle : info.toggles) {
    for (const ToggleValue& value : values_of(toggle)) {
      if (const auto toggles = made_legal(info, {{toggle.name, value}})) add_unique(out, *toggles);
    }
  }
  for (const Preset& preset : info.presets) {
    Toggles toggles(info.toggles);
    for (const auto& [name, value] : preset.settings) toggles.set(name, value);
    add_unique(out, toggles);
  }
  return out;
}

std::vector<Toggles> each_pair(const EngineInfo& info) {
  const std::vector<Toggle>& table = info.toggles;
  std::vector<Values> values;
  for (const Toggle& toggle : table) values.push_back(values_of(toggle));

  std::set<Pair> open;
  for (std::size_t i = 0; i < table.size(); ++i) {
    for (std::size_t j = i + 1; j < table.size(); ++j) {
      for (std::size_t a = 0; a < values[i].size(); ++a) {
        for (std::size_t b = 0; b < values[j].size(); ++b) open.insert({i, a, j, b});
      }
    }
  }
  const auto close = [&](const Toggles& toggles) {
    std::erase_if(open, [&](const Pair& pair) {
      const auto [i, a, j, b] = pair;
      return toggles.at(table[i].name) == values[i][a] && toggles.at(table[j].name) == values[j][b];
    });
  };

  std::vector<Toggles> out = each_value(info);
  for (const Toggles& toggles : out) close(toggles);
  while (!open.empty()) {
    // Start from one open pair and add to it whatever open pairs still fit.
    ToggleSettings fixed;
    std::optional<Toggles> best;
    for (const Pair& pair : std::vector<Pair>(open.begin(), open.end())) {
      const auto [i, a, j, b] = pair;
      ToggleSettings wider = fixed;
      bool fits = true;
      for (const auto& [toggle, value] : {std::pair{i, a}, std::pair{j, b}}) {
        const std::string& name = table[toggle].name;
        const auto held = std::find_if(wider.begin(), wider.end(),
                                       [&](const auto& setting) { return setting.first == name; });
        if (held == wider.end()) {
          wider.emplace_back(name, values[toggle][value]);
        } else if (held->second != values[toggle][value]) {
          fits = false;
        }
      }
      if (!fits) continue;
      if (const auto toggles = made_legal(info, wider)) {
        fixed = wider;
        best = toggles;
      } else if (fixed.empty()) {
        open.erase(pair);  // not legal, even alone
      }
    }
    if (!best) continue;
    add_unique(out, *best);
    close(*best);
  }
  return out;
}

}  // namespace bfslab::tests
