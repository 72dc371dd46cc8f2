// SPDX-License-Identifier: Apache-2.0
#include "harness/plugin/plugins.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string_view>

#include "datasets/text/printable.hpp"
#include "datasets/text/sha256.hpp"
#include "kernels/plugin.hpp"

namespace bfslab {

namespace {

namespace fs = std::filesystem;

constexpr const char* kGuide = "docs/own_engine.md";

std::vector<Plugin>& loaded() {
  static std::vector<Plugin> all;
  return all;
}

InputError refused(const std::string& path, const std::string& why) {
  return InputError(fmt::format("--plugin {}: {}", printable(path), why));
}

std::string contents_of(const std::string& path) {
  if (!fs::is_regular_file(path)) {
    throw refused(path, fs::exists(path) ? "it is no regular file; expected a shared library"
                                         : "there is no such file; build it first");
  }
  std::ifstream file(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  if (!file) throw refused(path, "it cannot be read");
  return bytes;
}

// Compares the contract of the file with this program's.
void require_contract(const std::string& path, std::string_view bytes) {
  constexpr std::string_view kBegin = BFSLAB_PLUGIN_MARK_BEGIN;
  constexpr std::string_view kMark = BFSLAB_PLUGIN_MARK;
  const std::size_t at = bytes.find(kBegin);
  if (!bytes.starts_with("\177ELF") || at == std::string_view::npos) {
    throw refused(path, fmt::format("it is no plugin of bfslab: expected a shared library with "
                                    "BFSLAB_PLUGIN(...) in it, as bfslab_add_engine() of CMake "
                                    "builds it ({})",
                                    kGuide));
  }
  const std::string_view rest = bytes.substr(at);
  const std::string_view mark = rest.substr(0, std::min(rest.find('\0'), std::size_t{200}));
  if (mark == kMark) return;
  throw refused(path, fmt::format("it was built for contract {}, and this bfslab has contract "
                                  "{}: compile it again with the headers that are installed with "
                                  "this bfslab ({})",
                                  printable(std::string(mark.substr(kBegin.size()))),
                                  kMark.substr(kBegin.size()), kGuide));
}

bool is_name(const std::string& name) {
  return !name.empty() &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string::npos;
}

// Throws InputError unless the engine can join the others. What tables of toggles promise beyond
// this is for `bfslab exam`.
void require_sound(const std::string& path, const EngineInfo& engine) {
  const auto refuse = [&](const std::string& why) {
    return refused(path, fmt::format("engine \"{}\": {}", printable(engine.name), why));
  };
  if (!is_name(engine.name)) {
    throw refuse("expected a name of small letters, digits and hyphens, as \"my-engine\"");
  }
  if (const EngineInfo* other = find_engine(engine.name)) {
    throw refuse(fmt::format("{} has an engine of that name; give yours another",
                             other->plugin.empty() ? "bfslab" : other->plugin));
  }
  if (!engine.estimate) throw refuse("it has no `estimate`");
  if (static_cast<bool>(engine.make) == engine.counts()) {
    throw refuse("expected exactly one of `make` and `count`");
  }
  if (engine.can.distributed || engine.can.external) {
    throw refuse("`can.distributed` and `can.external` are for engines of bfslab");
  }
  std::set<std::string> names;
  for (const Toggle& toggle : engine.toggles) {
    if (!names.insert(toggle.name).second) {
      throw refuse(fmt::format("it declares the toggle \"{}\" twice", printable(toggle.name)));
    }
    const auto& value = toggle.default_value;
    const bool fits =
        toggle.kind == ToggleKind::flag      ? std::holds_alternative<bool>(value)
        : toggle.kind == ToggleKind::integer ? std::holds_alternative<std::int64_t>(value)
        : toggle.kind == ToggleKind::real
            ? std::holds_alternative<double>(value)
            : std::holds_alternative<std::string>(value) &&
                  std::ranges::count(toggle.choices, std::get<std::string>(value)) == 1;
    if (!fits) {
      throw refuse(fmt::format("the default of its toggle \"{}\" is none of its values",
                               printable(toggle.name)));
    }
  }
}

// Returns the engines that the library declares. Runs its code for the first time.
std::vector<EngineInfo> declared(const std::string& path) {
  void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    throw refused(path, fmt::format("it cannot be loaded: {}", printable(::dlerror())));
  }
  using Declare = void (*)(std::vector<EngineInfo>&);
  const auto declare = reinterpret_cast<Declare>(::dlsym(library, "bfslab_plugin_engines"));
  if (declare == nullptr) {
    throw refused(path, "it has no symbol bfslab_plugin_engines, which BFSLAB_PLUGIN(...) defines");
  }
  std::vector<EngineInfo> engines;
  declare(engines);
  if (engines.empty()) throw refused(path, "it declares no engine");
  return engines;
}

}  // namespace

void load_plugin(const std::string& path, const std::string& sha256) {
  const std::string bytes = contents_of(path);
  Plugin plugin{.path = fs::canonical(path).string(),
                .file = fs::path(path).filename().string(),
                .sha256 = Sha256().add(bytes).hex()};
  if (!sha256.empty() && plugin.sha256 != sha256) {
    throw refused(path, "the file has changed since the command began; run the command again");
  }
  if (std::ranges::find(loaded(), plugin.path, &Plugin::path) != loaded().end()) return;
  require_contract(path, bytes);
  for (EngineInfo& engine : declared(plugin.path)) {
    require_sound(path, engine);
    engine.plugin = plugin.file;
    plugin.engines.push_back(engine.name);
    RegisterEngine(std::move(engine));
  }
  loaded().push_back(std::move(plugin));
}

const std::vector<Plugin>& plugins() { return loaded(); }

const Plugin* plugin_of(const std::string& engine) {
  const auto found = std::ranges::find_if(loaded(), [&](const Plugin& plugin) {
    return std::ranges::find(plugin.engines, engine) != plugin.engines.end();
  });
  return found == loaded().end() ? nullptr : &*found;
}

std::vector<std::string> plugin_words() {
  std::vector<std::string> words;
  for (const Plugin& plugin : loaded()) {
    words.insert(words.end(), {"--plugin", plugin.sha256 + ":" + plugin.path});
  }
  return words;
}

void load_plugin_word(const std::string& word) {
  const std::size_t colon = word.find(':');
  load_plugin(word.substr(colon + 1), word.substr(0, colon));
}

}  // namespace bfslab
