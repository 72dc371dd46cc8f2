// SPDX-License-Identifier: Apache-2.0
// The fixed keys of a spec, as data: the parser, the JSON Schema and the canonical order read these
// tables. The keys of base, cases, sweep and zip come from the engines instead.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/spec/json_value.hpp"

namespace bfslab {

class Diagnostics;

enum class FieldKind {
  text,
  choice,
  flag,
  integer,
  real,
  other,  // an array or an object with a separate reader
};

// The role of a field in a measurement: it decides whether the field may change while rows stay
// (growth.hpp).
enum class FieldRole {
  protocol,  // decides the meaning of a row, and is the same for all rows of a folder
  axis,      // decides which rows exist, and may grow
  drawing,   // names and draws rows; it may change, and is not hashed
};

struct Field {
  std::string name;
  FieldKind kind = FieldKind::text;
  std::string doc;
  double minimum = 0;  // inclusive, for integer and real
  double maximum = 0;
  std::vector<std::string> choices = {};
  std::string pattern = {};        // a regular expression (ECMA 262) for the whole text
  std::string pattern_words = {};  // the same in words; for a choice: instead of all choices
  std::string default_json = {};   // as JSON; empty: none
  bool required = false;
  FieldRole role = FieldRole::protocol;
};

using Fields = std::vector<Field>;

const Fields& spec_fields();
const Fields& graph_entry_fields();
const Fields& source_fields();
const Fields& repeat_fields();
const Fields& limit_fields();
const Fields& pollution_fields();
// Settings besides an engine's toggles: ranks and gpus_per_rank.
const Fields& process_fields();
// A program of "external", and the formats in which it reports its time and its levels.
const Fields& external_fields();
const Fields& time_format_fields();
const Fields& passed_format_fields();
const Fields& levels_format_fields();
const Field& external_name_field();
const Field& environment_name_field();
// The form of the name of a case, and of a plot module.
const Field& case_name_field();
const Field& figure_field();
const Field& listed_source_field();
// The object {"ids": [...]} in place of a rule for sources, and an element of the list.
const Fields& source_ids_fields();
const Field& source_id_field();
const Field& record_field();
// The treatment of a sweep's combinations that the toggles' rules refuse.
const Field& illegal_field();

// Returns "an integer from 1 to 64", "one of "levels", "parents" or "both"".
std::string expected_words(const Field& field);
// Returns whether a value is of the field's kind and within its range (always for `other`).
bool fits(const Field& field, const Json& value);
// Reports a value that does not fit.
bool check_value(const Field& field, const Json& value, const std::string& path,
                 Diagnostics& diagnostics);
// Returns the member `key` of an object if it is there and fits its field; else nullptr.
const Json* good_member(const Json& object, const Fields& fields, const std::string& key);
// Reads the same as a number; `out` stays as it is if there is none.
template <typename Integer>
void take_integer(const Json& object, const Fields& fields, const std::string& key, Integer& out) {
  const Json* value = good_member(object, fields, key);
  if (value != nullptr) out = static_cast<Integer>(as_integer(*value));
}

// Reports the elements of a list that repeat earlier ones, in one message. Returns false then.
bool check_once(const Json& list, const std::string& path, const std::string& expected,
                Diagnostics& diagnostics);
// Reports anything but an object, unknown keys with the nearest spelling, missing keys, and values
// that do not fit. Returns whether it is an object.
bool check_object(const Fields& fields, const Json& value, const std::string& path,
                  Diagnostics& diagnostics);

std::vector<std::string> names_of(const Fields& fields);
const Field& field_named(const Fields& fields, std::string_view name);

}  // namespace bfslab
