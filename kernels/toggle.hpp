// SPDX-License-Identifier: Apache-2.0
// Toggles: the settings of an engine that a spec may switch, declared as data. Spec validation, the
// JSON Schema, `bfslab list engines` and the expansion of sweeps read only these tables.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace bfslab {

using ToggleValue = std::variant<bool, std::int64_t, double, std::string>;

// Returns "true", "42", "0.1", "double_scan": as shown in the `toggles` column and in messages.
std::string to_text(const ToggleValue& value);

enum class ToggleKind { flag, integer, real, choice };

class Toggles;

// A toggle may have one of `for_values` (if empty: any value except its default) only while
// `toggle` has one of `values`.
struct LegalWith {
  std::string toggle;
  std::vector<ToggleValue> values;
  std::string reason;  // shown when the pair is refused
  std::vector<ToggleValue> for_values = {};

  [[nodiscard]] bool allows(const Toggles& toggles) const;
};

struct Toggle {
  std::string name;
  ToggleKind kind = ToggleKind::flag;
  std::vector<std::string> choices;  // for choice
  double minimum = 0;                // for integer and real, inclusive
  double maximum = 0;
  ToggleValue default_value;
  std::string doc;
  std::string paper;  // "xbfs 4.1"; empty for our own
  std::vector<LegalWith> legal_with = {};

  // Returns whether `rule`, one of legal_with, applies while this toggle is at `value`.
  [[nodiscard]] bool is_bound(const LegalWith& rule, const ToggleValue& value) const;

  static Toggle flag(std::string name, bool default_value, std::string doc, std::string paper = "",
                     std::vector<LegalWith> legal_with = {});
  static Toggle integer(std::string name, std::int64_t default_value, std::int64_t minimum,
                        std::int64_t maximum, std::string doc, std::string paper = "",
                        std::vector<LegalWith> legal_with = {});
  static Toggle real(std::string name, double default_value, double minimum, double maximum,
                     std::string doc, std::string paper = "",
                     std::vector<LegalWith> legal_with = {});
  static Toggle choice(std::string name, std::string default_value,
                       std::vector<std::string> choices, std::string doc, std::string paper = "",
                       std::vector<LegalWith> legal_with = {});
};

using ToggleSettings = std::vector<std::pair<std::string, ToggleValue>>;

// A paper's term for several toggles: `"ad": true`, `"wb": "thread"`.
struct ToggleGroup {
  std::string name;
  std::string doc;
  // The accepted values and the settings of each; a group of flags has the values true and false.
  std::vector<std::pair<ToggleValue, ToggleSettings>> expansions;
};

// A named starting point: `"preset": "enterprise"`. Explicit toggles override it.
struct Preset {
  std::string name;
  std::string doc;
  ToggleSettings settings;
};

// The resolved toggles of one configuration: every toggle of the engine, defaults included.
class Toggles {
 public:
  Toggles() = default;
  explicit Toggles(const std::vector<Toggle>& table);  // all defaults

  void set(const std::string& name, ToggleValue value) { values_[name] = std::move(value); }
  [[nodiscard]] bool has(std::string_view name) const {
    return values_.find(name) != values_.end();
  }
  // Each throws std::out_of_range for a toggle that the engine did not declare and
  // std::bad_variant_access for one of another kind: both are our bugs, not the user's.
  [[nodiscard]] bool flag(std::string_view name) const { return std::get<bool>(at(name)); }
  [[nodiscard]] std::int64_t integer(std::string_view name) const {
    return std::get<std::int64_t>(at(name));
  }
  [[nodiscard]] double real(std::string_view name) const { return std::get<double>(at(name)); }
  [[nodiscard]] const std::string& choice(std::string_view name) const {
    return std::get<std::string>(at(name));
  }
  [[nodiscard]] const ToggleValue& at(std::string_view name) const;
  // Returns "alpha=0.1;threads=2", sorted by name: the `toggles` column of runs.csv.
  [[nodiscard]] std::string text() const;
  [[nodiscard]] const std::map<std::string, ToggleValue, std::less<>>& values() const {
    return values_;
  }

 private:
  std::map<std::string, ToggleValue, std::less<>> values_;
};

}  // namespace bfslab
