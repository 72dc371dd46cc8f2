# SPDX-License-Identifier: Apache-2.0
"""The working days of five users, command by command: what each types, and what must come of it.

test_days.py runs a day's commands in order by bash, in a folder of its own that begins with FILES.
CLONE is the folder of the repository. Graphs are tiny, and no command needs idle processors."""

from dataclasses import dataclass, field

ROWS = r"\d+ ok"  # at least one search is right


@dataclass(frozen=True)
class Step:
    command: str
    shows: tuple[str, ...] = ()  # regular expressions that the output contains
    files: dict[str, str] = field(default_factory=dict)  # a file, and an expression in its text
    code: int = 0
    needs: str = ""  # gpu, network, or programs, joined by ", ", without which the step is skipped


FILES = {
    "one.json": """{"name": "one", "graphs": ["kronecker:scale=8"], "sources": [5],
 "base": {"engine": "hybrid", "threads": 1}}
""",
    "grown.json": """{"name": "one", "title": "Grown", "graphs": ["kronecker:scale=8"], "sources": [5, 6],
 "repeats": 2, "base": {"engine": "hybrid", "threads": 1}, "figure": "engines_by_graph"}
""",
    "sweep.json": """{"name": "sweep", "graphs": ["kronecker:scale=8"],
 "sources": {"count": 6, "rule": "largest-component"}, "repeats": 1, "base": {"engine": "hybrid"},
 "baseline": "work", "cases": {"work": {}, "beamer": {"rule": "beamer"}}, "sweep": {"threads": [1, 2]},
 "pollution": {"attempts": 1}, "figure": "speedup_bars"}
""",
    "paper.mplstyle": "font.family: serif\nfont.size: 8\n",
    "social.txt": "".join(
        f"{13824632000 + 7 * v} {13824632000 + 7 * ((3 * v + k) % 97)}\n"
        for v in range(97)
        for k in (1, 5, 11)
    ),
    "names.txt": "user1 user2\nuser106 user3\n",
    "bfs.py": '''#!/usr/bin/env python3
"""A search that knows nothing of bfslab: GRAPH OUTPUT SOURCE, or a line "bfs SOURCE" for each."""
import sys
import time

rows = {}
for line in open(sys.argv[1]):
    u, v = map(int, line.split())
    rows.setdefault(u, []).append(v)


def search(source):
    start = time.perf_counter()
    levels, frontier = {source: 0}, [source]
    while frontier:
        found = []
        for u in frontier:
            for v in rows.get(u, ()):
                if v not in levels:
                    levels[v] = levels[u] + 1
                    found.append(v)
        frontier = found
    took = (time.perf_counter() - start) * 1e3
    with open(sys.argv[2], "w") as file:
        file.writelines(f"{v} {level}\\n" for v, level in levels.items())
    print(f"time: {took:.4f} ms", flush=True)


if len(sys.argv) > 3:
    search(int(sys.argv[3]))
else:
    for line in sys.stdin:
        search(int(line.split()[1]))
''',
    "mine.json": """{"name": "mine", "graphs": ["kronecker:scale=8"],
 "sources": {"count": 4, "rule": "largest-component"}, "repeats": 2, "pollution": {"attempts": 1},
 "limits": {"trial_s": 60}, "baseline": "hybrid",
 "external": {"mine": {"program": "bfs.py", "graph": "el",
   "arguments": ["{graph}", "{output}", "{source}"],
   "time": {"pattern": "time: ([0-9.]+) ms", "unit": "ms", "scope": "traversal"},
   "levels": {"format": "pairs"}}},
 "cases": {"mine": {"engine": "external:mine"}, "hybrid": {"engine": "hybrid", "threads": 1}}}
""",
    "many.json": """{"extends": "mine.json", "name": "many",
 "external": {"mine": {"program": "bfs.py", "graph": "el",
   "arguments": ["{graph}", "{output}"], "ask": "bfs {source}",
   "time": {"pattern": "time: ([0-9.]+) ms", "unit": "ms", "scope": "traversal"},
   "levels": {"format": "pairs"}}}}
""",
    "quick/one.json": """{"name": "quick-one", "graphs": ["kronecker:scale=8"],
 "sources": {"count": 4, "rule": "largest-component"}, "repeats": 2,
 "cases": {"sequential": {"engine": "sequential"}, "hybrid": {"engine": "hybrid", "threads": 1}},
 "figure": "engines_by_graph"}
""",
    "srun": """#!/bin/bash
# Stands in for Slurm's: runs its command once per node, one after another.
shift  # --kill-on-bad-exit=0
for ((i = 0; i < SLURM_NTASKS; ++i)); do
  SLURM_PROCID=$i SLURMD_NODENAME=node$i "$@" || exit 1
done
""",
}

