// SPDX-License-Identifier: Apache-2.0
// Reads base, cases, sweep and zip into configurations: cases x sweep x zip, in the order of the
// file. The first swept key changes slowest, then a case's own sweep, and zipped keys fastest.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "harness/spec/json_path.hpp"
#include "harness/spec/read.hpp"
#include "harness/spec/settings.hpp"
#include "harness/spec/sweep_points.hpp"

namespace bfslab {

namespace {

const char* const kExpectedLists = "an object of lists: {\"threads\": [1, 2]}";

class ConfigurationReader {
 public:
  ConfigurationReader(const Json& json, Spec& spec, Diagnostics& diagnostics)
      : json_(json), spec_(spec), diagnostics_(diagnostics) {}

  void read() {
    const std::size_t before = diagnostics_.size();
    base_ = object("base");
    zip_ = object("zip");
    sweep_ = take_sweep(object("sweep"), "sweep");
    cases_ = *object("cases");
    find_uses(before);
    take_own_sweeps();
    check_all_settings();
    check_abilities();
    // A case that is valid so far is expanded beside broken ones, so that its faults are reported
    // too.
    if (!shared_broken_) expand();
    check_baseline();
  }

 private:
  // Marks the case as broken if anything is reported during its lifetime.
  class CaseWatch {
   public:
    CaseWatch(ConfigurationReader& reader, const std::string& name)
        : reader_(reader), name_(name), before_(reader.diagnostics_.size()) {}
    CaseWatch(const CaseWatch&) = delete;
    CaseWatch& operator=(const CaseWatch&) = delete;
    ~CaseWatch() {
      if (reader_.diagnostics_.size() != before_) reader_.broken_cases_.insert(name_);
    }

   private:
    ConfigurationReader& reader_;
    std::string name_;
    std::size_t before_;
  };

  const Json* object(const std::string& key) {
    static const Json kNone = Json::object();
    const Json* value = member(json_, key);
    if (value == nullptr) return &kNone;
    if (value->is_object() && (key == "base" || !value->empty())) return value;
    diagnostics_.add(key, describe(*value),
                     key == "cases"  ? "an object of at least one case: {\"name\": {settings}}"
                     : key == "base" ? "an object of settings: {\"engine\": ...}"
                                     : kExpectedLists);
    broken_ = true;
    return &kNone;
  }

  Sweep take_sweep(const Json* value, const std::string& path) {
    Sweep sweep{path};
    if (!value->is_object() || (value->empty() && path != "sweep")) {
      diagnostics_.add(path, describe(*value), kExpectedLists);
      return sweep;
    }
    sweep.lists = *value;
    const Json* illegal = member(*value, illegal_field().name);
    if (illegal == nullptr) return sweep;
    const std::string where = child_path(path, illegal_field().name);
    check_value(illegal_field(), *illegal, where, diagnostics_);
    sweep.skips_illegal = *illegal == "skip";
    sweep.lists.erase(illegal_field().name);
    if (sweep.lists.empty()) {
      diagnostics_.add(path, "\"illegal\" without a list", kExpectedLists, {}, Anchor::key);
    }
    return sweep;
  }

  void take_own_sweeps() {
    for (const auto& [name, settings] : cases_.items()) {
      const Json* own = member(settings, "sweep");
      if (own == nullptr) continue;
      const CaseWatch watch(*this, name);
      const std::string path = child_path(child_path("cases", name), "sweep");
      own_sweeps_[name] = take_sweep(own, path);
      settings.erase("sweep");
    }
  }

  // Returns the engine of that name, linked in or external; nullptr if there is none.
  [[nodiscard]] const EngineInfo* engine_named(const Json& value) const {
    if (!value.is_string()) return nullptr;
    const std::string name = value.get<std::string>();
    for (const auto& external : spec_.external) {
      if (external->name == name) return external.get();
    }
    return find_engine(name);
  }

  // Returns the engine of that name; reports a value that names none.
  const EngineInfo* engine(const Json& value, const std::string& path) {
    const EngineInfo* found = engine_named(value);
    if (found != nullptr) return found;
    std::vector<std::string> names;
    for (const EngineInfo* engine : engines()) names.push_back(engine->name);
    for (const auto& external : spec_.external) names.push_back(external->name);
    diagnostics_.add(
        path, describe(value), "an engine: " + alternatives(names),
        value.is_string() ? nearest_spelling(value.get<std::string>(), names) : std::string());
    broken_ = true;
    return nullptr;
  }

