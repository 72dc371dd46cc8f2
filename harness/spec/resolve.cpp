// Layers of settings -> every toggle of an engine decided.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>

#include "harness/spec/settings.hpp"

namespace bfslab {

namespace {

std::string in_case(const EngineUse& use) { return fmt::format(" in case \"{}\"", use.case_name); }

class Resolver {
 public:
  Resolver(const EngineUse& use, const std::vector<Setting>& settings, Diagnostics& diagnostics)
      : use_(use), settings_(settings), diagnostics_(diagnostics), toggles_(use.engine->toggles) {}

  std::optional<Toggles> resolve() {
    apply_preset();
    for (const Layer layer : {Layer::base, Layer::cases, Layer::swept}) {
      apply_groups(layer);
      apply_toggles(layer);
    }
    check_legal();
    if (refused_) return std::nullopt;
    return toggles_;
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
    for (const Preset& preset : use_.engine->presets) {
      if (*chosen->value != preset.name) continue;
      for (const auto& [toggle, value] : preset.settings) set(toggle, value, chosen->path);
    }
  }

  void apply_groups(Layer layer) {
    for (const ToggleGroup& group : use_.engine->groups) {
      const Setting* chosen = find(group.name);
      if (chosen == nullptr || chosen->layer != layer) continue;
      for (const auto& [expansion, settings] : group.expansions) {
        if (!same_value(expansion, *chosen->value)) continue;
        for (const auto& [toggle, value] : settings) set(toggle, value, chosen->path);
      }
    }
  }

  void apply_toggles(Layer layer) {
    for (const Toggle& toggle : use_.engine->toggles) {
      const Setting* written = find(toggle.name);
      if (written == nullptr || written->layer != layer) continue;
      set(toggle.name, toggle_value(toggle, *written->value), written->path);
    }
  }

  [[nodiscard]] const char* default_mark(const std::string& toggle) const {
    return origins_.count(toggle) > 0 ? "" : " (its default)";
  }

  void check_legal() {
    for (const Toggle& toggle : use_.engine->toggles) {
      const ToggleValue& value = toggles_.at(toggle.name);
      for (const LegalWith& legal : toggle.legal_with) {
        if (!toggle.is_bound(legal, value) || legal.allows(toggles_)) continue;
        const ToggleValue& other = toggles_.at(legal.toggle);
        std::vector<std::string> words;
        for (const ToggleValue& each : legal.values) words.push_back(to_text(each));
        refused_ = true;
        const bool own = origins_.count(toggle.name) > 0;
        diagnostics_.add(
            origins_[own ? toggle.name : legal.toggle],
            fmt::format("{} = {}{} with {} = {}{}{}", toggle.name, to_text(value),
                        default_mark(toggle.name), legal.toggle, to_text(other),
                        default_mark(legal.toggle), in_case(use_)),
            fmt::format("{} = {} for that: {}", legal.toggle, alternatives(words), legal.reason));
      }
    }
  }

  const EngineUse& use_;
  const std::vector<Setting>& settings_;
  Diagnostics& diagnostics_;
  Toggles toggles_;
  std::map<std::string, std::string> origins_;  // toggle -> path that decided it; none: default
  bool refused_ = false;
};

}  // namespace

bool check_groups(const EngineInfo& engine, const std::vector<Setting>& settings,
                  Diagnostics& diagnostics) {
  struct Wish {
    ToggleValue value;
    std::string text;
  };
  const auto find = [&](const std::string& key) {
    return std::find_if(settings.begin(), settings.end(),
                        [&](const Setting& setting) { return setting.key == key; });
  };
  std::map<std::string, Wish> wishes;  // by toggle
  bool agree = true;
  for (const ToggleGroup& group : engine.groups) {
    const auto chosen = find(group.name);
    if (chosen == settings.end()) continue;
    for (const auto& [expansion, expanded] : group.expansions) {
      if (!same_value(expansion, *chosen->value)) continue;
      for (const auto& [toggle, value] : expanded) {
        const std::string text = fmt::format("{} = {}, which sets {} = {}", group.name,
                                             to_text(expansion), toggle, to_text(value));
        const auto [wish, fresh] = wishes.emplace(toggle, Wish{value, text});
        if (fresh || wish->second.value == value || find(toggle) != settings.end()) continue;
        agree = false;
        diagnostics.add(chosen->path, fmt::format("{}, beside {}", text, wish->second.text),
                        fmt::format("groups that agree, or \"{}\" itself beside them", toggle));
      }
    }
  }
  return agree;
}

std::optional<Toggles> resolve_toggles(const EngineUse& use, const std::vector<Setting>& settings,
                                       Diagnostics& diagnostics) {
  return Resolver(use, settings, diagnostics).resolve();
}

}  // namespace bfslab
