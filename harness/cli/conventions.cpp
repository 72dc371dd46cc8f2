// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/conventions.hpp"

namespace bfslab {

namespace {

constexpr Convention kExitCodes[] = {
    {"0", "Done. Rows of failed trials (crash, timeout, oom, unsupported) are results."},
    {"1", "A wrong answer, or a fault of bfslab."},
    {"2",
     "Bad input: a command line, a spec, a graph or a file was refused, with a message that says "
     "how to mend it."},
    {"130",
     "Interrupted by ctrl-C, SIGTERM or SIGHUP. Finished rows are kept, and the same command "
     "continues from there."},
};

constexpr Convention kByCommand[] = {
    {"run, bench, ablate",
     "1 also if a worker died while it loaded a graph, if trials were ended from outside, or if "
     "the disk is full. 2 also if a graph is unavailable, cannot be loaded or has no vertex to "
     "start from; the other graphs are run. 2 also if an engine of bench or ablate cannot run "
     "here."},
    {"graph500", "1 if a search failed or was wrong."},
    {"traverse", "1 if the answer is wrong."},
    {"check", "2 if one of the specs is refused; the others are checked."},
    {"compare",
     "1 if a condition of --fail-if holds. 2 also if all graphs or sources differ, so that nothing "
     "is left to compare."},
    {"doctor", "1 if the machine is not fit, or if the results disagree."},
    {"exam", "1 if an exam failed."},
    {"graph fetch", "2 if a graph cannot be fetched; the others are fetched."},
    {"cache", "2 if a file cannot be removed; the others are removed."},
    {"profile", "2 if the profiler is missing or ends with an error."},
    {"bfslab-plots, python -m plots",
     "2 if rows are refused, or if a figure cannot be drawn; the others are drawn."},
};

constexpr Convention kEnvironment[] = {
    {"BFSLAB_RESULTS",
     "The folder of results where --results names none (default: results/<host name>). "
     "`bfslab-plots` draws it where no folder is named."},
    {"BFSLAB_DATA", "Folders with graph files, separated by colons; searched after --data."},
    {"BFSLAB_CACHE", "The folder of built graphs and of fetched files where --cache names none."},
    {"XDG_CACHE_HOME", "Without BFSLAB_CACHE, the cache is XDG_CACHE_HOME/bfslab."},
    {"HOME", "Without both, the cache is HOME/.cache/bfslab."},
    {"BFSLAB_MIRROR", "The mirror from which graphs are fetched where --mirror names none."},
    {"BFSLAB_OFFLINE", "1: never use the network, as --offline. 0 or empty: use it."},
    {"https_proxy, http_proxy, no_proxy", "Proxies for downloads, as curl reads them."},
    {"SSL_CERT_FILE", "The certificates by which servers are checked."},
    {"BFSLAB_LAUNCHER", "The command that starts ranks where --launcher names none."},
    {"BFSLAB_SHARE_GPUS", "1: ranks may share one GPU, which is for tests."},
    {"CUDA_VISIBLE_DEVICES", "The GPUs that may be used, as for every CUDA program."},
    {"NVTX_INJECTION64_PATH", "A library that shows NVTX ranges; `run` warns if it is missing."},
    {"OMP_*, GOMP_*",
     "OpenMP's settings. environment.json lists them, and a run does not continue under others."},
    {"SLURM_JOB_ID", "The Slurm job, which environment.json names."},
    {"LOADEDMODULES", "The loaded modules of a module system, which environment.json lists."},
    {"PATH", "The folders of launchers and profilers."},
    {"LC_ALL, LC_CTYPE, LANG", "The encoding of the terminal, for bars of `graph info`."},
};

constexpr Convention kFiles[] = {
    {"RESULTS/EXPERIMENT/",
     "The rows of an experiment: runs.csv, levels.csv, measures.csv and graphs.csv, with spec.json "
     "and environment.json. RESULTS is --results, else BFSLAB_RESULTS, else results/<host name>."},
    {"RESULTS/.previous/", "The rows that --fresh moved aside."},
    {"CACHE/csr/", "Built graphs. CACHE is --cache, else BFSLAB_CACHE, else ~/.cache/bfslab."},
    {"CACHE/data/", "Fetched files of graphs."},
    {"CACHE/external/", "Graphs as files that external programs read."},
    {"experiments/",
     "The specs; where the working folder has none, those in PREFIX/share/bfslab/experiments."},
    {"out/profile/", "Rows and reports of `bfslab profile`."},
};

}  // namespace

std::span<const Convention> exit_codes() { return kExitCodes; }
std::span<const Convention> exit_codes_by_command() { return kByCommand; }
std::span<const Convention> environment_variables() { return kEnvironment; }
std::span<const Convention> files_of_commands() { return kFiles; }

}  // namespace bfslab
