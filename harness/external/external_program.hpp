// SPDX-License-Identifier: Apache-2.0
// ExternalProgram: a program of others, as the key `external` of a spec describes it. It becomes an
// engine, "external:NAME", that the harness runs like any other. docs/external.md.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "kernels/engine.hpp"

namespace bfslab {

// An argument, or a value of the environment: text with placeholders, "--source={source}". It
// becomes one string for any values, and placeholders in the values are not replaced.
class ArgumentTemplate {
 public:
  // Returns the names of all placeholders: {graph}, {source}, ...
  static const std::vector<std::string>& placeholders();
  // Parses the text, in which "{{" and "}}" stand for braces. Throws InputError.
  static ArgumentTemplate parse(const std::string& text);

  [[nodiscard]] bool uses(const std::string& placeholder) const;
  // Replaces the placeholders. `values` has every placeholder that it uses.
  [[nodiscard]] std::string fill(const std::map<std::string, std::string>& values) const;

 private:
  struct Piece {
    bool placeholder = false;
    std::string text;  // or the name of the placeholder
  };
  std::vector<Piece> pieces_;
};

// The stream on which a program reports its time or its levels.
enum class Stream { out, error, file };  // file: the file that {output} names

// The time that counts where several lines match: "only" admits one line.
enum class TakeTime { only, last, mean, min };

struct TimeFormat {
  Stream stream = Stream::out;
  std::string pattern;  // ECMAScript, with one group: the number
  TakeTime take = TakeTime::only;
  double unit_ms = 1;
  std::string scope;  // the work that the time covers: "traversal"
};

// A line by which a program says that its own check of its answer found no fault.
struct PassedFormat {
  Stream stream = Stream::out;
  std::string pattern;  // ECMAScript, without groups
};

enum class LevelForm { list, pairs, int32 };

struct LevelsFormat {
  Stream stream = Stream::file;
  LevelForm form = LevelForm::list;
  std::int64_t unreached = -1;     // stands for an unreached vertex, as negative numbers do
  std::uint64_t first_vertex = 0;  // the id of the first vertex, in `pairs`
};

struct ExternalProgram {
  std::string name;
  std::string file;         // the executable
  std::string fingerprint;  // hash of its contents: 12 hexadecimal digits, or "missing"
  std::vector<ArgumentTemplate> arguments;
  std::vector<std::pair<std::string, ArgumentTemplate>> environment;
  std::string graph;               // the ending of the file that it reads: ".mtx"
  std::optional<TimeFormat> time;  // none: its process is timed
  std::optional<PassedFormat> passed;
  std::optional<LevelsFormat> levels;
  bool gpu = false;
  // The line by which one process is asked for each search, and answers by a line. None: a process
  // per search.
  std::optional<ArgumentTemplate> ask = {};

  // Returns whether an argument, a variable or `ask` has the placeholder.
  [[nodiscard]] bool uses(const std::string& placeholder) const;
};

// Returns the fingerprint of the present contents of a file.
std::string fingerprint_of(const std::string& file);

// Returns the engine. Its toggles are `program`, the fingerprint, and `timer`, the scope, with one
// value each, so that rows have both; and `threads` if a template uses it.
EngineInfo external_engine(const ExternalProgram& program);

}  // namespace bfslab
