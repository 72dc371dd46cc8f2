// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <nlohmann/json.hpp>

#include "harness/spec/fields.hpp"
#include "harness/spec/json_path.hpp"
#include "harness/spec/read.hpp"

namespace bfslab {

namespace {

void take(const Json& json, const Fields& fields, const std::string& key, std::string& out) {
  if (const Json* value = good_member(json, fields, key)) out = value->get<std::string>();
}

void take(const Json& json, const Fields& fields, const std::string& key, bool& out) {
  if (const Json* value = good_member(json, fields, key)) out = value->get<bool>();
}

void take(const Json& json, const Fields& fields, const std::string& key, double& out) {
  if (const Json* value = good_member(json, fields, key)) out = value->get<double>();
}

// Checks a list without repetitions whose elements fit `field`. Returns whether it can be read.
bool check_list(const Field& field, const Json& list, const std::string& path,
                Diagnostics& diagnostics) {
  if (list.empty()) {
    diagnostics.add(path, describe(list), "a list of at least one: " + expected_words(field));
    return false;
  }
  bool good = true;
  for (std::size_t i = 0; i < list.size(); ++i) {
    good = check_value(field, list[i], element_path(path, i), diagnostics) && good;
  }
  return check_once(list, path, "each once", diagnostics) && good;
}

// Reads {"ids": [...]}.
void read_source_ids(const Json& json, SourceRule& sources, Diagnostics& diagnostics) {
  check_object(source_ids_fields(), json, "sources", diagnostics);
  const Json& ids = json["ids"];
  if (!ids.is_array()) {
    diagnostics.add("sources.ids", describe(ids), "a list of ids in the graph's file");
    return;
  }
  if (!check_list(source_id_field(), ids, "sources.ids", diagnostics)) return;
  sources.rule = SourceRule::Rule::ids;
  sources.count = static_cast<std::uint32_t>(ids.size());
  for (const Json& id : ids) sources.ids.push_back(static_cast<std::uint64_t>(as_integer(id)));
}

void read_sources(const Json& json, SourceRule& sources, Diagnostics& diagnostics) {
  if (json.is_array()) {
    if (!check_list(listed_source_field(), json, "sources", diagnostics)) return;
    sources.rule = SourceRule::Rule::listed;
    sources.count = static_cast<std::uint32_t>(json.size());
    for (const Json& id : json) sources.listed.push_back(static_cast<vertex_t>(as_integer(id)));
    return;
  }
  if (!json.is_object()) {
    diagnostics.add("sources", describe(json),
                    "an object with count, seed and rule, or with ids, or an array of vertices");
    return;
  }
  if (json.contains("ids")) {
    read_source_ids(json, sources, diagnostics);
    return;
  }
  check_object(source_fields(), json, "sources", diagnostics);
  take_integer(json, source_fields(), "count", sources.count);
  take_integer(json, source_fields(), "seed", sources.seed);
  std::string rule = "largest-component";
  take(json, source_fields(), "rule", rule);
  sources.rule = rule == "any"                 ? SourceRule::Rule::any
                 : rule == "largest-component" ? SourceRule::Rule::largest_component
                 : rule == "levels>=2"         ? SourceRule::Rule::two_levels
                                               : SourceRule::Rule::degree;
}

void read_repeats(const Json& json, RepeatRule& repeats, Diagnostics& diagnostics) {
  const Field& most = field_named(repeat_fields(), "max");
  if (!json.is_object()) {
    if (!is_integer(json) || !fits(most, json)) {
      diagnostics.add(
          "repeats", describe(json),
          expected_words(most) + ", or an object with min, max, relative_error_pct and budget_s");
      return;
    }
    repeats.minimum = repeats.maximum = static_cast<unsigned>(as_integer(json));
    return;
  }
  check_object(repeat_fields(), json, "repeats", diagnostics);
  take_integer(json, repeat_fields(), "min", repeats.minimum);
  take_integer(json, repeat_fields(), "max", repeats.maximum);
  take(json, repeat_fields(), "relative_error_pct", repeats.relative_error_pct);
  take(json, repeat_fields(), "budget_s", repeats.budget_s);
  if (json.contains("max") && fits(most, json["max"]) && repeats.minimum > repeats.maximum) {
    diagnostics.add("repeats.min", std::to_string(repeats.minimum),
                    "at most max, which is " + std::to_string(repeats.maximum));
  }
  if (!json.contains("relative_error_pct") && !json.contains("budget_s")) {
    diagnostics.add(
        "repeats", "min and max without a rule that stops between them",
        "relative_error_pct or budget_s (a fixed number of repeats is a plain integer)");
  }
}

// Reads the invocations. Call it after the repeats are read, which they divide.
void read_invocations(const Json& json, RepeatRule& repeats, Diagnostics& diagnostics) {
  take_integer(json, spec_fields(), "invocations", repeats.invocations);
  if (repeats.invocations > 1 &&
      (repeats.minimum != repeats.maximum || repeats.maximum % repeats.invocations != 0)) {
    diagnostics.add("invocations", std::to_string(repeats.invocations),
                    "a divisor of repeats, which is a plain number then: every worker process "
                    "measures as many of them");
    repeats.invocations = 1;
  }
}

void read_record(const Json& json, Spec& spec, Diagnostics& diagnostics) {
  if (!json.is_array()) {
    diagnostics.add("record", describe(json), "a list of \"time\", \"levels\" and \"energy\"");
    return;
  }
  if (!check_list(record_field(), json, "record", diagnostics)) return;
  spec.record_time = std::find(json.begin(), json.end(), "time") != json.end();
  spec.record_levels = std::find(json.begin(), json.end(), "levels") != json.end();
  spec.record_energy = std::find(json.begin(), json.end(), "energy") != json.end();
  if (spec.record_energy && spec.cold_caches) {
    diagnostics.add("record", "energy with \"caches\": \"cold\"",
                    "one of the two: energy is measured over searches in a row, of which only the "
                    "first would find cold caches");
  }
}

void read_figure(const Json& json, Spec& spec, Diagnostics& diagnostics) {
  if (json.is_string()) {
    if (check_value(figure_field(), json, "figure", diagnostics)) spec.figures = {json};
    return;
  }
  if (!json.is_array()) {
    diagnostics.add("figure", describe(json),
                    expected_words(figure_field()) + ", or a list of them");
    return;
  }
  if (!check_list(figure_field(), json, "figure", diagnostics)) return;
  for (const Json& module : json) spec.figures.push_back(module);
}

}  // namespace

void read_plain_keys(const Json& json, Spec& spec, Diagnostics& diagnostics) {
  const Fields& fields = spec_fields();
  if (!check_object(fields, json, "", diagnostics)) return;
  take(json, fields, "name", spec.name);
  take(json, fields, "paper", spec.paper);
  take(json, fields, "item", spec.item);
  take(json, fields, "title", spec.title);
  take_integer(json, fields, "warmup", spec.repeats.warmup);
  take_integer(json, fields, "burst", spec.repeats.burst);
  take(json, fields, "allow_stand_ins", spec.allow_stand_ins);
  take(json, fields, "isolate", spec.isolate);
  std::string word;
  take(json, fields, "answer", word);
  if (word == "parents") spec.answer = Answer::parents;
  if (word == "both") spec.answer = Answer::both;
  word = "warm";
  take(json, fields, "caches", word);
  spec.cold_caches = word == "cold";
  word = "first";
  take(json, fields, "check", word);
  spec.check = word == "none" ? CheckMode::none : word == "all" ? CheckMode::all : CheckMode::first;
  word = "interleaved";
  take(json, fields, "order", word);
  spec.interleave = word == "interleaved";
  const Json* const sources = member(json, "sources");
  read_sources(sources == nullptr ? Json::object() : *sources, spec.sources, diagnostics);
  if (const Json* value = member(json, "repeats")) read_repeats(*value, spec.repeats, diagnostics);
  read_invocations(json, spec.repeats, diagnostics);
  if (const Json* value = member(json, "record")) read_record(*value, spec, diagnostics);
  if (const Json* value = member(json, "figure")) read_figure(*value, spec, diagnostics);
  if (const Json* value = member(json, "limits")) {
    check_object(limit_fields(), *value, "limits", diagnostics);
    take(*value, limit_fields(), "trial_s", spec.limits.trial_s);
    take_integer(*value, limit_fields(), "memory_mib", spec.limits.memory_mib);
  }
  if (const Json* value = member(json, "pollution")) {
    check_object(pollution_fields(), *value, "pollution", diagnostics);
    take(*value, pollution_fields(), "limit_pct", spec.pollution.limit_pct);
    take_integer(*value, pollution_fields(), "attempts", spec.pollution.attempts);
    take(*value, pollution_fields(), "drift_pct", spec.pollution.drift_pct);
  }
}

}  // namespace bfslab
