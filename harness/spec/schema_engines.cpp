// base, cases, sweep and zip in the schema. Which keys are legal depends on the engines that run,
// so each engine brings if/then rules: where the spec uses the engine, its keys and nothing else.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "harness/spec/schema.hpp"
#include "harness/spec/settings.hpp"

namespace bfslab {

namespace {

Json reference(const std::string& definition) { return {{"$ref", "#/$defs/" + definition}}; }
Json negated(Json schema) { return {{"not", std::move(schema)}}; }
Json any_of(Json schemas) { return {{"anyOf", std::move(schemas)}}; }
Json all_of(Json schemas) { return {{"allOf", std::move(schemas)}}; }
Json has(const std::string& key) { return {{"required", {key}}}; }

// The member `key` is there and satisfies `schema`.
Json with(const std::string& key, Json schema) {
  return {{"required", {key}}, {"properties", {{key, std::move(schema)}}}};
}

// Every case satisfies `schema`.
Json every_case(Json schema) {
  return {{"properties", {{"cases", {{"additionalProperties", std::move(schema)}}}}}};
}

// Some case satisfies `schema`.
Json some_case(Json schema) {
  return with("cases", negated({{"additionalProperties", negated(std::move(schema))}}));
}

Json swept(const Json& schema) {
  return any_of(Json::array({with("sweep", schema), with("zip", schema)}));
}

Json constant(const ToggleValue& value) {
  return std::visit([](const auto& each) { return Json(each); }, value);
}

Json one_of(const std::vector<ToggleValue>& values) {
  Json list = Json::array();
  for (const ToggleValue& value : values) list.push_back(constant(value));
  return {{"enum", list}};
}

Json if_then(Json condition, Json consequence) {
  return {{"if", std::move(condition)}, {"then", std::move(consequence)}};
}

const Json& sweeps_engine() {
  static const Json schema = reference("sweeps_engine");
  return schema;
}

Json group_schema(const ToggleGroup& group) {
  Json schema = {{"description", group.doc}};
  schema["enum"] = Json::array();
  for (const auto& [value, settings] : group.expansions) schema["enum"].push_back(constant(value));
  return schema;
}

Json preset_schema(const EngineInfo& engine) {
  Json schema = {{"description", "where the toggles start from"}};
  schema["enum"] = Json::array();
  for (const Preset& preset : engine.presets) schema["enum"].push_back(preset.name);
  return schema;
}

// Within one object two groups may not want different values of a toggle, unless it is written out.
Json group_conflicts(const EngineInfo& engine) {
  Json rules = Json::array();
  for (std::size_t i = 0; i < engine.groups.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const ToggleGroup& a = engine.groups[j];
      const ToggleGroup& b = engine.groups[i];
      for (const auto& [a_value, a_settings] : a.expansions) {
        for (const auto& [b_value, b_settings] : b.expansions) {
          for (const auto& [toggle, wanted] : a_settings) {
            const auto clash = std::find_if(b_settings.begin(), b_settings.end(),
                                            [name = toggle, value = wanted](const auto& each) {
                                              return each.first == name && each.second != value;
                                            });
            if (clash == b_settings.end()) continue;
            rules.push_back(negated(all_of(Json::array(
                {with(a.name, {{"const", constant(a_value)}}),
                 with(b.name, {{"const", constant(b_value)}}), negated(has(toggle))}))));
          }
        }
      }
    }
  }
  return rules;
}

void define(const EngineInfo& engine, Json& definitions) {
  Json settings = {{"description", engine.summary}};
  settings["properties"]["engine"] = true;
  Json lists = {{"properties", {{"engine", true}}}};
  const auto add = [&](const std::string& key, Json schema) {
    definitions[engine.name + '.' + key] = std::move(schema);
    settings["properties"][key] = reference(engine.name + '.' + key);
    lists["properties"][key]["items"] = reference(engine.name + '.' + key);
  };
  if (!engine.presets.empty()) add("preset", preset_schema(engine));
  for (const ToggleGroup& group : engine.groups) add(group.name, group_schema(group));
  for (const Toggle& toggle : engine.toggles) {
    Field field = field_of(toggle);
    if (!toggle.paper.empty()) field.doc += " (" + toggle.paper + ")";
    add(toggle.name, field_schema(field));
  }
  settings["additionalProperties"] = false;
  lists["additionalProperties"] = false;
  Json conflicts = group_conflicts(engine);
  if (!conflicts.empty()) settings["allOf"] = std::move(conflicts);
  definitions[engine.name + ".settings"] = std::move(settings);
  definitions[engine.name + ".lists"] = std::move(lists);

  const Json named = with("engine", {{"const", engine.name}});
  definitions[engine.name + ".in_base"] = with("base", named);
  definitions[engine.name + ".swept"] =
      swept(with("engine", {{"contains", {{"const", engine.name}}}}));
  const Json inherits =
      any_of(Json::array({negated(has("cases")), some_case(negated(has("engine")))}));
  const Json unswept = any_of(Json::array(
      {some_case(named), all_of(Json::array({reference(engine.name + ".in_base"), inherits}))}));
  definitions[engine.name + ".used"] =
      any_of(Json::array({reference(engine.name + ".swept"),
                          all_of(Json::array({negated(sweeps_engine()), unswept}))}));
}

void add_key_rules(const EngineInfo& engine, Json& rules) {
  const Json settings = reference(engine.name + ".settings");
  const Json lists = reference(engine.name + ".lists");
  Json shared = {{"base", settings}, {"sweep", lists}, {"zip", lists}};
  if (!engine.can.parents) shared["answer"] = {{"const", "levels"}};
  if (!engine.can.levels) shared["answer"] = {{"const", "parents"}};
  if (!engine.can.directed) {
    const Json directed = {{"type", "string"}, {"pattern", "[:,]symmetrize=false"}};
    const Json entry = {
        {"type", "object"}, {"required", {"name"}}, {"properties", {{"name", directed}}}};
    shared["graphs"]["items"] = negated(any_of(Json::array({directed, entry})));
  }
  Json used = {{"properties", shared}};
  if (!engine.can.levels) used["required"] = Json::array({"answer"});
  rules.push_back(if_then(reference(engine.name + ".used"), used));
  rules.push_back(if_then(reference(engine.name + ".swept"), every_case(settings)));
  rules.push_back(if_then(negated(sweeps_engine()),
                          every_case(if_then(with("engine", {{"const", engine.name}}), settings))));
  rules.push_back(
      if_then(all_of(Json::array({negated(sweeps_engine()), reference(engine.name + ".in_base")})),
              every_case(if_then(negated(has("engine")), settings))));
}

// One way in which a toggle comes by a value in some set: a condition on the root, and what is then
// left to ask of a case.
struct Origin {
  Json root;
  Json of_case;     // true: nothing
  bool of_no_case;  // whether a spec without cases has the value too
};

// `bad` describes values; `default_is_bad` whether the engine's default is one of them. The
// conditions on the root become definitions that begin with `prefix`.
std::vector<Origin> origins(const std::string& toggle, const Json& bad, bool default_is_bad,
                            const std::string& prefix, Json& definitions) {
  const Json is_swept = swept(has(toggle));
  Json below = with("base", with(toggle, bad));
  if (default_is_bad) {
    below = any_of(Json::array({below, negated(with("base", has(toggle)))}));
  }
  definitions[prefix + ".swept"] = swept(with(toggle, {{"contains", bad}}));
  definitions[prefix + ".below"] = all_of(Json::array({negated(is_swept), below}));
  definitions[prefix + ".open"] = all_of(Json::array({negated(is_swept), negated(below)}));
  return {{reference(prefix + ".swept"), true, true},
          {reference(prefix + ".below"), {{"properties", {{toggle, bad}}}}, true},
          {reference(prefix + ".open"), with(toggle, bad), false}};
}

// The keys besides the two toggles themselves that decide them: presets and groups.
std::set<std::string> indirect_keys(const EngineInfo& engine,
                                    const std::set<std::string>& toggles) {
  std::set<std::string> keys;
  const auto touches = [&](const ToggleSettings& settings) {
    return std::any_of(settings.begin(), settings.end(),
                       [&](const auto& setting) { return toggles.count(setting.first) > 0; });
  };
  for (const Preset& preset : engine.presets) {
    if (touches(preset.settings)) keys.insert("preset");
  }
  for (const ToggleGroup& group : engine.groups) {
    for (const auto& [value, settings] : group.expansions) {
      if (touches(settings)) keys.insert(group.name);
    }
  }
  return keys;
}

// "`toggle` may have a value that `legal` binds only while `legal.toggle` has one of these values",
// over all the layers that either may come from. Left to the parser: swept engines, both toggles in
// one zip (values in step), and presets or groups that set either.
void add_legality_rules(const EngineInfo& engine, const Toggle& toggle, const LegalWith& legal,
                        Json& definitions, Json& rules) {
  const auto other = std::find_if(engine.toggles.begin(), engine.toggles.end(),
                                  [&](const Toggle& each) { return each.name == legal.toggle; });
  if (other == engine.toggles.end()) return;  // a table's mistake: the tests of tables tell
  const bool default_is_bad = std::find(legal.values.begin(), legal.values.end(),
                                        other->default_value) == legal.values.end();
  Json guards = Json::array({negated(sweeps_engine()),
                             negated(with("zip", {{"required", {toggle.name, legal.toggle}}}))});
  Json case_guards = Json::array();
  for (const std::string& key : indirect_keys(engine, {toggle.name, legal.toggle})) {
    for (const char* layer : {"base", "sweep", "zip"}) {
      guards.push_back(negated(with(layer, has(key))));
    }
    case_guards.push_back(negated(has(key)));
  }
  const std::string prefix = engine.name + '.' + toggle.name;
  std::string name = "changed";  // of a rule's own definitions: two rules may bind two values
  std::string without = ".without.";
  Json bound = negated({{"const", constant(toggle.default_value)}});
  if (!legal.for_values.empty()) {
    name = "is";
    for (const ToggleValue& value : legal.for_values) name += '.' + to_text(value);
    without = '.' + name + without;
    bound = one_of(legal.for_values);
  }
  const bool own_default = toggle.is_bound(legal, toggle.default_value);
  const Json wrong = negated(one_of(legal.values));
  const Json named = {{"const", engine.name}};
  Json refusals = Json::array();
  for (const Origin& own :
       origins(toggle.name, bound, own_default, prefix + '.' + name, definitions)) {
    for (const Origin& others : origins(legal.toggle, wrong, default_is_bad,
                                        prefix + without + legal.toggle, definitions)) {
      Json of_case = case_guards;
      if (own.of_case.is_object()) of_case.push_back(own.of_case);
      if (others.of_case.is_object()) of_case.push_back(others.of_case);
      Json inherits = of_case;
      inherits.push_back({{"properties", {{"engine", named}}}});
      of_case.push_back(with("engine", named));
      Json inherited = every_case(negated(all_of(inherits)));
      if (own.of_no_case && others.of_no_case) inherited["required"] = Json::array({"cases"});
      refusals.push_back(if_then(all_of(Json::array({own.root, others.root})),
                                 {{"if", reference(engine.name + ".in_base")},
                                  {"then", inherited},
                                  {"else", every_case(negated(all_of(of_case)))}}));
    }
  }
  rules.push_back(if_then(all_of(guards), all_of(refusals)));
}

}  // namespace

