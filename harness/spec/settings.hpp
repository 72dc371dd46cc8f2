// SPDX-License-Identifier: Apache-2.0
// Settings: the values that base, cases, sweep and zip give to an engine, and their resolution into
// toggles.
//
// Resolution order, later wins: the engine's defaults; the preset (the one that wins by layer);
// then layer by layer, base < case < sweep and zip: first the layer's groups, then its toggles.
#pragma once

#include <string>
#include <vector>

#include "harness/spec/diagnostics.hpp"
#include "harness/spec/fields.hpp"
#include "harness/spec/json_value.hpp"
#include "harness/spec/spec.hpp"

namespace bfslab {

// A case with an engine: a sweep over "engine" gives a case several.
struct EngineUse {
  std::string case_name;
  const EngineInfo* engine = nullptr;
};

enum class Layer { base, cases, swept };

struct Setting {
  std::string key;
  const Json* value = nullptr;
  std::string path;
  Layer layer = Layer::base;
};

// Returns a toggle as a field, so that both are checked and described alike.
Field field_of(const Toggle& toggle);
// Returns the toggle's value. Requires that `value` fits it.
ToggleValue toggle_value(const Toggle& toggle, const Json& value);
// Returns whether `value` is the JSON form of `expected`.
bool same_value(const ToggleValue& expected, const Json& value);
// Returns the keys: engine, preset (if there is any), groups, toggles; ranks and gpus_per_rank if
// they may exceed 1.
std::vector<std::string> setting_keys(const EngineInfo& engine);
// Returns the field of "ranks" or "gpus_per_rank"; nullptr for other keys, and if the engine has a
// toggle of that name. Every engine takes it: an engine on one device takes 1.
const Field* process_field(const EngineInfo& engine, const std::string& key);

enum class Form {
  values,   // base, a case: one value each
  product,  // sweep: one list each, no value twice
  in_step,  // zip: one list each
};

// Reports unknown keys and wrong values in an object of settings that every one of `uses` shares.
// The engine's own name is checked elsewhere.
void check_settings(const Json& object, const std::string& path, const std::vector<EngineUse>& uses,
                    Form form, Diagnostics& diagnostics);

// Reports groups that want different values of a toggle that is not set itself. Returns false then.
// `settings`: those of one layer.
bool check_groups(const EngineInfo& engine, const std::vector<Setting>& settings,
                  Diagnostics& diagnostics);

// Describes two settings that are illegal together: "collect = filter with queue = none", "queue =
// central", "it writes one queue in global memory".
struct Refusal {
  std::string path;  // the setting that decided it
  std::string found;
  std::string needed;
  std::string reason;
};

struct Resolution {
  Configuration configuration;
  std::vector<Refusal> refusals;  // empty: the configuration is legal
};

// Resolves the settings. `settings`: one for each key, each with a value that the engine takes.
Resolution resolve(const EngineUse& use, const std::vector<Setting>& settings);

}  // namespace bfslab
