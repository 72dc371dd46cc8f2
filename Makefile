# SPDX-License-Identifier: Apache-2.0
# bfslab's entry points. Every target does its own set-up, so on a fresh machine
# `make quick` or `make test` is all that is needed.
#
#   PRESET=release   a preset of CMakePresets.json: release, debug, asan, tsan
#   JOBS=n           compilers and tests at once (default: one per core)
#   CUDA=OFF         leaves the GPU engines out (ON: an error if they cannot be built)
#   CUDA_ARCHITECTURES=80,90  the GPUs to compile for, or native (default: those of this machine, else 90)
#   CMAKE_ARGS=...   more options of CMake, as -DBFSLAB_NATIVE=OFF
#   PREFIX=folder    where `make install` installs (default: ~/.local)
#   RESULTS=DIR      the rows that `make figures` draws (default: BFSLAB_RESULTS, else results/HOST, and out/quick;
#                    results: every machine's rows), and those that `make report` is about (default: results)
#   OUT=DIR          the folder that `make report` replaces (default: out/report)
#   ALLOW=builds     `make report` forms ratios across builds of the program, too
#   PAPER=xbfs       what `make reproduce` runs: xbfs, dfq, scalable-bfs, cs406 or graph500-romeo; `make report` is then
#                    about this paper alone
#   SCALE=standard   how much of it: quick (ten minutes), standard, full (the papers' own data)
#   TIER=1           the tier that `make ae` evaluates: docs/artifact.md
#   FUZZ_SECONDS=60  how long `make fuzz` takes for each target
#   TARGETS=...      the targets that it fuzzes (default: all)
#   MINUTES=10       how long `make torture` takes
#   SEED=n           what it does in them (default: something else each time)
#   MACHINE=name     whose folder of results/ `make gpu-test` records in (default: the host's name)
#   NAME=engine      which one `make test-engine` tests
#   BENCHMARK_ARGS=...  options for `make benchmarks`, as --benchmark_filter=Build
#   PROGRAMS=...     which ones it runs (default: all); RESULTS=DIR is where their numbers go
#   BASE=COMMIT      the commit that `make equivalence` compares with; BASE_DIR=DIR has its sources where there is no git
#   SPECS=...        the specs whose rows are to stand; RUN='...' gives their runs more options of `bfslab run`
#   PREBUILT=yes     `make gpu-test` and `make equivalence` use what is built, without set-up and building
SHELL := /bin/bash
.DEFAULT_GOAL := build
PRESET ?= release
JOBS ?= $(shell nproc)
RESULTS ?=
OUT ?= out/report
ALLOW ?=
PAPER ?=
SCALE ?= standard
TIER ?= 1
FUZZ_SECONDS ?= 60
TARGETS ?=
MINUTES ?= 10
GPU_TESTS := cuda_tests cuda_stress_tests distributed_tests distributed_stress_tests
SEED ?=
MACHINE ?=
NAME :=
BENCHMARK_ARGS ?=
PROGRAMS ?=
PREBUILT ?=
PREFIX ?= $(HOME)/.local
CMAKE_ARGS ?=
CUDA_ARCHITECTURES ?=
BASE ?=
BASE_DIR ?=
SPECS ?=
RUN ?=
CUDA :=
BUILD_CUDA := $(CUDA)
export JOBS FUZZ_SECONDS MACHINE BENCHMARK_ARGS BUILD_CUDA CUDA_ARCHITECTURES CMAKE_ARGS

.PHONY: build install quick reproduce ae test test-engine test-asan gpu-test equivalence fuzz torture benchmarks figures report docs-figures format lint schema clean help

build: ## Build bfslab into build/PRESET (plain `make` does this)
	@scripts/setup.sh build
	@scripts/build.sh $(PRESET) bfslab

