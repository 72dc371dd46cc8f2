// SPDX-License-Identifier: Apache-2.0
// bfslab pack: compresses recorded rows by gzip, and unpacks them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "harness/analyse/results.hpp"
#include "harness/cli/commands.hpp"
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

void pack(const PackArguments& arguments) {
  Packed all;
  std::size_t left_out = 0;
  std::uint64_t left_out_bytes = 0;
  std::size_t folders = 0;
  for (const std::string& path : arguments.results) {
    for (const std::string& folder : result_folders(path)) {
      const DirectoryLock lock(folder);
      require_known_format(read_file(folder + "/environment.json"), folder);
      if (!has_both_forms(folder)) {
        require_sound_folder(folder, Details::must_belong, arguments.left_out);
      }
      if (!arguments.left_out.empty()) {
        const Packed gone = leave_out_tables(folder, arguments.left_out);
        left_out += gone.tables;
        left_out_bytes += gone.before;
      }
      const Packed packed = arguments.undo ? unpack_tables(folder) : pack_tables(folder);
      folders += packed.tables > 0 ? 1 : 0;
      all.tables += packed.tables;
      all.before += packed.before;
      all.after += packed.after;
    }
  }
  if (!arguments.left_out.empty()) {
    fmt::print("Removed and recorded as left out: {}; files: {}, {}.\n",
               fmt::join(arguments.left_out, ", "), left_out,
               bytes_text(static_cast<double>(left_out_bytes)));
    if (all.tables == 0) return;
  }
  const char* const done = arguments.undo ? "unpacked" : "packed";
  if (all.tables == 0) {
    fmt::print("Nothing to do: no table there can be {}.\n", done);
    return;
  }
  fmt::print("{} tables {} in {} folders: {} became {}.\n", all.tables, done, folders,
             bytes_text(static_cast<double>(all.before)),
             bytes_text(static_cast<double>(all.after)));
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
  command->footer(kPackFooter);
  command->callback([arguments] { pack(*arguments); });
}

}  // namespace bfslab
