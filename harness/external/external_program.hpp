// SPDX-License-Identifier: Apache-2.0
// ExternalProgram: somebody's program as a spec's key `external` describes it, and how it becomes
// an engine, "external:NAME", that the harness runs like any other. docs/external.md.
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

// One argument, or one value of the environment: text with placeholders, "--source={source}". It
// becomes one string whatever the values are, and what they contain is not read again.
class ArgumentTemplate {
 public:
  // {graph}, {source}, ...: the names of all placeholders.
  static const std::vector<std::string>& placeholders();
  // "{{" and "}}" stand for braces. Throws InputError, which says what is wrong with the text.
  static ArgumentTemplate parse(const std::string& text);

  [[nodiscard]] bool uses(const std::string& placeholder) const;
  // `values`: of every placeholder that it uses.
  [[nodiscard]] std::string fill(const std::map<std::string, std::string>& values) const;

 private:
  struct Piece {
    bool placeholder = false;
    std::string text;  // or its name
  };
  std::vector<Piece> pieces_;
};

// Which of its streams a program tells its time or its levels on.
enum class Stream { out, error, file };  // file: the one that {output} names

struct ToldTime {
  Stream stream = Stream::out;
  std::string pattern;  // ECMAScript, with one group: the number
  double unit_ms = 1;
  std::string scope;  // what lies between its two readings of the clock: "traversal"
};

enum class LevelForm { list, pairs, int32 };

struct ToldLevels {
  Stream stream = Stream::file;
  LevelForm form = LevelForm::list;
  std::int64_t unreached = -1;     // beside every negative number
  std::uint64_t first_vertex = 0;  // the id of the first vertex, in `pairs`
};

struct ExternalProgram {
  std::string name;
  std::string file;         // the executable
  std::string fingerprint;  // of its contents: 12 hexadecimal digits, or "missing"
  std::vector<ArgumentTemplate> arguments;
  std::vector<std::pair<std::string, ArgumentTemplate>> environment;
  std::string graph;             // the ending of the file that it reads: ".mtx"
  std::optional<ToldTime> time;  // none: its process is timed
  std::optional<ToldLevels> levels;
  bool gpu = false;

  [[nodiscard]] bool uses(const std::string& placeholder) const;
};

// The fingerprint of a file as it is now.
std::string fingerprint_of(const std::string& file);

// Its toggles are `program`, the fingerprint, and `timer`, the scope, of one value each, so that
// rows tell both; and `threads` where a template asks for them.
EngineInfo external_engine(const ExternalProgram& program);

}  // namespace bfslab
