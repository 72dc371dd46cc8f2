// SPDX-License-Identifier: Apache-2.0
// "external": programs of others that become engines of this spec.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>

#include "harness/external/external_program.hpp"
#include "harness/spec/fields.hpp"
#include "harness/spec/json_path.hpp"
#include "harness/spec/read.hpp"

namespace bfslab {

namespace {

constexpr std::size_t kMaxArguments = 256;
constexpr const char* kSources[] = {"source", "source+1", "source_rank"};

class ExternalReader {
 public:
  ExternalReader(const Spec& spec, const std::string& name, Diagnostics& diagnostics)
      : spec_(spec), path_(child_path("external", name)), diagnostics_(diagnostics) {
    program_.name = name;
  }

  // The program counts only if nothing was reported.
  ExternalProgram read(const Json& json) {
    const std::string& name = program_.name;
    if (!fits(external_name_field(), name)) {
      diagnostics_.add(path_, describe(name), expected_words(external_name_field()), {},
                       Anchor::key);
    }
    if (!check_object(external_fields(), json, path_, diagnostics_)) return program_;
    read_file(json);
    read_arguments(json);
    read_environment(json);
    const std::string form = word(json, external_fields(), "graph");
    program_.graph = form == "snap" ? ".txt" : '.' + form;
    if (const Json* flag = member(json, "gpu"))
      program_.gpu = flag->is_boolean() && flag->get<bool>();
    if (const Json* ask = member(json, "ask")) {
      program_.ask = read_template(*ask, child_path(path_, "ask"));
    }
    if (const Json* time = member(json, "time")) read_time(*time);
    if (const Json* passed = member(json, "passed")) read_passed(*passed);
    if (const Json* levels = member(json, "levels")) read_levels(*levels);
    if (program_.ask) check_ask();
    const bool source = std::ranges::any_of(
        kSources, [&](const char* placeholder) { return program_.uses(placeholder); });
    for (const char* needed : {"graph", "source"}) {
      if (program_.uses(needed) || (needed == std::string("source") && source)) continue;
      diagnostics_.add(path_, fmt::format("no argument with {{{}}}", needed),
                       "one, or the program would not know it");
    }
    return std::move(program_);
  }

 private:
  // One process answers all searches, by lines.
  void check_ask() {
    ExternalProgram started = program_;
    started.ask.reset();
    for (const char* placeholder : kSources) {
      if (!started.uses(placeholder)) continue;
      diagnostics_.add(path_,
                       fmt::format("{{{}}} in an argument or a variable, and `ask`", placeholder),
                       "it in `ask` alone: the process is started once");
    }
    const auto refuse = [&](const char* key, const char* inner) {
      diagnostics_.add(child_path(child_path(path_, key), inner), "another stream, and `ask`",
                       key == std::string("levels") ? "\"output\": an answer is one line"
                                                    : "\"stdout\": an answer is a line there");
    };
    if (program_.time && program_.time->stream != Stream::out) refuse("time", "stream");
    if (program_.passed && program_.passed->stream != Stream::out) refuse("passed", "stream");
    if (program_.levels && program_.levels->stream != Stream::file) refuse("levels", "from");
  }

  static std::string word(const Json& json, const Fields& fields, const std::string& key) {
    const Field& field = field_named(fields, key);
    const Json* value = member(json, key);
    if (value != nullptr && fits(field, *value)) return value->get<std::string>();
    return field.default_json.empty() ? std::string()
                                      : Json::parse(field.default_json).get<std::string>();
  }

  void read_file(const Json& json) {
    const std::string text = word(json, external_fields(), "program");
    const std::string path = child_path(path_, "program");
    if (text.empty() || text.find('\0') != std::string::npos) {
      if (member(json, "program") != nullptr) {
        diagnostics_.add(path, describe(json["program"]), "the name of a file");
      }
      return;
    }
    // The path is made absolute, since the process runs in another folder.
    const auto spec_folder = std::filesystem::absolute(spec_.file).parent_path();
    program_.file = (spec_folder / text).lexically_normal().string();
    program_.fingerprint = fingerprint_of(program_.file);
  }

  ArgumentTemplate read_template(const Json& json, const std::string& path) {
    if (!json.is_string()) {
      diagnostics_.add(path, describe(json), "text: each is one argument");
      return {};
    }
    try {
      return ArgumentTemplate::parse(json.get<std::string>());
    } catch (const InputError& error) {
      std::string names;
      for (const std::string& each : ArgumentTemplate::placeholders()) names += " {" + each + "}";
      diagnostics_.add(path, error.what(), "text with" + names + "; {{ and }} stand for braces");
      return {};
    }
  }

  void read_arguments(const Json& json) {
    const Json* list = member(json, "arguments");
    if (list == nullptr) return;
    const std::string path = child_path(path_, "arguments");
    if (!list->is_array() || list->size() > kMaxArguments) {
      diagnostics_.add(path, describe(*list),
                       fmt::format("a list of at most {} texts", kMaxArguments));
      return;
    }
    for (std::size_t i = 0; i < list->size(); ++i) {
      program_.arguments.push_back(read_template((*list)[i], element_path(path, i)));
    }
  }