void add_engine_schemas(Json& definitions, Json& rules) {
  Json names = Json::array();
  std::set<std::string> keys;
  for (const EngineInfo* engine : engines()) {
    names.push_back(engine->name);
    for (const std::string& key : setting_keys(*engine)) keys.insert(key);
  }
  definitions["engine"] = {{"description", "who traverses, or counts: see bfslab list engines"},
                           {"enum", names}};
  definitions["sweeps_engine"] = swept(has("engine"));
  rules.push_back(if_then(  // an engine is named somewhere
      negated(any_of(Json::array({sweeps_engine(), with("base", has("engine"))}))),
      {{"required", {"cases"}},
       {"properties", {{"cases", {{"additionalProperties", has("engine")}}}}}}));
  for (const std::string& key : keys) {  // swept once
    rules.push_back(negated({{"required", {"sweep", "zip"}},
                             {"properties", {{"sweep", has(key)}, {"zip", has(key)}}}}));
  }
  for (const EngineInfo* engine : engines()) {
    define(*engine, definitions);
    add_key_rules(*engine, rules);
    for (const Toggle& toggle : engine->toggles) {
      for (const LegalWith& legal : toggle.legal_with) {
        add_legality_rules(*engine, toggle, legal, definitions, rules);
      }
    }
  }
}

}  // namespace bfslab