  // Finds the engines of each case: a swept engine overrides the case's, the case's overrides
  // base's.
  void find_uses(std::size_t errors_before) {
    std::vector<const EngineInfo*> swept;
    bool sweeps_engines = false;
    for (const auto& [key, list] :
         {std::pair("sweep", &std::as_const(sweep_.lists)), std::pair("zip", zip_)}) {
      const Json* values = member(*list, "engine");
      if (values == nullptr) continue;
      sweeps_engines = true;
      if (!values->is_array()) continue;
      for (std::size_t i = 0; i < values->size(); ++i) {
        const std::string path = element_path(child_path(key, "engine"), i);
        if (const EngineInfo* found = engine((*values)[i], path)) swept.push_back(found);
      }
    }
    const EngineInfo* of_base = nullptr;
    const Json* base_engine = member(*base_, "engine");
    if (base_engine != nullptr) of_base = engine(*base_engine, "base.engine");
    shared_broken_ = diagnostics_.size() != errors_before;
    const auto use = [&](const std::string& name, const EngineInfo* own) {
      if (!sweeps_engines && own != nullptr) uses_.push_back({name, own});
      for (const EngineInfo* each : swept)
        uses_.push_back({name.empty() ? each->name : name, each});
    };
    if (cases_.empty()) {
      if (member(json_, "cases") == nullptr && base_engine == nullptr && !sweeps_engines &&
          !broken_) {
        const std::string path = member(json_, "base") == nullptr ? "" : "base";
        diagnostics_.add(path, "no engine", "\"engine\" in \"base\" or in every case");
      }
      use(of_base != nullptr && !sweeps_engines ? of_base->name : "", of_base);
    }
    for (const auto& [name, settings] : cases_.items()) {
      const CaseWatch watch(*this, name);
      const std::string path = child_path("cases", name);
      if (!fits(case_name_field(), name)) {
        diagnostics_.add(path, describe(name), expected_words(case_name_field()), {}, Anchor::key);
      }
      if (!settings.is_object()) {
        diagnostics_.add(path, describe(settings), "an object of settings: {\"engine\": ...}");
        continue;
      }
      const Json* own = member(settings, "engine");
      const EngineInfo* found = own != nullptr ? engine(*own, path + ".engine") : of_base;
      if (own == nullptr && base_engine == nullptr && !sweeps_engines && !broken_) {
        diagnostics_.add(path, "no engine", "\"engine\" here or in \"base\"");
      }
      use(name, found);
    }
  }

  void check_all_settings() {
    const std::size_t before = diagnostics_.size();
    check_settings(*base_, "base", uses_, Form::values, diagnostics_);
    check_settings(sweep_.lists, "sweep", uses_, Form::product, diagnostics_);
    check_settings(*zip_, "zip", uses_, Form::in_step, diagnostics_);
    check_swept_once(sweep_.lists, "sweep", "zip", *zip_);
    check_zip();
    if (diagnostics_.size() != before) shared_broken_ = true;
    std::map<std::string, std::vector<EngineUse>> uses_of;
    for (const EngineUse& use : uses_) uses_of[use.case_name].push_back(use);
    for (const auto& [name, settings] : cases_.items()) {
      const CaseWatch watch(*this, name);
      const std::vector<EngineUse>& own = uses_of[name];
      check_settings(settings, child_path("cases", name), own, Form::values, diagnostics_);
      const auto swept = own_sweeps_.find(name);
      if (swept != own_sweeps_.end()) check_own_sweep(swept->second, own);
    }
  }

  void check_own_sweep(const Sweep& sweep, const std::vector<EngineUse>& uses) {
    if (sweep.lists.contains("engine")) {
      diagnostics_.add(child_path(sweep.path, "engine"), "\"engine\" in a case's sweep",
                       "it in \"sweep\" at the top, or a case for each engine", {}, Anchor::key);
    }
    check_settings(sweep.lists, sweep.path, uses, Form::product, diagnostics_);
    check_swept_once(sweep_.lists, "sweep", sweep.path, sweep.lists);
    check_swept_once(*zip_, "zip", sweep.path, sweep.lists);
  }

