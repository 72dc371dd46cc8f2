// SPDX-License-Identifier: Apache-2.0
// Engines declare themselves as data that specs, schema and documentation rely on.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "kernels/engine.hpp"
#include "tests/kernels/configurations.hpp"

namespace bfslab::tests {
namespace {

// Words of lower-case letters and digits, the first beginning with a letter, joined by `joint`.
bool is_joined_words(const std::string& name, char joint) {
  const auto is_lower = [](char c) { return c >= 'a' && c <= 'z'; };
  if (name.empty() || !is_lower(name.front()) || name.back() == joint) return false;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (is_lower(name[i]) || (name[i] >= '0' && name[i] <= '9')) continue;
    if (name[i] != joint || name[i - 1] == joint) return false;
  }
  return true;
}

bool is_snake_case(const std::string& name) { return is_joined_words(name, '_'); }

bool is_legal_value(const Toggle& toggle, const ToggleValue& value) {
  switch (toggle.kind) {
    case ToggleKind::flag:
      return std::holds_alternative<bool>(value);
    case ToggleKind::choice: {
      const auto* word = std::get_if<std::string>(&value);
      return word != nullptr &&
             std::find(toggle.choices.begin(), toggle.choices.end(), *word) != toggle.choices.end();
    }
    case ToggleKind::integer: {
      const auto* number = std::get_if<std::int64_t>(&value);
      return number != nullptr && static_cast<double>(*number) >= toggle.minimum &&
             static_cast<double>(*number) <= toggle.maximum;
    }
    case ToggleKind::real: {
      const auto* number = std::get_if<double>(&value);
      return number != nullptr && *number >= toggle.minimum && *number <= toggle.maximum;
    }
  }
  return false;
}

// A word, or a number that is one of few.
bool is_choice(const std::string& name) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  return is_snake_case(name) || (!name.empty() && std::all_of(name.begin(), name.end(), is_digit));
}

const Toggle* find_toggle(const EngineInfo& info, const std::string& name) {
  for (const Toggle& toggle : info.toggles) {
    if (toggle.name == name) return &toggle;
  }
  return nullptr;
}

void expect_legal_settings(const EngineInfo& info, const ToggleSettings& settings) {
  Toggles toggles(info.toggles);
  for (const auto& [name, value] : settings) {
    const Toggle* toggle = find_toggle(info, name);
    ASSERT_NE(toggle, nullptr) << name;
    EXPECT_TRUE(is_legal_value(*toggle, value)) << name << "=" << to_text(value);
    toggles.set(name, value);
  }
  EXPECT_TRUE(is_legal(info, toggles)) << toggles.text();
}

TEST(EngineTable, HoldsTheEnginesOfThisProgram) {
  for (const char* name : {"sequential", "lockfree-queue", "per-thread-array", "status-scan",
                           "top-down", "bottom-up", "cs406-cpu", "ligra", "hybrid"}) {
    EXPECT_NE(find_engine(name), nullptr) << name;
  }
  EXPECT_EQ(find_engine("no-such-engine"), nullptr);
}

TEST(EngineTable, DescribesEachEngine) {
  for (const EngineInfo* info : engines()) {
    SCOPED_TRACE(info->name);
    EXPECT_TRUE(is_joined_words(info->name, '-'));
    EXPECT_FALSE(info->summary.empty());
    EXPECT_TRUE(info->can.levels || info->can.parents);
    EXPECT_TRUE(info->estimate);
    EXPECT_NE(static_cast<bool>(info->make), info->counts()) << "exactly one of make and count";
    EXPECT_EQ(find_engine(info->name), info);
  }
}

TEST(EngineTable, DeclaresLegalToggles) {
  for (const EngineInfo* info : engines()) {
    std::set<std::string> names;
    for (const Toggle& toggle : info->toggles) {
      SCOPED_TRACE(info->name + " " + toggle.name);
      EXPECT_TRUE(is_snake_case(toggle.name));
      EXPECT_TRUE(names.insert(toggle.name).second) << "declared twice";
      EXPECT_FALSE(toggle.doc.empty());
      EXPECT_TRUE(is_legal_value(toggle, toggle.default_value)) << to_text(toggle.default_value);
      if (toggle.kind == ToggleKind::choice) {
        EXPECT_GE(toggle.choices.size(), 2U);
        const std::set<std::string> unique(toggle.choices.begin(), toggle.choices.end());
        EXPECT_EQ(unique.size(), toggle.choices.size());
        for (const std::string& choice : toggle.choices) EXPECT_TRUE(is_choice(choice)) << choice;
      }
      if (toggle.kind == ToggleKind::integer || toggle.kind == ToggleKind::real) {
        EXPECT_LT(toggle.minimum, toggle.maximum);
      }
      std::set<std::string> rules;
      for (const LegalWith& rule : toggle.legal_with) {
        EXPECT_FALSE(rule.reason.empty());
        std::string subject = rule.toggle;
        for (const ToggleValue& value : rule.for_values) {
          EXPECT_TRUE(is_legal_value(toggle, value)) << toggle.name << "=" << to_text(value);
          subject += ' ' + to_text(value);
        }
        EXPECT_TRUE(rules.insert(subject).second) << "two rules for one thing: " << subject;
        const Toggle* other = find_toggle(*info, rule.toggle);
        ASSERT_NE(other, nullptr) << rule.toggle;
        EXPECT_NE(rule.toggle, toggle.name);
        EXPECT_FALSE(rule.values.empty());
        for (const ToggleValue& value : rule.values) {
          EXPECT_TRUE(is_legal_value(*other, value)) << rule.toggle << "=" << to_text(value);
        }
      }
    }
    EXPECT_TRUE(is_legal(*info, Toggles(info->toggles))) << info->name;
  }
}

