// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/folders.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "datasets/graph/types.hpp"
#include "datasets/text/printable.hpp"
#include "harness/record/environment.hpp"

namespace bfslab {

std::string environment_text(const char* name) {
  const char* const value = std::getenv(name);
  std::string text = value != nullptr ? value : "";
  if (is_utf8(text)) return text;
  throw InputError(
      fmt::format("{} is \"{}\", which is not UTF-8; rename the folder or file that it "
                  "names",
                  name, printable(text)));
}

std::string cache_folder(const std::string& given) {
  if (!given.empty()) return given;
  if (auto own = environment_text("BFSLAB_CACHE"); !own.empty()) return own;
  if (auto base = environment_text("XDG_CACHE_HOME"); !base.empty()) return base + "/bfslab";
  if (auto home = environment_text("HOME"); !home.empty()) return home + "/.cache/bfslab";
  throw InputError("no cache folder: HOME is not set; name one with --cache DIR or BFSLAB_CACHE");
}

std::vector<std::string> data_folders(const std::vector<std::string>& given,
                                      const std::string& cache) {
  std::vector<std::string> folders = given;
  std::istringstream listed(environment_text("BFSLAB_DATA"));
  for (std::string folder; std::getline(listed, folder, ':');) {
    if (!folder.empty()) folders.push_back(folder);
  }
  folders.push_back(cache + "/data");
  return folders;
}

std::string results_folder(const std::string& given) {
  if (!given.empty()) return given;
  if (auto own = environment_text("BFSLAB_RESULTS"); !own.empty()) return own;
  return "results/" + host_name();
}

std::string installed_share() {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  const fs::path share = program.parent_path().parent_path() / "share/bfslab";
  return fs::is_directory(share, ignored) ? share.string() : "";
}

std::string specs_folder() {
  const char* const here = "experiments";
  std::error_code ignored;
  if (std::filesystem::is_directory(here, ignored)) return here;
  const std::string share = installed_share();
  return share.empty() ? here : share + "/experiments";
}

}  // namespace bfslab