  void read_environment(const Json& json) {
    const Json* object = member(json, "environment");
    if (object == nullptr) return;
    const std::string path = child_path(path_, "environment");
    if (!object->is_object()) {
      diagnostics_.add(path, describe(*object), "an object: {\"OMP_NUM_THREADS\": \"{threads}\"}");
      return;
    }
    for (const auto& [name, value] : object->items()) {
      const std::string here = child_path(path, name);
      if (!fits(environment_name_field(), name)) {
        diagnostics_.add(here, describe(name), expected_words(environment_name_field()), {},
                         Anchor::key);
      }
      program_.environment.emplace_back(name, read_template(value, here));
    }
  }

  void read_time(const Json& json) {
    const std::string path = child_path(path_, "time");
    if (!check_object(time_format_fields(), json, path, diagnostics_)) return;
    TimeFormat time;
    time.stream = stream(json, time_format_fields());
    time.pattern = word(json, time_format_fields(), "pattern");
    time.scope = word(json, time_format_fields(), "scope");
    const std::string take = word(json, time_format_fields(), "take");
    time.take = take == "last"   ? TakeTime::last
                : take == "mean" ? TakeTime::mean
                : take == "min"  ? TakeTime::min
                                 : TakeTime::only;
    const std::string unit = word(json, time_format_fields(), "unit");
    time.unit_ms = unit == "s" ? 1e3 : unit == "ms" ? 1 : unit == "us" ? 1e-3 : 1e-6;
    if (!time.pattern.empty()) check_pattern(time.pattern, 1, child_path(path, "pattern"));
    program_.time = time;
  }

  void read_passed(const Json& json) {
    const std::string path = child_path(path_, "passed");
    if (!check_object(passed_format_fields(), json, path, diagnostics_)) return;
    PassedFormat passed;
    passed.stream = stream(json, passed_format_fields());
    passed.pattern = word(json, passed_format_fields(), "pattern");
    if (!passed.pattern.empty()) check_pattern(passed.pattern, 0, child_path(path, "pattern"));
    program_.passed = passed;
  }

  static Stream stream(const Json& json, const Fields& fields) {
    return word(json, fields, "stream") == "stderr" ? Stream::error : Stream::out;
  }

  void check_pattern(const std::string& text, unsigned groups_due, const std::string& path) {
    const char* const expected = groups_due == 1
                                     ? "a regular expression with one group: \"time: ([0-9.]+) ms\""
                                     : "a regular expression without groups: \"^errors: 0$\"";
    try {
      const unsigned groups = std::regex(text).mark_count();
      if (groups == groups_due) return;
      diagnostics_.add(path, fmt::format("{}, which has {} groups", quoted(text), groups),
                       expected);
    } catch (const std::regex_error& error) {
      diagnostics_.add(path, fmt::format("{} ({})", quoted(text), error.what()), expected);
    }
  }

  void read_levels(const Json& json) {
    const std::string path = child_path(path_, "levels");
    if (!check_object(levels_format_fields(), json, path, diagnostics_)) return;
    LevelsFormat levels;
    const auto integer = [&](const char* key) {
      const Json* value = member(json, key);
      const Field& field = field_named(levels_format_fields(), key);
      return value != nullptr && fits(field, *value) ? as_integer(*value)
                                                     : as_integer(Json::parse(field.default_json));
    };
    const std::string form = word(json, levels_format_fields(), "format");
    levels.form = form == "int32"   ? LevelForm::int32
                  : form == "pairs" ? LevelForm::pairs
                                    : LevelForm::list;
    levels.unreached = integer("unreached");
    levels.first_vertex = static_cast<std::uint64_t>(integer("first_vertex"));
    const bool on_stdout = word(json, levels_format_fields(), "from") == "stdout";
    levels.stream = on_stdout ? Stream::out : Stream::file;
    if (!on_stdout && !program_.uses("output")) {
      diagnostics_.add(path, "levels from a file, and no argument with {output}",
                       "that argument, or \"from\": \"stdout\"");
    }
    program_.levels = levels;
  }

  const Spec& spec_;
  std::string path_;
  Diagnostics& diagnostics_;
  ExternalProgram program_;
};

}  // namespace

void read_external(const Json& json, Spec& spec, Diagnostics& diagnostics) {
  const Json* programs = json.is_object() ? member(json, "external") : nullptr;
  if (programs == nullptr) return;
  if (!programs->is_object() || programs->empty()) {
    diagnostics.add("external", describe(*programs),
                    "an object of at least one program: {\"name\": {\"program\": ...}}");
    return;
  }
  for (const auto& [name, description] : programs->items()) {
    const ExternalProgram program = ExternalReader(spec, name, diagnostics).read(description);
    spec.external.push_back(std::make_shared<const EngineInfo>(external_engine(program)));
  }
  if (spec.limits.trial_s > 0) return;
  diagnostics.add("external", "programs that may never end, and no limit of a trial's time",
                  "\"limits\": {\"trial_s\": ...}", {}, Anchor::key);
}

}  // namespace bfslab