TEST(EngineTable, DeclaresLegalGroupsAndPresets) {
  for (const EngineInfo* info : engines()) {
    std::set<std::string> words;
    for (const Toggle& toggle : info->toggles) words.insert(toggle.name);
    for (const ToggleGroup& group : info->groups) {
      SCOPED_TRACE(info->name + " group " + group.name);
      EXPECT_TRUE(is_snake_case(group.name));
      EXPECT_TRUE(words.insert(group.name).second) << "a toggle or group has this name already";
      EXPECT_FALSE(group.doc.empty());
      EXPECT_FALSE(group.expansions.empty());
      for (const auto& [value, settings] : group.expansions) expect_legal_settings(*info, settings);
    }
    std::set<std::string> presets;
    for (const Preset& preset : info->presets) {
      SCOPED_TRACE(info->name + " preset " + preset.name);
      EXPECT_TRUE(presets.insert(preset.name).second);
      EXPECT_FALSE(preset.doc.empty());
      expect_legal_settings(*info, preset.settings);
    }
  }
}

// The tests' own covering design, on a table with every kind of toggle and a dependency.
TEST(Configurations, CoverValuesAndPairs) {
  EngineInfo info;
  info.toggles = {
      Toggle::integer("threads", 0, 0, 64, "d"),
      Toggle::choice("queue", "central", {"central", "local", "none"}, "d"),
      Toggle::flag("shared", false, "d", "", {{"queue", {std::string("local")}, "r"}}),
      Toggle::real("ratio", 0.5, 0, 1, "d"),
      Toggle::integer("width", 4, 1, 8, "d"),
  };
  const std::vector<Toggles> pairs = each_pair(info);
  for (const Toggles& toggles : pairs) {
    EXPECT_TRUE(is_legal(info, toggles)) << toggles.text();
    EXPECT_EQ(toggles.integer("threads"), 0);
  }
  const auto has = [](const Toggles& toggles, const std::string& setting) {
    std::string text = toggles.text();
    text += ';';
    return text.find(setting + ';') != std::string::npos;
  };
  const auto count = [&](const std::string& a, const std::string& b) {
    return std::count_if(pairs.begin(), pairs.end(), [&](const Toggles& toggles) {
      return has(toggles, a) && has(toggles, b);
    });
  };
  for (const char* queue : {"queue=central", "queue=local", "queue=none"}) {
    for (const char* ratio : {"ratio=0", "ratio=0.5", "ratio=1"}) EXPECT_GE(count(queue, ratio), 1);
    for (const char* width : {"width=1", "width=4", "width=8"}) EXPECT_GE(count(queue, width), 1);
  }
  EXPECT_GE(count("shared=true", "queue=local"), 1);
  EXPECT_GE(count("shared=true", "ratio=1"), 1);
  EXPECT_GE(count("shared=true", "width=8"), 1);
  EXPECT_EQ(count("shared=true", "queue=central"), 0);
  EXPECT_LT(pairs.size(), 25U);  // all legal combinations would be 36
}

// Rules of single values: two whose first values for `queue` exclude each other, and one that binds
// a default.
TEST(Configurations, MeetRulesOfSingleValues) {
  const auto word = [](const char* text) { return ToggleValue(std::string(text)); };
  EngineInfo info;
  info.toggles = {
      Toggle::choice("queue", "local", {"local", "central", "hierarchical"}, "d"),
      Toggle::choice("collect", "scan", {"scan", "scan_free", "filter"}, "d", "",
                     {{"queue", {word("hierarchical"), word("central")}, "r", {word("scan_free")}},
                      {"queue", {word("central")}, "r", {word("filter")}}}),
      Toggle::choice("expand", "thread", {"thread", "split", "merge"}, "d", "",
                     {{"queue", {word("local"), word("central")}, "r", {word("split")}},
                      {"queue", {word("hierarchical"), word("central")}, "r", {word("merge")}}}),
      Toggle::choice("width", "32", {"32", "1"}, "d", "",
                     {{"queue", {word("local"), word("central")}, "r", {word("32")}}}),
  };
  const std::vector<Toggles> pairs = each_pair(info);
  const auto occurs = [&](const ToggleSettings& settings) {
    return std::any_of(pairs.begin(), pairs.end(), [&](const Toggles& toggles) {
      return std::all_of(settings.begin(), settings.end(), [&](const auto& setting) {
        return toggles.at(setting.first) == setting.second;
      });
    });
  };
  for (const Toggles& toggles : pairs) EXPECT_TRUE(is_legal(info, toggles)) << toggles.text();
  EXPECT_TRUE(occurs({{"collect", word("scan_free")}, {"expand", word("split")}}));  // central
  EXPECT_TRUE(occurs({{"collect", word("filter")}, {"expand", word("merge")}}));
  EXPECT_TRUE(occurs({{"queue", word("hierarchical")}, {"width", word("1")}}));
  EXPECT_FALSE(occurs({{"queue", word("hierarchical")}, {"width", word("32")}}));
  EXPECT_FALSE(occurs({{"queue", word("hierarchical")}, {"collect", word("filter")}}));
  EXPECT_FALSE(occurs({{"queue", word("hierarchical")}, {"expand", word("split")}}));
  EXPECT_FALSE(occurs({{"queue", word("local")}, {"collect", word("scan_free")}}));
  EXPECT_TRUE(occurs({{"queue", word("local")}, {"collect", word("scan")}}));
}

}  // namespace
}  // namespace bfslab::tests
