// SPDX-License-Identifier: Apache-2.0
#include "harness/record/environment.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "datasets/text/sha256.hpp"
#include "harness/observe/cgroup.hpp"
#include "harness/observe/first_line.hpp"
#include "harness/observe/nvml.hpp"
#include "harness/observe/processor.hpp"
#include "harness/observe/program_output.hpp"
#include "harness/observe/resident_memory.hpp"
#include "harness/plugin/plugins.hpp"
#include "harness/record/build_info.hpp"
#include "harness/record/environment_shape.hpp"
#include "harness/record/kept_variables.hpp"
#include "harness/record/rows.hpp"
#include "harness/record/table_file.hpp"
#include "harness/spec/growth.hpp"
#include "harness/spec/read.hpp"

namespace bfslab {

namespace {

using json = nlohmann::ordered_json;

// The environment and the command line need not be UTF-8, and JSON must be.
std::string text_of(const json& out) {
  return out.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

json text_or_null(const std::string& text) { return text.empty() ? json(nullptr) : json(text); }

json caches() {
  json list = json::array();
  const std::filesystem::path folder = "/sys/devices/system/cpu/cpu0/cache";
  for (int index = 0; index < 8; ++index) {
    const auto cache = folder / fmt::format("index{}", index);
    const std::string size = first_line(cache / "size");
    if (size.empty()) continue;
    list.push_back({{"level", first_line(cache / "level")},
                    {"type", first_line(cache / "type")},
                    {"size", size},
                    {"shared_by_cpus", first_line(cache / "shared_cpu_list")}});
  }
  return list;
}

// Distinct (package, core) pairs: SMT siblings share one.
json physical_cores() {
  std::ifstream file("/proc/cpuinfo");
  std::set<std::pair<std::string, std::string>> cores;
  std::string package;
  for (std::string line; std::getline(file, line);) {
    const auto colon = line.find(": ");
    if (colon == std::string::npos) continue;
    if (line.rfind("physical id", 0) == 0) package = line.substr(colon + 2);
    if (line.rfind("core id", 0) == 0) cores.emplace(package, line.substr(colon + 2));
  }
  return cores.empty() ? json(nullptr) : json(cores.size());
}

json processor() {
  const std::string cpu0 = "/sys/devices/system/cpu/cpu0/cpufreq/";
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  const bool known = sched_getaffinity(0, sizeof allowed, &allowed) == 0;
  return {{"model", text_or_null(proc_field("/proc/cpuinfo", "model name"))},
          {"signature", text_or_null(processor_signature())},
          {"logical", sysconf(_SC_NPROCESSORS_ONLN)},
          {"allowed", known ? json(CPU_COUNT(&allowed)) : json(nullptr)},
          {"allowed_list", text_or_null(proc_field("/proc/self/status", "Cpus_allowed_list"))},
          {"cores", physical_cores()},
          {"smt", text_or_null(first_line("/sys/devices/system/cpu/smt/active"))},
          {"governor", text_or_null(first_line(cpu0 + "scaling_governor"))},
          {"max_khz", text_or_null(first_line(cpu0 + "cpuinfo_max_freq"))},
          {"mhz_now", text_or_null(proc_field("/proc/cpuinfo", "cpu MHz"))},
          {"numa_nodes", text_or_null(first_line("/sys/devices/system/node/online"))},
          {"caches", caches()}};
}

std::string operating_system() {
  std::ifstream file("/etc/os-release");
  for (std::string entry; std::getline(file, entry);) {
    if (entry.rfind("PRETTY_NAME=", 0) != 0) continue;
    std::string name = entry.substr(12);
    if (name.size() >= 2 && name.front() == '"') name = name.substr(1, name.size() - 2);
    return name;
  }
  return {};
}

template <typename T>
json value_or_null(const std::optional<T>& value) {
  return value ? json(*value) : json(nullptr);
}

// Reads the GPU driver's own files, NVML and, if that is missing, nvidia-smi: the driver of an
// experiment does not use CUDA.
json graphics() {
  const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES");
  json out = {{"driver", text_or_null(first_line("/proc/driver/nvidia/version"))},
              {"cuda_runtime", text_or_null(std::string(build_info().cuda))},
              {"visible_devices", visible != nullptr ? json(visible) : json(nullptr)}};
  json devices = json::array();
  if (const auto report = nvml::report()) {
    out["driver_version"] = text_or_null(report->driver);
    out["driver_cuda"] = text_or_null(report->cuda);
    for (const nvml::Gpu& gpu : report->gpus) {
      devices.push_back({{"name", text_or_null(gpu.name)},
                         {"uuid", text_or_null(gpu.uuid)},
                         {"memory_bytes", value_or_null(gpu.memory_bytes)},
                         {"sm_clock_mhz", value_or_null(gpu.sm_clock)},
                         {"max_sm_clock_mhz", value_or_null(gpu.max_sm_clock)},
                         {"applications_sm_clock_mhz", value_or_null(gpu.applications_sm_clock)}});
    }
    out["count"] = devices.size();
    out["devices"] = devices;
    return out;
  }
  std::istringstream printed(program_output(
      {"nvidia-smi", "--query-gpu=name,uuid,driver_version,memory.total,clocks.sm,clocks.max.sm",
       "--format=csv,noheader"},
      std::chrono::seconds(10)));
  for (std::string line; std::getline(printed, line);) {
    if (!line.empty()) devices.push_back(line);
  }
  out["count"] = devices.size();
  out["devices"] = devices;
  return out;
}

json limits() {
  const auto cgroup = cgroup_memory();
  return {{"cgroup_version", cgroup.version == 0 ? json(nullptr) : json(cgroup.version)},
          {"cgroup_memory_bytes", cgroup.limit == 0 ? json(nullptr) : json(cgroup.limit)},
          {"cgroup_cpu", text_or_null(cgroup_cpu_limit())}};
}

// The memory that firmware and kernel keep differs by some pages from one start to the next.
bool same_memory(const json& was, const json& is) {
  if (!was.is_number() || !is.is_number()) return false;
  const double a = was.get<double>();
  const double b = is.get<double>();
  return std::abs(a - b) <= 0.01 * std::max(a, b);
}

// Facts of the first build that also stand beside the list of builds, where format 1 has them.
constexpr const char* kBuildKeys[] = {"build_hash", "commit",       "dirty",      "compiler",
                                      "flags",      "compiled_for", "build_type", "options"};

json plugin_facts() {
  json list = json::array();
  for (const Plugin& plugin : plugins()) {
    list.push_back({{"file", plugin.file}, {"sha256", plugin.sha256}, {"engines", plugin.engines}});
  }
  return list;
}

json build_facts(const RunIdentity& identity) {
  const BuildInfo& build = build_info();
  return {{"build_hash", identity.build_hash},
          {"commit", std::string(build.commit)},
          {"dirty", build.dirty},
          {"version", std::string(build.version)},
          {"compiler", std::string(build.compiler)},
          {"flags", std::string(build.flags)},
          {"compiled_for",
           {{"target", text_or_null(std::string(build.native_target))},
            {"cpu", text_or_null(std::string(build.native_cpu))}}},
          {"build_type", std::string(build.build_type)},
          {"options", std::string(build.options)},
          {"cuda", text_or_null(std::string(build.cuda))},
          {"plugins", plugin_facts()},
          {"first_used", utc_now()}};
}

json value_at(const json& object, const char* path) {
  const json::json_pointer pointer(path);
  return object.contains(pointer) ? object.at(pointer) : json(nullptr);
}

// The one build of a folder of format 1, whose facts are the file's own.
json first_build(const json& environment) {
  json build = json::object();
  for (const char* key : kBuildKeys) {
    build[key] = value_at(environment, fmt::format("/{}", key).c_str());
  }
  build["version"] = value_at(environment, "/bfslab");
  build["cuda"] = value_at(environment, "/gpu/cuda_runtime");
  build["first_used"] = value_at(environment, "/utc");
  return build;
}

// `environment` in the present format: the number of the format comes first.
json in_this_format(const json& environment) {
  json out = {{"format", kResultsFormat}, {"sealed", true}};
  for (const auto& [key, value] : environment.items()) {
    if (key != "format" && key != "sealed") out[key] = value;
  }
  if (!out.contains("builds")) out["builds"] = json::array({first_build(environment)});
  if (!out["resumed"].is_array()) out["resumed"] = json::array();
  return out;
}

unsigned format_of(const json& environment) {
  const json format = value_at(environment, "/format");
  return format.is_number_unsigned() ? format.get<unsigned>() : 1;
}

std::string text_at(const json& object, const char* path) {
  const json value = value_at(object, path);
  return value.is_string() ? value.get<std::string>() : std::string();
}

}  // namespace

std::string host_name() {
  utsname names{};
  return uname(&names) == 0 ? names.nodename : "unknown";
}

std::vector<std::string> command_line() {
  std::istringstream text(read_file("/proc/self/cmdline"));
  std::vector<std::string> words;
  for (std::string word; std::getline(text, word, '\0');) words.push_back(word);
  return words;
}

std::string describe_environment(const RunIdentity& identity) {
  const BuildInfo& build = build_info();
  utsname names{};
  uname(&names);
  json out = {{"format", kResultsFormat},
              {"sealed", true},
              {"bfslab", std::string(build.version)},
              {"utc", utc_now()},
              {"arguments", identity.arguments},
              {"spec_file", identity.spec_file},
              {"spec_hash", identity.spec_hash},
              {"host", host_name()},
              {"kernel", fmt::format("{} {}", names.sysname, names.release)},
              {"architecture", std::string(names.machine)},
              {"os", text_or_null(operating_system())},
              {"cpu", processor()},
              {"memory_bytes", machine_memory_bytes()},
              {"transparent_huge_pages",
               text_or_null(first_line("/sys/kernel/mm/transparent_hugepage/enabled"))},
              {"gpu", graphics()},
              {"limits", limits()},
              {"openmp", openmp_variables()},
              {"launcher", text_or_null(identity.launcher)},
              {"slurm_job", slurm_job()},
              {"modules", loaded_modules()},
              {"builds", json::array({build_facts(identity)})},
              {"resumed", json::array()}};
  for (const char* key : kBuildKeys) out[key] = out["builds"][0][key];
  out["environment"] = environment_id(text_of(out));
  return text_of(out);
}

std::string add_resumption(const std::string& environment, const std::string& current,
                           const RunIdentity& identity, const Growth* growth) {
  json out = in_this_format(json::parse(environment));
  const json now = json::parse(current);
  json entry = {
      {"utc", utc_now()}, {"arguments", identity.arguments}, {"spec_hash", identity.spec_hash}};
  if (growth != nullptr) entry["previous_spec_hash"] = growth->spec_hash;
  if (growth != nullptr && growth->more_repeats) entry["repeats_before"] = growth->repeats;
  entry.update({{"build_hash", identity.build_hash},
                {"host", host_name()},
                {"launcher", text_or_null(identity.launcher)},
                {"slurm_job", now.at("slurm_job")},
                {"modules", now.at("modules")},
                {"environment", now.at("environment")},
                {"cpu_list", now.at("cpu").at("allowed_list")},
                {"gpus", now.at("gpu").at("devices")}});
  out["resumed"].push_back(entry);
  return text_of(out);
}

std::string add_build(const std::string& environment, const std::string& current) {
  json out = in_this_format(json::parse(environment));
  const json now = json::parse(current).at("builds").at(0);
  const bool listed = std::ranges::any_of(out["builds"], [&](const json& each) {
    return value_at(each, "/build_hash") == now.at("build_hash");
  });
  if (!listed) out["builds"].push_back(now);
  return text_of(out);
}

void require_known_format(const std::string& environment, const std::string& folder) {
  require_environment_shape(environment, folder + "/environment.json");
  const unsigned format = format_of(json::parse(environment, nullptr, false));
  if (format <= kResultsFormat) return;
  throw InputError(
      fmt::format("{} is of format {}, and this program reads formats 1 to {}: a newer bfslab has "
                  "written it; use that version, or name another folder of results",
                  folder, format, kResultsFormat));
}

std::map<std::string, std::string> commits_of_builds(const std::string& environment) {
  const json all = json::parse(environment, nullptr, false);
  std::map<std::string, std::string> commits;
  if (!all.is_object()) return commits;
  const json known = in_this_format(all);
  for (const json& each : known.at("builds")) {
    const std::string commit = text_at(each, "/commit");
    commits[text_at(each, "/build_hash")] =
        commit.empty() ? commit : commit_mark(commit, value_at(each, "/dirty") == true);
  }
  return commits;
}

std::vector<std::string> tables_left_out(const std::string& environment) {
  const json all = json::parse(environment, nullptr, false);
  if (!all.is_object() || !all.contains("left_out")) return {};
  return all["left_out"].get<std::vector<std::string>>();
}

std::string leave_out(const std::string& environment, std::span<const std::string> tables) {
  std::vector<std::string> all = tables_left_out(environment);
  for (const std::string& table : tables) {
    if (std::ranges::find(all, table) == all.end()) all.push_back(table);
  }
  std::ranges::sort(all);
  json changed = json::parse(environment);
  changed["left_out"] = all;
  return text_of(changed);
}

void require_own_rows(const std::string& environment, std::span<const RunRow> rows,
                      const std::string& path) {
  const json all = json::parse(environment, nullptr, false);
  if (!all.is_object()) return;
  std::set<std::string> builds{text_at(all, "/build_hash")};
  std::set<std::string> environments{text_at(all, "/environment")};
  for (const json& each : value_at(all, "/builds")) builds.insert(text_at(each, "/build_hash"));
  for (const json& each : value_at(all, "/resumed")) {
    environments.insert(text_at(each, "/environment"));
  }
  const auto is_foreign = [](const std::set<std::string>& known, const std::string& one) {
    return !one.empty() && known != std::set<std::string>{""} && !known.contains(one);
  };
  for (const RunRow& row : rows) {
    const bool of_build = is_foreign(builds, row.build_hash);
    if (!of_build && !is_foreign(environments, row.environment)) continue;
    throw InputError(fmt::format(
        "{}: trial {} is of {} {}, which environment.json beside it does not list: its row comes "
        "from another folder; take it out",
        path, row.trial, of_build ? "build" : "environment",
        of_build ? row.build_hash : row.environment));
  }
}

bool is_recorded_spec(const std::string& environment, const std::string& spec_json) {
  const json all = json::parse(environment, nullptr, false);
  // Format 1 hashed the whole text.
  const std::string whole = short_hash(spec_json);
  if (format_of(all) < 2) return text_at(all, "/spec_hash") == whole;
  const std::string own = spec_hash_of(spec_json);
  const json resumed = value_at(all, "/resumed");
  for (auto entry = resumed.rbegin(); entry != resumed.rend(); ++entry) {
    const std::string last = text_at(*entry, "/spec_hash");
    if (last.empty()) continue;  // of format 1
    return own == last || own == text_at(*entry, "/previous_spec_hash");
  }
  return own == text_at(all, "/spec_hash");
}

std::vector<unsigned> repeats_before(const std::string& environment) {
  std::vector<unsigned> all;
  for (const json& entry : value_at(json::parse(environment, nullptr, false), "/resumed")) {
    const json repeats = value_at(entry, "/repeats_before");
    if (repeats.is_number_unsigned()) all.push_back(repeats.get<unsigned>());
  }
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

std::string environment_id(const std::string& environment) {
  const json all = json::parse(environment, nullptr, false);
  json decisive = json::array();
  const auto add = [&](const json& from, const char* path) {
    const json::json_pointer pointer(path);
    decisive.push_back(from.contains(pointer) ? from.at(pointer) : json(nullptr));
  };
  for (const char* path : {"/cpu/model", "/cpu/signature", "/cpu/allowed_list", "/cpu/governor",
                           "/cpu/max_khz", "/gpu/visible_devices", "/limits/cgroup_cpu", "/openmp",
                           "/compiler", "/transparent_huge_pages"}) {
    add(all, path);
  }
  const json::json_pointer devices("/gpu/devices");
  if (all.contains(devices)) {
    for (const json& device : all.at(devices)) {
      for (const char* path :
           {"/name", "/uuid", "/max_sm_clock_mhz", "/applications_sm_clock_mhz"}) {
        add(device, path);
      }
    }
  }
  return Sha256().add(text_of(decisive)).hex().substr(0, 8);
}

std::string machine_difference(const std::string& recorded, const std::string& current) {
  const json before = json::parse(recorded, nullptr, false);
  const json now = json::parse(current, nullptr, false);
  if (!before.is_object() || !now.is_object()) return "environment.json cannot be read";
  for (const char* path :
       {"/cpu/model", "/cpu/signature", "/cpu/logical", "/cpu/allowed", "/cpu/governor",
        "/cpu/max_khz", "/memory_bytes", "/architecture", "/limits/cgroup_cpu", "/openmp",
        "/gpu/devices/0/name", "/gpu/devices/0/max_sm_clock_mhz",
        "/gpu/devices/0/applications_sm_clock_mhz"}) {
    const json::json_pointer pointer(path);
    const std::string_view key = path;
    // Older records have no signature; devices of theirs, and without NVML, are lines of text.
    const bool may_lack = key.starts_with("/gpu") || key == "/cpu/signature";
    if (may_lack && (!before.contains(pointer) || !now.contains(pointer))) continue;
    const json was = before.contains(pointer) ? before.at(pointer) : json(nullptr);
    const json is = now.contains(pointer) ? now.at(pointer) : json(nullptr);
    if (was != is && !(key == "/memory_bytes" && same_memory(was, is))) {
      return fmt::format("{} was {} and is {}", path + 1, was.dump(),
                         is.dump(-1, ' ', false, json::error_handler_t::replace));
    }
  }
  return {};
}

}  // namespace bfslab
