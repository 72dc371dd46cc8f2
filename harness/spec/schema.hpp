// SPDX-License-Identifier: Apache-2.0
// The pieces that the JSON Schema of a spec is made of.
#pragma once

#include <string>

#include "datasets/name/graph_name.hpp"
#include "harness/spec/fields.hpp"
#include "harness/spec/json_value.hpp"

namespace bfslab {

// A fixed field, a toggle: type, range, default, description.
Json field_schema(const Field& field);
// Closed: no key beyond the fields.
Json object_schema(const Fields& fields, const std::string& description);

// `definitions` gains "engine", "settings" (of base and of a case), "lists" (of zip), "sweep", and
// one entry for each key of theirs.
void add_setting_schemas(Json& definitions);

// A regular expression (ECMA 262, also good in Python) that every graph's name of this kind
// matches, and few other texts.
std::string graph_pattern(const GraphKind& kind);
// The same for one of `names` that stands alone: an entry of the catalogue, or a stand-in.
std::string bare_name_pattern(const std::vector<std::string>& names);

}  // namespace bfslab