  void check_swept_once(const Json& first, const std::string& first_path, const std::string& path,
                        const Json& second) {
    for (const auto& [key, values] : first.items()) {
      if (!second.contains(key)) continue;
      diagnostics_.add(child_path(path, key),
                       fmt::format("{}, which \"{}\" has too", quoted(key), first_path),
                       "a key in one of the two", {}, Anchor::key);
    }
  }

  void check_zip() {
    const Json* first = nullptr;
    std::string first_key;
    for (const auto& [key, values] : zip_->items()) {
      if (!values.is_array()) continue;
      if (first == nullptr) {
        first = &values;
        first_key = key;
      } else if (values.size() != first->size()) {
        diagnostics_.add(child_path("zip", key), describe(values),
                         fmt::format("as many values as `{}` has: {}", child_path("zip", first_key),
                                     first->size()));
      }
    }
  }

  void check_abilities() {
    std::set<const EngineInfo*> seen;
    for (const EngineUse& use : uses_) {
      if (!seen.insert(use.engine).second) continue;
      const Capabilities& can = use.engine->can;
      const char* lacking = use.engine->counts() || !can.answers()        ? nullptr  // gives none
                            : wants_levels(spec_.answer) && !can.levels   ? "levels"
                            : wants_parents(spec_.answer) && !can.parents ? "parents"
                                                                          : nullptr;
      if (lacking != nullptr) {
        const Json* answer = member(json_, "answer");
        diagnostics_.add("answer",
                         answer == nullptr ? "\"levels\" (its default)" : describe(*answer),
                         fmt::format("an answer without {}, which {} (case \"{}\") cannot give",
                                     lacking, use.engine->name, use.case_name));
      }
      if (can.directed) continue;
      for (const GraphEntry& graph : spec_.graphs) {
        if (graph.name.build.symmetrize) continue;
        diagnostics_.add("graphs", quoted(graph.text) + ", a directed graph",
                         fmt::format("symmetrize=true for {} (case \"{}\"), which is right on "
                                     "symmetric graphs only",
                                     use.engine->name, use.case_name));
      }
    }
  }

  void expand() {
    std::size_t count = 0;
    const auto expand_one = [&](const std::string& name, const Json& settings) {
      const auto own = own_sweeps_.find(name);
      const Sweep& sweep = own == own_sweeps_.end() ? Sweep{} : own->second;
      const std::vector<SweepPoint> swept = sweep_points(sweep_, sweep, *zip_);
      count += swept.size();
      if (swept.empty() || count > kMaxConfigurations) {
        diagnostics_.add(!sweep.lists.empty()   ? sweep.path
                         : sweep_.lists.empty() ? "zip"
                                                : "sweep",
                         "a product of too many configurations",
                         fmt::format("at most {}", kMaxConfigurations));
        return false;
      }
      expand_case(name, settings, swept, sweep);
      return true;
    };
    if (cases_.empty()) expand_one("", Json::object());
    for (const auto& [name, settings] : cases_.items()) {
      if (broken_cases_.count(name) == 0 && !expand_one(name, settings)) return;
    }
  }

  void expand_case(const std::string& name, const Json& settings,
                   const std::vector<SweepPoint>& swept, const Sweep& sweep) {
    std::vector<Setting> own;
    for (const auto& [key, value] : base_->items()) {
      own.push_back({key, &value, child_path("base", key), Layer::base});
    }
    for (const auto& [key, value] : settings.items()) {
      put(own, {key, &value, child_path(child_path("cases", name), key), Layer::cases});
    }
    const bool skips = sweep_.skips_illegal || sweep.skips_illegal;
    const std::size_t before = spec_.configurations.size();
    const std::size_t messages = diagnostics_.size();
    std::set<std::string> seen;
    for (const SweepPoint& point : swept) {
      std::vector<Setting> all = own;
      for (const Setting& setting : point) put(all, setting);
      add(name, all, seen, skips);
    }
    if (!skips || spec_.configurations.size() > before || diagnostics_.size() > messages) return;
    const LeftOut& last = spec_.left_out.back();
    diagnostics_.add(sweep.skips_illegal ? sweep.path : "sweep",
                     fmt::format("no combination that is legal in case \"{}\"; the last has {}",
                                 last.configuration.case_name, last.reason),
                     "one at least", {}, Anchor::key);
  }

