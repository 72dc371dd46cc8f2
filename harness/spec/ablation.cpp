// SPDX-License-Identifier: Apache-2.0
#include "harness/spec/ablation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "harness/spec/json_path.hpp"
#include "harness/spec/settings.hpp"

namespace bfslab {

namespace {

constexpr double kFewValues = 8;  // an integer of so few is a choice

Json json_of(const ToggleValue& value) {
  return std::visit([](const auto& each) { return Json(each); }, value);
}

// Returns the values that an ablation gives to a toggle; none for a number of many values.
std::vector<ToggleValue> values_of(const Toggle& toggle) {
  if (toggle.kind == ToggleKind::flag) return {true, false};
  std::vector<ToggleValue> values;
  if (toggle.kind == ToggleKind::choice) {
    for (const std::string& choice : toggle.choices) values.emplace_back(choice);
  }
  if (toggle.kind == ToggleKind::integer && toggle.maximum - toggle.minimum < kFewValues) {
    const auto last = static_cast<std::int64_t>(toggle.maximum);
    for (auto each = static_cast<std::int64_t>(toggle.minimum); each <= last; ++each) {
      values.emplace_back(each);
    }
  }
  return values;
}

// A departure from everything on: a flag is off, or a choice has another value.
struct Departure {
  std::string toggle;
  ToggleValue value;

  [[nodiscard]] bool turns_off() const { return value == ToggleValue(false); }
  // Returns the name of the technique that the change adds or, of a flag, removes.
  [[nodiscard]] std::string technique() const {
    return turns_off() ? toggle : fmt::format("{}={}", toggle, to_text(value));
  }
  // Returns "no async" or "queue=shuffled".
  [[nodiscard]] std::string words() const { return (turns_off() ? "no " : "") + technique(); }
  [[nodiscard]] Json settings() const { return {{toggle, json_of(value)}}; }
};

class AblationMaker {
 public:
  AblationMaker(const EngineInfo& engine, const Json& base) : engine_(engine) {
    out_.base = base;
    find_fixed();
  }

  Ablation make(bool pairs) {
    turn_on_flags();
    const Resolution whole = resolved(Json::object());
    add_case(all_, Json::object());
    add_departures(whole.configuration.toggles);
    add_flags_alone();
    if (pairs) add_pairs();
    for (const Toggle& toggle : engine_.toggles) {
      if (fixed_.contains(toggle.name) || values_of(toggle).empty()) {
        out_.not_varied.push_back(toggle.name);
      }
    }
    return std::move(out_);
  }

 private:
  // Finds the toggles that the base sets, itself or by a group.
  void find_fixed() {
    for (const auto& [key, value] : out_.base.items()) {
      fixed_.insert(key);
      for (const ToggleGroup& group : engine_.groups) {
        if (group.name != key) continue;
        for (const auto& [expansion, settings] : group.expansions) {
          if (!same_value(expansion, value)) continue;
          for (const auto& [toggle, of_toggle] : settings) fixed_.insert(toggle);
        }
      }
    }
  }

  [[nodiscard]] Resolution resolved(const Json& settings) const {
    std::vector<Setting> all;
    for (const auto& [key, value] : out_.base.items()) {
      if (!settings.contains(key)) all.push_back({key, &value, key, Layer::base});
    }
    for (const auto& [key, value] : settings.items()) {
      all.push_back({key, &value, key, Layer::cases});
    }
    return resolve({"", &engine_}, all);
  }

  // Adds the defaults of numbers that the rules refuse beside these settings: a preset's factor of
  // a technique that is off has no say.
  [[nodiscard]] Json complete(Json settings) const {
    const Toggles toggles = resolved(settings).configuration.toggles;
    for (const Toggle& number : engine_.toggles) {
      if (!values_of(number).empty() || fixed_.contains(number.name)) continue;
      const bool refused = std::ranges::any_of(number.legal_with, [&](const LegalWith& rule) {
        return number.is_bound(rule, toggles.at(number.name)) && !rule.allows(toggles);
      });
      if (refused) settings[number.name] = json_of(number.default_value);
    }
    return settings;
  }

  void leave_out(const std::string& what, const Resolution& refused) {
    const Refusal& first = refused.refusals.front();
    out_.left_out.push_back(fmt::format("{}: {}: {}", what, first.found, first.reason));
  }

  // Turns on every flag, in the order of the table, that the rules let be on beside those before.
  void turn_on_flags() {
    for (const Toggle& toggle : engine_.toggles) {
      if (toggle.kind != ToggleKind::flag || fixed_.contains(toggle.name)) continue;
      const Resolution with = resolved({{toggle.name, true}});
      flags_.push_back(toggle.name);
      if (with.refusals.empty()) {
        out_.base[toggle.name] = true;
      } else {
        leave_out(fmt::format("all, {}", toggle.name), with);
        out_.base[toggle.name] = false;
      }
    }
    if (!flags_.empty()) return;
    all_ = out_.base.contains("preset") ? out_.base["preset"].get<std::string>() : "defaults";
  }

