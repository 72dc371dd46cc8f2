// SPDX-License-Identifier: Apache-2.0
// Parts of the JSON Schema of a spec.
#pragma once

#include <string>

#include "datasets/name/graph_name.hpp"
#include "harness/spec/fields.hpp"
#include "harness/spec/json_value.hpp"

namespace bfslab {

// Returns the schema of a fixed field or a toggle: type, range, default, description.
Json field_schema(const Field& field);
// Returns the schema of an object that has no key besides the fields.
Json object_schema(const Fields& fields, const std::string& description);

// Adds to `definitions`: "engine", "settings" (of base and of a case), "lists" (of zip), "sweep",
// and one entry for each key of theirs.
void add_setting_schemas(Json& definitions);

// Returns a regular expression (ECMA 262, also valid in Python) that every graph's name of this
// kind matches, and few other texts.
std::string graph_pattern(const GraphKind& kind);
// Returns the same for one of `names` without parameters: an entry of the catalogue, or a stand-in.
std::string bare_name_pattern(const std::vector<std::string>& names);

}  // namespace bfslab