# Measures for a paper: reproduces a figure, draws it in the paper's width, compares, uses own graphs.
STUDENT = [
    Step(
        "bfslab check $CLONE/experiments/cs406/table3.json",
        (r"web-NotreDame +325,729", r"case +engine +toggles"),
        code=2,  # its graphs are neither here nor fetched in a test
    ),
    Step(
        "bfslab run $CLONE/experiments/cs406/table3.json",
        (ROWS, "USA-road-d.FLA: skipped: .*no address is known"),
        code=2,  # every graph but this one is fetched
        needs="network",
    ),
    Step(
        "bfslab run $CLONE/experiments/cs406/table3.json --set 'graphs=[\"kronecker:scale=8\"]'"
        " --set sources.count=4 --set repeats=3 --results mine",
        (ROWS, "over Hybrid", "python -m plots mine/cs406-table3"),
        {"mine/cs406-table3/runs.csv": "ok"},
    ),
    Step(
        "bfslab run $CLONE/experiments/xbfs/fig11.json --only '*/kronecker:scale=20' --results gpu",
        (ROWS,),
        needs="gpu",
    ),
    Step(
        "python -m plots mine --out drawn --format pdf,svg,pgf --width 3.33 --style paper.mplstyle"
        " --no-title --no-footer",
        ("thread_scaling.pdf", r"\.svg", r"\.pgf", r"\.tex", r"caption\.tex"),
        {
            "drawn/cs406-table3/thread_scaling.pdf": "%PDF",
            "drawn/cs406-table3/thread_scaling.svg": "<text",
            "drawn/cs406-table3/thread_scaling.pgf": "pgfpicture",
            "drawn/cs406-table3/thread_scaling.tex": "toprule",
            "drawn/cs406-table3/thread_scaling.csv": "kronecker",
            "drawn/cs406-table3/thread_scaling.caption.tex": r"\\caption",
        },
    ),
    Step(
        "python -m plots $CLONE/results/h200/xbfs-fig11 --out recorded",
        ("speedup_bars.png",),
        {"recorded/xbfs-fig11/speedup_bars.csv": "paper"},
    ),
    Step(
        "python -c 'import plots; rows = plots.load(\"mine\", table=\"counted\");"
        ' print(rows.groupby(["graph", "series"])["time_ms"].median().to_frame().to_latex())\'',
        (r"\\toprule", "time_ms"),
    ),
    Step("bfslab run sweep.json --results sweep", ("beamer, threads=2", "over work")),
    Step(
        "python -m plots sweep",
        ("speedup_bars.png",),
        {"sweep/figures/sweep/speedup_bars.csv": r"beamer, threads=1.*,\d+\.\d+"},
    ),
    Step("bfslab run one.json --results rows", (ROWS,)),
    Step("python -m plots rows", ("names no figure", "--figure NAME"), code=2),
    Step("python -m plots rows --figure engines_by_graph --out first", ("engines_by_graph.png",)),
    Step("bfslab run grown.json --results rows", ("its rows stay", "4 ok")),
    Step("bfslab run one.json --results two --set base.threads=2", (ROWS,)),
    Step("bfslab compare rows two", ("threads .1 in A, 2 in B.", "say --ignore threads"), code=2),
    Step(
        "bfslab compare rows two --ignore threads --allow polluted,sources",
        ("hybrid, threads=1 -> hybrid, threads=2", "undecided"),
    ),
    Step(
        "bfslab compare rows two --ignore threads --allow polluted,sources --json > both.json"
        " && python -m plots compare both.json",
        files={"both.csv": "threads=1 -> hybrid, threads=2"},
    ),
    Step("bfslab graph info social.txt", (r"vertices +97", "assumed|format +edges", "diameter")),
    Step("bfslab graph info names.txt", ('names.txt:2: found "user106"', "number"), code=2),
    Step(
        """awk '{ for (i = 1; i <= 2; ++i) if (!($i in id)) { id[$i] = n++; print id[$i], $i > "names.list" }
       print id[$1], id[$2] }' names.txt > numbered.txt && bfslab graph info numbered.txt""",
        (r"vertices +4", r"edges +2 "),
        {"names.list": "2 user106"},
    ),
    Step(
        "bfslab run one.json --set 'graphs=[\"file:social.txt\"]'"
        " --set 'sources={\"ids\":[13824632007]}' --results ids",
        (ROWS,),
    ),
    Step("bfslab check one.json --set 'sources=[25000]'", ("25000", "0 to 255"), code=2),
    Step(
        "bfslab bench social.txt --engine hybrid,top-down --sources 4 --repeats 4 --name social",
        ("GTEPS", "95 %", "over hybrid", "16 ok"),
    ),
    Step("bfslab bench social.txt --engine hybrid,top-down --sources 4 --repeats 4 --name social"
         " --csv", ("(?m)^social.*top-down",)),
    Step(
        "bfslab ablate kronecker:scale=8 --engine xbfs-model --sources 4 --repeats 4 --results apart",
        ("async", "pays|costs|same|undecided"),
    ),
    Step("python -m plots apart", ("technique_gains.png",)),
]  # fmt: skip

