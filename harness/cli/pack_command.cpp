// SPDX-License-Identifier: Apache-2.0
// bfslab pack: compresses recorded rows by gzip, and unpacks them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "harness/analyse/results.hpp"
#include "harness/cli/commands.hpp"
#include "harness/cli/print_json.hpp"
#include "harness/cli/units_text.hpp"
#include "harness/record/directory_lock.hpp"
#include "harness/record/environment.hpp"
#include "harness/record/packed_tables.hpp"
#include "harness/record/sound_folder.hpp"
#include "harness/record/table_file.hpp"

namespace bfslab {

namespace {

struct PackArguments {
  std::vector<std::string> results;
  bool undo = false;
  std::vector<std::string> left_out;
  bool json = false;
};

constexpr const char* kPackFooter = R"(Examples:
  bfslab pack results/h200            runs.csv.gz, levels.csv.gz, measures.csv.gz for runs.csv, ...
  bfslab pack --undo results/h200
  bfslab pack --leave-out levels results/h200/cs406-fig1    removes its rows by level for good

Everything that reads rows reads either form. `bfslab run` unpacks a folder to which it adds rows.
A table is replaced only once its copy is on the disk; the same command continues after an
interruption. A folder that a run writes to is refused.

--leave-out is for rows that are too many to keep or to give away: environment.json says then which
tables the folder lacks, and no run adds to it.

Exit codes: 0 done, 2 bad input.)";

struct PackedFolder {
  std::string folder;
  Packed packed;
  Packed left_out;
};

PackedFolder pack_folder(const PackArguments& arguments, const std::string& folder) {
  const DirectoryLock lock(folder);
  require_known_format(read_file(folder + "/environment.json"), folder);
  if (!has_both_forms(folder)) {
    require_sound_folder(folder, Details::must_belong, arguments.left_out);
  }
  PackedFolder done{folder, {}, {}};
  if (!arguments.left_out.empty()) done.left_out = leave_out_tables(folder, arguments.left_out);
  done.packed = arguments.undo ? unpack_tables(folder) : pack_tables(folder);
  return done;
}

Packed sum_of(const std::vector<PackedFolder>& folders, Packed PackedFolder::*part) {
  Packed sum;
  for (const PackedFolder& each : folders) {
    sum.tables += (each.*part).tables;
    sum.before += (each.*part).before;
    sum.after += (each.*part).after;
  }
  return sum;
}

void print_as_json(const PackArguments& arguments, const std::vector<PackedFolder>& folders) {
  using Json = nlohmann::ordered_json;
  Json list = Json::array();
  for (const PackedFolder& each : folders) {
    list.push_back({{"folder", each.folder},
                    {"tables", each.packed.tables},
                    {"bytes_before", each.packed.before},
                    {"bytes_after", each.packed.after},
                    {"left_out_tables", each.left_out.tables},
                    {"left_out_bytes", each.left_out.before}});
  }
  const Packed all = sum_of(folders, &PackedFolder::packed);
  const Packed left_out = sum_of(folders, &PackedFolder::left_out);
  print_json(Json{{"done", arguments.undo ? "unpacked" : "packed"},
                  {"tables", all.tables},
                  {"bytes_before", all.before},
                  {"bytes_after", all.after},
                  {"left_out_tables", left_out.tables},
                  {"left_out_bytes", left_out.before},
                  {"folders", list}});
}

void print_as_text(const PackArguments& arguments, const std::vector<PackedFolder>& folders) {
  const Packed all = sum_of(folders, &PackedFolder::packed);
  if (!arguments.left_out.empty()) {
    const Packed left_out = sum_of(folders, &PackedFolder::left_out);
    fmt::print("Removed and recorded as left out: {}; files: {}, {}.\n",
               fmt::join(arguments.left_out, ", "), left_out.tables,
               bytes_text(static_cast<double>(left_out.before)));
    if (all.tables == 0) return;
  }
  const char* const done = arguments.undo ? "unpacked" : "packed";
  if (all.tables == 0) {
    fmt::print("Nothing to do: no table there can be {}.\n", done);
    return;
  }
  const auto changed = std::ranges::count_if(
      folders, [](const PackedFolder& each) { return each.packed.tables > 0; });
  fmt::print("{} tables {} in {} folders: {} became {}.\n", all.tables, done, changed,
             bytes_text(static_cast<double>(all.before)),
             bytes_text(static_cast<double>(all.after)));
}

void pack(const PackArguments& arguments) {
  std::vector<PackedFolder> folders;
  for (const std::string& path : arguments.results) {
    for (const std::string& folder : result_folders(path)) {
      folders.push_back(pack_folder(arguments, folder));
    }
  }
  arguments.json ? print_as_json(arguments, folders) : print_as_text(arguments, folders);
}

}  // namespace

void add_pack_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("pack", "Compress recorded rows, or unpack them again");
  auto arguments = std::make_shared<PackArguments>();
  command
      ->add_option("RESULTS", arguments->results,
                   "Folders that `bfslab run` wrote, or that hold such folders")
      ->required();
  CLI::Option* undo = command->add_flag("--undo", arguments->undo, "Unpack");
  command
      ->add_option("--leave-out", arguments->left_out,
                   "Remove these tables (levels, measures) and record that they are left out")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("TABLE,...")
      ->check(CLI::IsMember({"levels", "measures"}))
      ->excludes(undo);
  command->add_flag("--json", arguments->json, "Print what was done as JSON: docs/scripts.md");
  command->footer(kPackFooter);
  command->callback([arguments] { pack(*arguments); });
}

}  // namespace bfslab
