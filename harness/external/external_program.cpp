// SPDX-License-Identifier: Apache-2.0
#include "harness/external/external_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <memory>

#include "datasets/text/sha256.hpp"
#include "harness/external/external_engine.hpp"

namespace bfslab {

const std::vector<std::string>& ArgumentTemplate::placeholders() {
  static const std::vector<std::string> names = {"graph",  "source",   "source+1", "source_rank",
                                                 "output", "vertices", "edges",    "threads"};
  return names;
}

ArgumentTemplate ArgumentTemplate::parse(const std::string& text) {
  ArgumentTemplate out;
  std::string plain;
  const auto end_plain = [&] {
    if (!plain.empty()) out.pieces_.push_back({false, std::exchange(plain, {})});
  };
  if (text.find('\0') != std::string::npos) throw InputError("a NUL character");
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c != '{' && c != '}') {
      plain += c;
      continue;
    }
    if (i + 1 < text.size() && text[i + 1] == c) {
      plain += c;
      ++i;
      continue;
    }
    const std::size_t close = c == '{' ? text.find('}', i) : std::string::npos;
    if (close == std::string::npos) throw InputError(fmt::format("a '{}' without its partner", c));
    const std::string name = text.substr(i + 1, close - i - 1);
    if (std::ranges::find(placeholders(), name) == placeholders().end()) {
      throw InputError(fmt::format("an unknown placeholder {{{}}}", name));
    }
    end_plain();
    out.pieces_.push_back({true, name});
    i = close;
  }
  end_plain();
  return out;
}

bool ArgumentTemplate::uses(const std::string& placeholder) const {
  return std::ranges::any_of(
      pieces_, [&](const Piece& piece) { return piece.placeholder && piece.text == placeholder; });
}

std::string ArgumentTemplate::fill(const std::map<std::string, std::string>& values) const {
  std::string out;
  for (const Piece& piece : pieces_) out += piece.placeholder ? values.at(piece.text) : piece.text;
  return out;
}

bool ExternalProgram::uses(const std::string& placeholder) const {
  const auto asks = [&](const ArgumentTemplate& each) { return each.uses(placeholder); };
  return (ask && ask->uses(placeholder)) || std::ranges::any_of(arguments, asks) ||
         std::ranges::any_of(environment, [&](const auto& each) { return asks(each.second); });
}

std::string fingerprint_of(const std::string& file) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored)) return "missing";
  std::ifstream input(file, std::ios::binary);
  Sha256 hash;
  std::array<char, 1 << 16> block{};
  std::uint64_t bytes = 0;
  while (input) {
    input.read(block.data(), block.size());
    hash.add({block.data(), static_cast<std::size_t>(input.gcount())});
    bytes += static_cast<std::uint64_t>(input.gcount());
  }
  return bytes > 0 ? hash.hex().substr(0, 12) : "missing";
}

EngineInfo external_engine(const ExternalProgram& program) {
  EngineInfo info;
  info.name = "external:" + program.name;
  info.summary = "a program of others, as the spec describes it";
  info.can.levels = program.levels.has_value();
  info.can.parents = false;
  info.can.gpu = program.gpu;
  info.can.external = true;
  const auto add_fact = [&](const char* name, const std::string& value, const char* doc) {
    info.toggles.push_back(Toggle::choice(name, value, {value}, doc));
  };
  add_fact("program", program.fingerprint, "identifies the program: a hash of its file");
  add_fact("timer",
           program.time  ? program.time->scope
           : program.ask ? "answer"
                         : "process",
           "the work that its time covers");
  if (program.uses("threads")) {
    info.toggles.push_back(Toggle::integer("threads", 0, 0, 4096, "threads; 0: one per processor"));
  }
  info.make = [shared = std::make_shared<const ExternalProgram>(program)](
                  const EngineSettings& settings) { return make_external(shared, settings); };
  return info;
}

}  // namespace bfslab
