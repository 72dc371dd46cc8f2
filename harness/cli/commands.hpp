// SPDX-License-Identifier: Apache-2.0
// The subcommands of `bfslab`, one file each. A callback throws InputError for bad input (exit 2),
// anything else for our own faults (exit 1), and sets `exit_code` when a run ends in another way.
#pragma once

namespace CLI {
class App;
}

namespace bfslab {

void add_run_command(CLI::App& app, int& exit_code);
void add_ablate_command(CLI::App& app, int& exit_code);
void add_bench_command(CLI::App& app, int& exit_code);
void add_profile_command(CLI::App& app, int& exit_code);
void add_cache_command(CLI::App& app, int& exit_code);
void add_check_command(CLI::App& app, int& exit_code);
void add_list_command(CLI::App& app, int& exit_code);
void add_graph_command(CLI::App& app, int& exit_code);
void add_version_command(CLI::App& app, int& exit_code);
void add_traverse_command(CLI::App& app, int& exit_code);
void add_graph500_command(CLI::App& app, int& exit_code);
void add_completion_command(CLI::App& app, int& exit_code);
void add_manual_command(CLI::App& app, int& exit_code);
void add_compare_command(CLI::App& app, int& exit_code);
void add_doctor_command(CLI::App& app, int& exit_code);
void add_pack_command(CLI::App& app);
void add_exam_command(CLI::App& app);
// Adds `graph fetch`. add_graph_command() calls it.
void add_graph_fetch(CLI::App& graph, int& exit_code);
// Adds `graph calibrate`.
void add_graph_calibrate(CLI::App& graph);
// Adds the hidden command that `run` starts, one process per graph.
void add_worker_command(CLI::App& app, int& exit_code);

}  // namespace bfslab
