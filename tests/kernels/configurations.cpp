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
  if (toggle.name == "threads") return values;
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

bool satisfied(const LegalWith& rule, const Toggles& toggles) {
  return std::find(rule.values.begin(), rule.values.end(), toggles.at(rule.toggle)) !=
         rule.values.end();
}

// Gives the toggles that `fixed` depends on their first legal value. Nothing if that is not enough.
std::optional<Toggles> made_legal(const EngineInfo& info, const ToggleSettings& fixed) {
  Toggles toggles(info.toggles);
  for (const auto& [name, value] : fixed) toggles.set(name, value);
  for (std::size_t round = 0; round < info.toggles.size(); ++round) {
    for (const Toggle& toggle : info.toggles) {
      if (toggles.at(toggle.name) == toggle.default_value) continue;
      for (const LegalWith& rule : toggle.legal_with) {
        if (!satisfied(rule, toggles)) toggles.set(rule.toggle, rule.values.front());
      }
    }
  }
  const bool kept = std::all_of(fixed.begin(), fixed.end(), [&](const auto& setting) {
    return toggles.at(setting.first) == setting.second;
  });
  if (!kept || !is_legal(info, toggles)) return std::nullopt;
  return toggles;
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

bool is_legal(const EngineInfo& info, const Toggles& toggles) {
  for (const Toggle& toggle : info.toggles) {
    if (toggles.at(toggle.name) == toggle.default_value) continue;
    for (const LegalWith& rule : toggle.legal_with) {
      if (!satisfied(rule, toggles)) return false;
    }
  }
  return true;
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