# Looks into engines: counters, timelines, one wrong vertex.
PROFILER = [
    Step(
        "bfslab profile $CLONE/experiments/quick/gpu_ablation.json --list",
        ("double_scan", "look_at_level", "measured"),
    ),
    Step(
        "bfslab profile $CLONE/experiments/quick/gpu_ablation.json --technique duoble_scan --dry-run",
        ('did you mean "double_scan"',),
        code=2,
    ),
    Step(
        "bfslab profile $CLONE/experiments/quick/gpu_ablation.json --only 'Ad/*'"
        " --technique double_scan --graph kronecker:scale=10 --source 3"
        " --metrics l1tex__t_bytes.sum --section SpeedOfLight"
        " --argument=--clock-control --argument=none --dry-run",
        ("^ncu ", "technique=double_scan", "l1tex__t_bytes.sum", "--clock-control none",
         "kronecker:scale=10"),
    ),
    Step(
        "bfslab profile $CLONE/experiments/quick/gpu_ablation.json --only 'Ad/*' --tool nsys --dry-run",
        ("nsys profile", "--capture-range=cudaProfilerApi"),
    ),
    Step(
        "bfslab profile $CLONE/experiments/quick/gpu_ablation.json --only 'Ad/*'"
        " --technique double_scan --graph kronecker:scale=16",
        (r"counters of [1-9]\d* trials are in",),
        needs="gpu, ncu",
    ),
    Step(
        "bfslab profile $CLONE/experiments/quick/engines.json --tool perf --only 'hybrid/*'"
        " --graph kronecker:scale=10 --set repeats=20",
        ("perf report --input",),
        needs="perf",
    ),
    Step(
        "bfslab traverse kronecker:scale=8 --source 3 --engine hybrid --time --levels",
        (r"time +[\d.]+ ms: the median of 5", r"bottom_up +bitmap", "GTEPS"),
    ),
    Step(
        "bfslab traverse kronecker:scale=8 --source 3 --engine hybrid --json",
        ('"correct": true', '"reached_vertices": 238'),
    ),
    Step(
        "bfslab-faulty traverse kronecker:scale=8 --source 3 --engine faulty --set fault=wrong_levels --set where=traverse"
        " --keep-wrong --out wrong.csv",
        ("the first difference from the reference is vertex",),
        {"wrong.csv": "vertex,label,level,parent"},
        code=1,
        needs="bfslab-faulty",
    ),
    Step(
        "bfslab traverse kronecker:scale=8 --source 3 --engine sequential --out right.csv",
        files={"right.csv": "vertex,label,level,parent"},
    ),
    Step(
        "python -m plots $CLONE/results/h200/fused-counters --out counters",
        ("roofline", "level_timeline"),
    ),
]  # fmt: skip