  static void put(std::vector<Setting>& settings, const Setting& setting) {
    for (Setting& present : settings) {
      if (present.key != setting.key) continue;
      present = setting;
      return;
    }
    settings.push_back(setting);
  }

  void add(const std::string& name, const std::vector<Setting>& settings,
           std::set<std::string>& seen, bool skips_illegal) {
    const auto chosen = std::find_if(settings.begin(), settings.end(),
                                     [](const Setting& each) { return each.key == "engine"; });
    const EngineInfo* engine = chosen == settings.end() ? nullptr : engine_named(*chosen->value);
    if (engine == nullptr) return;  // reported by find_uses()
    EngineUse use{name, engine};
    if (name.empty()) use.case_name = use.engine->name;
    std::vector<Setting> swept;
    for (const Setting& setting : settings) {
      if (setting.layer == Layer::swept) swept.push_back(setting);
    }
    if (!check_groups(*use.engine, swept, diagnostics_)) return;
    Resolution resolution = resolve(use, settings);
    if (!resolution.refusals.empty()) {
      refuse(resolution, skips_illegal);
      return;
    }
    Configuration& configuration = resolution.configuration;
    if (!seen.insert(use.engine->name + ' ' + configuration.text()).second) {
      diagnostics_.add(sweep_.lists.empty() ? "zip" : "sweep",
                       fmt::format("two points that are one configuration of case \"{}\": {}",
                                   use.case_name, configuration.text()),
                       "points that differ");
      return;
    }
    spec_.configurations.push_back(std::move(configuration));
  }

  // Reports a combination that the toggles' rules refuse, or leaves it out with the first rule's
  // reason.
  void refuse(Resolution& resolution, bool skips_illegal) {
    if (skips_illegal) {
      const Refusal& first = resolution.refusals.front();
      spec_.left_out.push_back(
          {std::move(resolution.configuration), first.found + ": " + first.reason});
      return;
    }
    for (const Refusal& refusal : resolution.refusals) {
      diagnostics_.add(
          refusal.path,
          fmt::format("{} in case \"{}\"", refusal.found, resolution.configuration.case_name),
          fmt::format("{} for that: {}", refusal.needed, refusal.reason));
    }
  }

  void check_baseline() {
    const Json* value = member(json_, "baseline");
    if (value == nullptr || !value->is_string()) return;
    spec_.baseline = value->get<std::string>();
    std::vector<std::string> names;
    std::vector<std::string> words;
    for (const auto& [name, settings] : cases_.items()) names.push_back(name);
    if (cases_.empty()) {
      for (const EngineUse& use : uses_) names.push_back(use.case_name);
    }
    if (std::find(names.begin(), names.end(), spec_.baseline) != names.end()) return;
    if (names.empty() || broken_) return;  // the mistake there has been reported
    for (const std::string& name : names) words.push_back(quoted(name));
    diagnostics_.add("baseline", describe(*value), "a case: " + alternatives(words),
                     nearest_spelling(spec_.baseline, names));
  }

  const Json& json_;
  Spec& spec_;
  Diagnostics& diagnostics_;
  const Json* base_ = nullptr;
  const Json* zip_ = nullptr;
  Json cases_;  // without their sweeps
  Sweep sweep_;
  std::map<std::string, Sweep> own_sweeps_;  // by case
  std::vector<EngineUse> uses_;
  bool broken_ = false;         // some engine or object is unknown: fewer follow-up messages
  bool shared_broken_ = false;  // base, sweep or zip is at fault: nothing can be expanded
  std::set<std::string> broken_cases_;
};

}  // namespace

void read_configurations(const Json& json, Spec& spec, Diagnostics& diagnostics) {
  if (json.is_object()) ConfigurationReader(json, spec, diagnostics).read();
}

}  // namespace bfslab