install: build ## Install program, specs, plots, headers, manual page and completions under PREFIX (docs/install.md)
	@scripts/build.sh $(PRESET) installed
	@cmake --install build/$(PRESET) --prefix "$(abspath $(PREFIX))" >build/install.log || { cat build/install.log; exit 1; }
	@echo "installed $(abspath $(PREFIX))/bin/bfslab, bfslab-plots and what they read (build/install.log lists it)"

quick: ## The main job on built-in graphs: run experiments/quick, check, draw; results in out/quick
	@scripts/setup.sh quick || [ $$? = 3 ]
	@scripts/build.sh --quick release bfslab
	@scripts/python.sh scripts/quick.py

reproduce: ## All of one PAPER that this machine can run, at SCALE, then the report; needs are said first
	@scripts/setup.sh quick || [ $$? = 3 ]
	@scripts/build.sh $(PRESET) bfslab
	@scripts/python.sh scripts/reproduce.py "$(PAPER)" --scale "$(SCALE)" --bfslab build/$(PRESET)/bfslab

ae: ## Evaluate the artifact, TIER=1 (5 minutes, a CPU) to 4 (four GPUs): docs/artifact.md
	@scripts/setup.sh quick || [ $$? = 3 ]
	@scripts/build.sh --quick $(PRESET) bfslab
	@scripts/python.sh scripts/artifact.py "$(TIER)" --bfslab build/$(PRESET)/bfslab

test: ## All tests that this machine can run, C++ and Python
	@scripts/setup.sh test || [ $$? = 3 ]
	@scripts/build.sh --tests $(PRESET) bfslab bfslab-faulty cpp_tests
	@scripts/python.sh scripts/run_tests.py --build build/$(PRESET)

test-engine: ## The exams of one engine, NAME=..., as `bfslab list engines` names it
	@[ -n "$(NAME)" ] || { echo "name an engine: make test-engine NAME=hybrid" >&2; exit 2; }
	@scripts/setup.sh engine
	@scripts/build.sh --tests $(PRESET) bfslab
	@scripts/python.sh scripts/test_engine.py $(NAME) --build build/$(PRESET)

test-asan: ## The C++ tests under AddressSanitizer and UndefinedBehaviorSanitizer
	@scripts/setup.sh test
	@scripts/build.sh --tests asan cpp_tests
	@scripts/python.sh scripts/run_tests.py --build build/asan --cpp-only

gpu-test: ## The tests that need a GPU, then compute-sanitizer; records results/MACHINE/gpu-tests.json
	@[ -n "$(PREBUILT)" ] || scripts/setup.sh gpu-test
	@python3 scripts/gpu_test.py --build build/$(PRESET) --preflight
	@[ -n "$(PREBUILT)" ] || scripts/build.sh --tests $(PRESET) $(GPU_TESTS)
	@python3 scripts/gpu_test.py --build build/$(PRESET)

equivalence: ## Whether rows that BASE=COMMIT measured of SPECS still stand; in results/MACHINE/equivalence
	@[ -n "$(BASE)" ] && [ -n "$(SPECS)" ] || { echo "name a commit and specs:" \
	  "make equivalence BASE=COMMIT SPECS=experiments/quick/engines.json" >&2; exit 2; }
	@[ -n "$(PREBUILT)" ] || $(MAKE) --no-print-directory build
	@set -euo pipefail; commit=$$(git rev-parse -q --verify "$(BASE)^{commit}" 2>/dev/null || echo "$(BASE)"); \
	sources="$(or $(BASE_DIR),build/equivalence/$$commit)"; \
	[ -d "$$sources" ] || { mkdir -p "$$sources.new"; \
	  git archive "$$commit" -- . ':!results' | tar x -C "$$sources.new"; mv "$$sources.new" "$$sources"; }; \
	[ -n "$(PREBUILT)" ] || (cd "$$sources" && \
	  CMAKE_ARGS="$(CMAKE_ARGS) -DBFSLAB_COMMIT=$$commit" scripts/build.sh release bfslab); \
	python3 scripts/equivalence.py "$$commit" "$$sources" $(SPECS) --run '$(RUN)' \
	  $(if $(MACHINE),--results results/$(MACHINE))

