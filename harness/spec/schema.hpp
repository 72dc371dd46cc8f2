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

// `definitions` gains ENGINE.settings, ENGINE.lists and one entry a toggle; `rules` gains what
// base, cases, sweep and zip must satisfy, for every engine linked in.
void add_engine_schemas(Json& definitions, Json& rules);

// A regular expression (ECMA 262, also good in Python) that a graph's name of this kind matches.
// Conditions over several parameters are left to GraphName::parse.
std::string graph_pattern(const GraphKind& kind);
// The same for one of `names` that stands alone: an entry of the catalogue, or a stand-in.
std::string bare_name_pattern(const std::vector<std::string>& names);
// Decimal integers from `minimum` to `maximum`, both >= 0, leading zeros not allowed.
std::string integer_pattern(std::uint64_t minimum, std::uint64_t maximum);

}  // namespace bfslab
