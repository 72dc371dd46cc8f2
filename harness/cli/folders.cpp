#include "harness/cli/folders.hpp"

#include <cstdlib>
#include <sstream>

#include "datasets/graph/types.hpp"

namespace bfslab {

namespace {

std::string from_environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

}  // namespace

std::string cache_folder(const std::string& given) {
  if (!given.empty()) return given;
  if (auto own = from_environment("BFSLAB_CACHE"); !own.empty()) return own;
  if (auto base = from_environment("XDG_CACHE_HOME"); !base.empty()) return base + "/bfslab";
  if (auto home = from_environment("HOME"); !home.empty()) return home + "/.cache/bfslab";
  throw InputError("no cache folder: HOME is not set; name one with --cache DIR or BFSLAB_CACHE");
}

std::vector<std::string> data_folders(const std::vector<std::string>& given,
                                      const std::string& cache) {
  std::vector<std::string> folders = given;
  std::istringstream listed(from_environment("BFSLAB_DATA"));
  for (std::string folder; std::getline(listed, folder, ':');) {
    if (!folder.empty()) folders.push_back(folder);
  }
  folders.push_back(cache + "/data");
  return folders;
}

}  // namespace bfslab