fuzz: ## Fuzz every reader and parser, FUZZ_SECONDS each; stops at the first finding
	@scripts/setup.sh fuzz
	@scripts/build.sh fuzz bfslab-fuzz
	@python3 scripts/fuzz.py $(TARGETS)

torture: ## Kills, stops, full disks, damaged files, mutated specs, for MINUTES: nothing may be lost
	@scripts/setup.sh build
	@scripts/build.sh $(PRESET) bfslab
	@python3 scripts/torture.py --bfslab build/$(PRESET)/bfslab --minutes $(MINUTES) $(if $(SEED),--seed $(SEED))

benchmarks: ## The Google Benchmark programs, or PROGRAMS, BENCHMARK_ARGS, and their figures; in out/benchmarks
	@scripts/setup.sh benchmarks || [ $$? = 3 ]
	@scripts/build.sh --tests benchmarks $(or $(PROGRAMS),benchmarks)
	@scripts/python.sh scripts/benchmarks.py --build build/benchmarks $(if $(RESULTS),--out "$(RESULTS)") $(PROGRAMS)

figures: ## Draw the figures of what was run on this machine, or of RESULTS
	@scripts/setup.sh figures || { [ $$? = 3 ] && scripts/python.sh scripts/have_packages.py requirements/drawing.txt >/dev/null; }
	@scripts/python.sh -m plots $(RESULTS)

report: ## Claims, verdicts and all figures of RESULTS: out/report/report.html, REPORT.md, claims.csv, figures
	@scripts/setup.sh figures || { [ $$? = 3 ] && scripts/python.sh scripts/have_packages.py requirements/drawing.txt >/dev/null; }
	@scripts/python.sh -m plots $(or $(RESULTS),results) --format png --report "$(OUT)" $(if $(PAPER),--paper "$(PAPER)") $(if $(ALLOW),--allow $(ALLOW))

docs-figures: ## Draw the figures that docs/ shows anew: docs/figures/*.png, listed in scripts/docs_figures.py
	@scripts/setup.sh figures || { [ $$? = 3 ] && scripts/python.sh scripts/have_packages.py requirements/drawing.txt >/dev/null; }
	@scripts/python.sh scripts/docs_figures.py

format: ## Format C++ (clang-format) and Python (ruff) in place
	@scripts/setup.sh lint
	@scripts/python.sh scripts/lint.py --fix

lint: ## Check formatting, then clang-tidy and ruff
	@scripts/setup.sh lint
	@scripts/build.sh --tests release
	@scripts/python.sh scripts/lint.py --build build/release

schema: build ## Write what is made from tables in the code: schema, columns, parts, names of kernels, docs/rows.md, docs/parts.md
	@build/$(PRESET)/bfslab check --schema > build/spec.schema.json
	@mv build/spec.schema.json experiments/spec.schema.json
	@build/$(PRESET)/bfslab list columns --json > build/columns.json
	@mv build/columns.json plots/columns.json
	@build/$(PRESET)/bfslab list columns --markdown > build/rows.md
	@mv build/rows.md docs/rows.md
	@build/$(PRESET)/bfslab list parts --json > build/parts.json
	@mv build/parts.json plots/parts.json
	@build/$(PRESET)/bfslab list parts --markdown > build/parts.md
	@mv build/parts.md docs/parts.md
	@python3 scripts/kernel_names.py > build/kernel_names.def
	@mv build/kernel_names.def harness/profile/kernel_names.def

clean: ## Remove build/; results, out/ and .venv are kept
	rm -rf build

help: ## This list
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  make \1\t\2/p' $(firstword $(MAKEFILE_LIST)) | expand -t 20
	@echo
	@sed -n 's/^#   \([A-Z_]*=.*\)/  \1/p' $(firstword $(MAKEFILE_LIST))