  // Returns the name of the case with these settings over the base, which is that of an earlier
  // case if both are one configuration; empty, with a line in `left_out`, if the rules refuse it.
  std::string add_case(const std::string& name, const Json& changes) {
    const Json settings = complete(changes);
    const Resolution resolution = resolved(settings);
    if (!resolution.refusals.empty()) {
      leave_out(name, resolution);
      return "";
    }
    const auto [place, fresh] = names_.emplace(resolution.configuration.text(), name);
    if (fresh) out_.cases.push_back({name, settings});
    return place->second;
  }

  void add_technique(const std::string& name, const std::string& among, const std::string& without,
                     const std::string& with) {
    if (without.empty() || with.empty() || without == with) return;
    const bool known = std::ranges::any_of(out_.techniques, [&](const Technique& each) {
      return each.without == without && each.with == with;
    });
    if (!known) out_.techniques.push_back({name, among, without, with});
  }

  // Each flag off, and each other value of each choice, in everything on.
  void add_departures(const Toggles& whole) {
    for (const Toggle& toggle : engine_.toggles) {
      if (fixed_.contains(toggle.name)) continue;
      for (const ToggleValue& value : values_of(toggle)) {
        if (value == whole.at(toggle.name) || value == ToggleValue(true)) continue;
        const Departure change{toggle.name, value};
        const std::string name =
            add_case(fmt::format("{}, {}", all_, change.words()), change.settings());
        if (name.empty()) {
          refused_.push_back(change);
        } else {
          changes_.push_back(change);
        }
        add_technique(change.technique(), all_, change.turns_off() ? name : all_,
                      change.turns_off() ? all_ : name);
      }
    }
  }

  // Returns the settings that turn off every flag, in the order of the table, that the rules let be
  // off beside those before.
  Json flags_off() {
    Json off = Json::object();
    for (const std::string& flag : flags_) {
      Json more = off;
      more[flag] = false;
      const Resolution without = resolved(complete(more));
      if (without.refusals.empty()) {
        off = more;
      } else {
        leave_out(fmt::format("none, no {}", flag), without);
      }
    }
    return off;
  }

  // Each flag alone, and each value that everything on refuses, in nothing on.
  void add_flags_alone() {
    if (flags_.empty()) return;
    const Json none = flags_off();
    const std::string nothing = add_case("none", none);
    for (const std::string& flag : flags_) {
      if (!none.contains(flag)) continue;
      Json one = none;
      one[flag] = true;
      add_technique(flag, nothing, nothing, add_case("only " + flag, one));
    }
    for (const Departure& change : refused_) {
      if (change.turns_off()) continue;
      Json one = none;
      one.update(change.settings());
      const std::string name = add_case(fmt::format("none, {}", change.words()), one);
      add_technique(change.technique(), nothing, nothing, name);
    }
  }

  void add_pairs() {
    for (std::size_t i = 0; i < changes_.size(); ++i) {
      for (std::size_t k = i + 1; k < changes_.size(); ++k) {
        if (changes_[i].toggle != changes_[k].toggle) add_pair(changes_[i], changes_[k]);
      }
    }
  }

  void add_pair(const Departure& a, const Departure& b) {
    const auto named = [&](const Json& settings) {
      return names_.at(resolved(complete(settings)).configuration.text());
    };
    Json together = a.settings();
    together.update(b.settings());
    const std::string name = add_case(fmt::format("{}, {}", a.words(), b.words()), together);
    if (name.empty()) return;
    const std::string with_a = named(a.settings());
    const std::string with_b = named(b.settings());
    TechniquePair pair{a.technique(), b.technique(), {}, {}, {}, {}};
    // A change that removes a technique leaves it in the two cases without the change.
    const auto used = [&](bool first, bool second) {
      const bool change_a = first != a.turns_off();
      const bool change_b = second != b.turns_off();
      return change_a ? (change_b ? name : with_a) : (change_b ? with_b : all_);
    };
    pair.both = used(true, true);
    pair.first = used(true, false);
    pair.second = used(false, true);
    pair.neither = used(false, false);
    out_.pairs.push_back(std::move(pair));
  }

  const EngineInfo& engine_;
  Ablation out_;
  std::string all_ = "all";
  std::set<std::string> fixed_;
  std::vector<std::string> flags_;
  std::vector<Departure> changes_;            // that everything on takes
  std::vector<Departure> refused_;            // that it refuses
  std::map<std::string, std::string> names_;  // the case of each configuration
};

}  // namespace

Ablation ablation_of(const EngineInfo& engine, const Json& base, bool pairs) {
  return AblationMaker(engine, base).make(pairs);
}

}  // namespace bfslab