# Evaluates the artifact of a paper.
EVALUATOR = [
    Step(
        "python $CLONE/scripts/quick.py --bfslab $(which bfslab) --specs quick --results out",
        ("quick-one +rows +out/quick-one/runs.csv +16 ok", "report.html"),
        {"out/report/report.html": "<html", "out/report/REPORT.md": "Which claims"},
    ),
    Step(
        "python $CLONE/scripts/reproduce.py dfq --scale quick --dry-run --bfslab $(which bfslab)",
        (r"together +.* MiB +- +\d+ MiB", "Minutes are those of"),
    ),
    Step(
        "python $CLONE/scripts/reproduce.py '' --scale quick --dry-run --bfslab $(which bfslab)",
        ("PAPER='' is none of cs406, dfq, graph500-romeo, scalable-bfs, xbfs",),
        code=2,
    ),
    Step(
        "python $CLONE/scripts/artifact.py 1 --no-run --bfslab $(which bfslab) --results ae",
        ("claim +paper +expected +yours", r"dfq-table2-base-18 +0.69 MB +0.697 MB", "of 17 are ok"),
        code=1,  # without rows of one's own
    ),
    Step(
        "bfslab run $CLONE/experiments/cs406/table3.json --set 'graphs=[\"kronecker:scale=8\"]'"
        " --set sources.count=4 --set repeats=3 --results mine",
        (ROWS,),
    ),
    Step(
        "python -m plots mine --report report --paper cs406",
        ("report/report.html",),
        {"report/report.html": "Table 3", "report/REPORT.md": "cs406"},
    ),
    Step(
        "bfslab run $CLONE/experiments/beyond/gap.json --only 'hybrid/grid:width=338*'"
        " --set sources.count=4 --set repeats=3 --set 'sweep.threads=[2]' --results mine",
        (ROWS,),
    ),
    Step(
        "bfslab compare $CLONE/results/xeon-2/gap mine/gap --allow machines,polluted,sources",
        (r"hybrid +grid:width=338", "only in A", "B against A"),
    ),
    Step("bfslab doctor $CLONE/results/xeon-2", ("experiments",)),
    Step(
        "bfslab run $CLONE/experiments/dfq/fig5_standins.json --only '*/amazon0302*'"
        " --set sources.count=8 --results gpu",
        ("amazon0302-standin,relabel=shuffle stands in for it", ROWS),
        needs="gpu",
    ),
]  # fmt: skip

# Sets a search of one's own beside the built-in engines.
RESEARCHER = [
    Step("bfslab check mine.json", ("CANNOT RUN HERE: external:mine.*Permission denied",)),
    Step("chmod +x bfs.py && bfslab check mine.json", ("program=", "16 timed")),
    Step("bfslab run mine.json --results res", (r"mine: 16 ok", "over hybrid")),
    Step("bfslab run many.json --results res", (r"many: 16 ok",)),
    Step(
        "for ending in adj graph gr arrays32 sg; do"
        " bfslab graph convert kronecker:scale=8 --to g.$ending || exit; done",
        files={
            "g.adj": "AdjacencyGraph", "g.graph": r"^256 2123", "g.gr": "p sp 256",
            "g.arrays32.offsets": "", "g.arrays32.columns": "", "g.sg": "",
        },
    ),
    Step("bfslab graph convert --help", (r"\.sg", r"\.adj", "METIS")),
    Step(
        "cmake --install $BUILD --prefix $PWD/prefix > install.log",
        files={"prefix/lib/cmake/bfslab/bfslab-config.cmake": "bfslab"},
        needs="build folder",
    ),
    Step(
        "cp -r prefix/share/bfslab/examples/own_engine engine"
        " && cmake -S engine -B engine/build -DCMAKE_PREFIX_PATH=$PWD/prefix > configure.log"
        " && cmake --build engine/build > build.log && ls engine/build/libown_queue.so",
        ("libown_queue.so",),
        needs="build folder",
    ),
    Step(
        "bfslab bench kronecker:scale=8 --engine own-queue,hybrid --sources 4 --repeats 4"
        " --plugin engine/build/libown_queue.so",
        ("own-queue +kronecker:scale=8", "16 ok"),
        needs="build folder",
    ),
    Step(
        "prefix/bin/bfslab exam --plugin engine/build/libown_queue.so",
        ("19 exams passed, 0 failed",),
        needs="bfslab-exam",
    ),
    Step(
        "cmake -S engine -B engine/gpu -DOWN_GPU=ON -DCMAKE_PREFIX_PATH=$PWD/prefix"
        " && cmake --build engine/gpu && bfslab bench kronecker:scale=8 --engine own-gpu"
        " --plugin engine/gpu/libown_gpu.so",
        (r"own-gpu +kronecker:scale=8", ROWS),
        needs="gpu, nvcc, build folder",
    ),
]  # fmt: skip

