// SPDX-License-Identifier: Apache-2.0
// Resolves layers of settings into a value for every toggle of an engine.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "harness/spec/settings.hpp"

namespace bfslab {

namespace {

class Resolver {
 public:
  Resolver(const EngineUse& use, const std::vector<Setting>& settings)
      : engine_(*use.engine),
        settings_(settings),
        out_{{use.case_name, use.engine, Toggles(use.engine->toggles)}, {}},
        toggles_(out_.configuration.toggles) {}

  Resolution resolve() {
    apply_preset();
    for (const Layer layer : {Layer::base, Layer::cases, Layer::swept}) {
      apply_groups(layer);
      apply_toggles(layer);
    }
    check_legal();
    take_processes("ranks", out_.configuration.ranks);
    take_processes("gpus_per_rank", out_.configuration.gpus_per_rank);
    return std::move(out_);
  }

 private:
  [[nodiscard]] const Setting* find(const std::string& key) const {
    for (const Setting& setting : settings_) {
      if (setting.key == key) return &setting;
    }
    return nullptr;
  }

  void set(const std::string& toggle, const ToggleValue& value, const std::string& path) {
    toggles_.set(toggle, value);
    origins_[toggle] = path;
  }

  void apply_preset() {
    const Setting* chosen = find("preset");
    if (chosen == nullptr) return;
    for (const Preset& preset : engine_.presets) {
      if (*chosen->value != preset.name) continue;
      for (const auto& [toggle, value] : preset.settings) set(toggle, value, chosen->path);
    }
  }

  void apply_groups(Layer layer) {
    for (const ToggleGroup& group : engine_.groups) {
      const Setting* chosen = find(group.name);
      if (chosen == nullptr || chosen->layer != layer) continue;
      for (const auto& [expansion, settings] : group.expansions) {
        if (!same_value(expansion, *chosen->value)) continue;
        for (const auto& [toggle, value] : settings) set(toggle, value, chosen->path);
      }
    }
  }

  void apply_toggles(Layer layer) {
    for (const Toggle& toggle : engine_.toggles) {
      const Setting* written = find(toggle.name);
      if (written == nullptr || written->layer != layer) continue;
      set(toggle.name, toggle_value(toggle, *written->value), written->path);
    }
  }

  [[nodiscard]] const char* default_mark(const std::string& toggle) const {
    return origins_.count(toggle) > 0 ? "" : " (its default)";
  }

  void check_legal() {
    for (const Toggle& toggle : engine_.toggles) {
      const ToggleValue& value = toggles_.at(toggle.name);
      for (const LegalWith& legal : toggle.legal_with) {
        if (!toggle.is_bound(legal, value) || legal.allows(toggles_)) continue;
        std::vector<std::string> words;
        for (const ToggleValue& each : legal.values) words.push_back(to_text(each));
        const bool own = origins_.count(toggle.name) > 0;
        out_.refusals.push_back(
            {origins_[own ? toggle.name : legal.toggle],
             fmt::format("{} = {}{} with {} = {}{}", toggle.name, to_text(value),
                         default_mark(toggle.name), legal.toggle,
                         to_text(toggles_.at(legal.toggle)), default_mark(legal.toggle)),
             fmt::format("{} = {}", legal.toggle, alternatives(words)), legal.reason});
      }
    }
  }

  void take_processes(const std::string& key, unsigned& out) {
    const Setting* written = find(key);
    if (written == nullptr || process_field(engine_, key) == nullptr) return;
    out = static_cast<unsigned>(as_integer(*written->value));
    if (out == 1 || engine_.can.distributed) return;
    out_.refusals.push_back({written->path,
                             fmt::format("{} = {} with engine = {}", key, out, engine_.name),
                             key + " = 1", "this engine runs as one process on one device"});
  }

  const EngineInfo& engine_;
  const std::vector<Setting>& settings_;
  Resolution out_;
  Toggles& toggles_;
  std::map<std::string, std::string> origins_;  // toggle -> the path that decided it; none: default
};

}  // namespace

bool check_groups(const EngineInfo& engine, const std::vector<Setting>& settings,
                  Diagnostics& diagnostics) {
  struct WantedValue {
    ToggleValue value;
    std::string text;
  };
  const auto find = [&](const std::string& key) {
    return std::find_if(settings.begin(), settings.end(),
                        [&](const Setting& setting) { return setting.key == key; });
  };
  std::map<std::string, WantedValue> wanted;  // toggle -> the wanted value
  bool agree = true;
  for (const ToggleGroup& group : engine.groups) {
    const auto chosen = find(group.name);
    if (chosen == settings.end()) continue;
    for (const auto& [expansion, expanded] : group.expansions) {
      if (!same_value(expansion, *chosen->value)) continue;
      for (const auto& [toggle, value] : expanded) {
        const std::string text = fmt::format("{} = {}, which sets {} = {}", group.name,
                                             to_text(expansion), toggle, to_text(value));
        const auto [present, fresh] = wanted.emplace(toggle, WantedValue{value, text});
        if (fresh || present->second.value == value || find(toggle) != settings.end()) continue;
        agree = false;
        diagnostics.add(chosen->path, fmt::format("{}, beside {}", text, present->second.text),
                        fmt::format("groups that agree, or \"{}\" itself beside them", toggle));
      }
    }
  }
  return agree;
}

Resolution resolve(const EngineUse& use, const std::vector<Setting>& settings) {
  return Resolver(use, settings).resolve();
}

}  // namespace bfslab
