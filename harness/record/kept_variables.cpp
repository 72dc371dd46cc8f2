// SPDX-License-Identifier: Apache-2.0
#include "harness/record/kept_variables.hpp"

#include <unistd.h>

#include <cstdlib>
#include <map>
#include <sstream>
#include <string>

extern char** environ;

namespace bfslab {

using Json = nlohmann::ordered_json;

Json openmp_variables() {
  std::map<std::string, std::string> variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    if (text.rfind("OMP_", 0) != 0 && text.rfind("GOMP_", 0) != 0) continue;
    const auto equals = text.find('=');
    variables[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return Json(variables);
}

Json slurm_job() {
  const char* const id = std::getenv("SLURM_JOB_ID");
  return id == nullptr || *id == '\0' ? Json(nullptr) : Json(id);
}

Json loaded_modules() {
  const char* const listed = std::getenv("LOADEDMODULES");
  std::istringstream names(listed == nullptr ? "" : listed);
  Json out = Json::array();
  for (std::string name; std::getline(names, name, ':');) {
    if (!name.empty()) out.push_back(name);
  }
  return out.empty() ? Json(nullptr) : out;
}

}  // namespace bfslab