# Installs on a cluster, runs jobs, and writes scripts around them.
CLUSTER = [
    Step(
        "cmake --install $BUILD --prefix $PWD/prefix > install.log && prefix/bin/bfslab version"
        " && ls prefix/share/doc/*",
        (r"bfslab \d", "THIRD-PARTY-NOTICES.md"),
        {"prefix/share/man/man1/bfslab.1": "EXIT STATUS"},
        needs="build folder",
    ),
    Step(
        "prefix/bin/bfslab list experiments --without gpu --max-minutes 5",
        ("xbfs", "cs406"),
        needs="build folder",
    ),
    Step("pip install --target pip $CLONE && PYTHONPATH=pip python -c 'import bfslab'",
         needs="network"),
    Step(
        "python -I -S $CLONE/plots/__main__.py --help; PYTHONPATH=$CLONE python -S -m plots --help",
        ("requirements/drawing.txt|pip install",),
        code=2,
    ),
    Step(
        "chmod +x srun && PATH=$PWD:$PATH SLURM_NTASKS=2 SLURM_JOB_ID=77 LOADEDMODULES=gcc/12:cuda/13"
        " RESULTS=nodes bash $CLONE/scripts/slurm/shards.sbatch quick/one.json many.json",
        (ROWS,),
        {"nodes/node0/quick-one/environment.json": r'"slurm_job": "77",\s+"modules": \[\s+"gcc/12"'},
    ),
    Step("bfslab run $CLONE/experiments/quick/engines.json --dry-run --json | python -m json.tool",
         ('"trials": 192',)),
    Step("bfslab check quick/one.json --json | python -m json.tool", ('"least": 16',)),
    Step("bfslab graph500 --scale 8 --engine hybrid --results rows --json | python -m json.tool",
         ("harmonic_mean",)),
    Step("BFSLAB_RESULTS=mine bfslab run quick/one.json --csv", (r"hybrid,kronecker:scale=8",),
         {"mine/quick-one/runs.csv": "ok"}),
    Step("bfslab pack mine/quick-one --json | python -m json.tool", ('"done": "packed"',)),
    Step("bfslab list columns --json | python -m json.tool", ("time_ms",)),
    Step("bfslab manual", (r"\.SH EXIT STATUS", r"\.SH ENVIRONMENT", r"\.SH FILES")),
    Step("bfslab completion bash > completion && bash -c '. ./completion; complete -p bfslab'",
         ("_bfslab bfslab",)),
    Step("bfslab cache", (r"built +kronecker:scale=8", "entries")),
    Step("bfslab cache --all --prune && bfslab cache", ("0 entries|in 0|nothing|empty",)),
    Step("bfslab run missing.json", ("missing.json",), code=2),
    Step("bfslab doctor", ("steadiness", "processor limit"), code=-1),  # 0 or 1, by the machine
    Step("bfslab graph fetch soc-Epinions1", ("soc-Epinions1",), needs="network"),
]  # fmt: skip

DAYS = {
    "student": STUDENT,
    "profiler": PROFILER,
    "evaluator": EVALUATOR,
    "researcher": RESEARCHER,
    "cluster": CLUSTER,
}
