// SPDX-License-Identifier: Apache-2.0
#include "kernels/toggle.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <stdexcept>

namespace bfslab {

namespace {

bool is_among(const std::vector<ToggleValue>& values, const ToggleValue& value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

}  // namespace

std::string to_text(const ToggleValue& value) {
  struct Visitor {
    std::string operator()(bool v) const { return v ? "true" : "false"; }
    std::string operator()(std::int64_t v) const { return std::to_string(v); }
    std::string operator()(double v) const {
      std::array<char, 32> buffer{};  // shortest form that reads back as the same double
      const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), v).ptr;
      return {buffer.data(), end};
    }
    std::string operator()(const std::string& v) const { return v; }
  };
  return std::visit(Visitor{}, value);
}

bool LegalWith::allows(const Toggles& toggles) const {
  return is_among(values, toggles.at(toggle));
}

bool Toggle::is_bound(const LegalWith& rule, const ToggleValue& value) const {
  return rule.for_values.empty() ? value != default_value : is_among(rule.for_values, value);
}

Toggle Toggle::flag(std::string name, bool default_value, std::string doc, std::string paper,
                    std::vector<LegalWith> legal_with) {
  return {std::move(name),  ToggleKind::flag,     {}, 0, 0, default_value, std::move(doc),
          std::move(paper), std::move(legal_with)};
}

Toggle Toggle::integer(std::string name, std::int64_t default_value, std::int64_t minimum,
                       std::int64_t maximum, std::string doc, std::string paper,
                       std::vector<LegalWith> legal_with) {
  return {std::move(name),
          ToggleKind::integer,
          {},
          static_cast<double>(minimum),
          static_cast<double>(maximum),
          default_value,
          std::move(doc),
          std::move(paper),
          std::move(legal_with)};
}

Toggle Toggle::real(std::string name, double default_value, double minimum, double maximum,
                    std::string doc, std::string paper, std::vector<LegalWith> legal_with) {
  return {std::move(name), ToggleKind::real, {},
          minimum,         maximum,          default_value,
          std::move(doc),  std::move(paper), std::move(legal_with)};
}

Toggle Toggle::choice(std::string name, std::string default_value, std::vector<std::string> choices,
                      std::string doc, std::string paper, std::vector<LegalWith> legal_with) {
  return {std::move(name), ToggleKind::choice, std::move(choices),   0, 0, std::move(default_value),
          std::move(doc),  std::move(paper),   std::move(legal_with)};
}

Toggles::Toggles(const std::vector<Toggle>& table) {
  for (const Toggle& toggle : table) values_[toggle.name] = toggle.default_value;
}

const ToggleValue& Toggles::at(std::string_view name) const {
  const auto found = values_.find(name);
  if (found == values_.end()) throw std::out_of_range("undeclared toggle " + std::string(name));
  return found->second;
}

std::string Toggles::text() const {
  std::string out;
  for (const auto& [name, value] : values_) {
    if (!out.empty()) out += ';';
    out += name;
    out += '=';
    out += to_text(value);
  }
  return out;
}

}  // namespace bfslab
