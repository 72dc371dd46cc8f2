#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Prepares this machine for one of: build, quick, figures, test, browser, engine, gpu-test, fuzz, lint,
# benchmarks, or several.
#   scripts/setup.sh quick
# System packages (Debian, Ubuntu) are installed if that is allowed, as root or through
# `sudo -n`; otherwise the exact command is printed and the exit code is 2. Python's packages go into
# .venv, as requirements/*.lock pins them; where the package index cannot be reached, this machine's own
# packages serve if they are within the ranges of requirements/*.txt. What already exists is left
# alone: then neither apt-get nor pip is called. Exit code 3: something is missing that was named, and
# the rest can be done without it.
#   BFSLAB_INSTALL=no     never install system packages, only name what is missing
#   BFSLAB_INSTALL=skip   do not look at system packages at all
#   BFSLAB_WHEELS=DIR     Python packages come from this folder of wheels alone, by range
#   PYTHON=...            the interpreter that .venv is made with
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# The packages that a purpose needs. A "tool:package" is missing if the tool is not in PATH, a bare
# package if dpkg does not have it.
build_packages=(cmake:cmake g++:g++ make:make pkg-config:pkg-config libboost-dev libcli11-dev
                libfmt-dev nlohmann-json3-dev libssl-dev zlib1g-dev)
# `bfslab graph fetch` over the network; graph files in bzip2 and tar; in zstd; fast verification.
optional_packages=(libcurl4-openssl-dev libarchive-dev libzstd-dev libxxhash-dev)
# Distributed engines of several ranks.
mpi_packages=(libopenmpi-dev openmpi-bin)
test_packages=(libgtest-dev libgmock-dev)
fuzz_packages=(clang++:clang libomp-dev libclang-rt-dev python3:python3)
benchmark_packages=(libbenchmark-dev)
# Opens the report's page in tests, where no other is here. Ubuntu has no such package.
browser_package=chromium-headless-shell
lint_packages=(clang-format:clang-format clang-tidy:clang-tidy)

say() { printf 'setup: %s\n' "$*" >&2; }

wanted=("${build_packages[@]}" git:git)
optional=()
python_needs=()  # files of requirements/
for purpose in "${@:-build}"; do
  case "$purpose" in
    build) optional+=("${optional_packages[@]}" "${mpi_packages[@]}") ;;
    quick) optional+=("${optional_packages[@]}"); python_needs+=(drawing) ;;
    figures) wanted=(); python_needs+=(figures) ;;
    test)
      optional+=("${test_packages[@]}" "${optional_packages[@]}" "${mpi_packages[@]}")
      python_needs+=(tests)
      ;;
    browser)
      wanted=()
      python_needs+=(browser)
      command -v chromium >/dev/null || command -v google-chrome >/dev/null ||
        optional+=("$browser_package:$browser_package")
      ;;
    engine) wanted+=("${test_packages[@]}" python3:python3); optional+=("${optional_packages[@]}") ;;
    benchmarks)
      wanted+=("${test_packages[@]}" "${benchmark_packages[@]}")
      optional+=("${optional_packages[@]}")
      python_needs+=(drawing)
      ;;
    gpu-test)
      # The GPU and CUDA cannot be installed here: if they are missing, that is reported first.
      case "$(timeout 30 nvidia-smi -L 2>/dev/null || true)" in
        *GPU*) ;;
        *) say "no GPU here (nvidia-smi -L shows none): the GPU tests need one, and its driver"
           exit 2 ;;
      esac
      if ! command -v nvcc >/dev/null && [ ! -x "${CUDACXX:-/usr/local/cuda/bin/nvcc}" ]; then
        say "no nvcc: install NVIDIA's CUDA toolkit (13.0 or newer), or set CUDACXX to its nvcc"
        exit 2
      fi
      # A copy of a checkout is enough: no git.
      wanted=("${build_packages[@]}" "${test_packages[@]}" python3:python3)
      optional+=("${optional_packages[@]}")
      ;;
    fuzz) wanted+=("${fuzz_packages[@]}"); optional+=("${optional_packages[@]}") ;;
    lint) wanted+=("${test_packages[@]}" "${lint_packages[@]}"); python_needs+=(tests) ;;
    *) say "unknown purpose \"$purpose\"; expected build, quick, figures, test, browser, engine, gpu-test, fuzz, lint or benchmarks"; exit 2 ;;
  esac
done

python=${PYTHON:-python3}
if [ ${#python_needs[@]} -gt 0 ] && [ ! -x .venv/bin/python ]; then
  if ! command -v "$python" >/dev/null; then
    wanted+=(python3:python3 python3-venv)
  elif ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
    optional+=(python3-venv)
  fi
fi

# missing NAME... prints the packages that are missing, each once: purposes share some.
missing() {
  local name
  local -A printed=()
  while read -r name; do
    [ -n "${printed[$name]:-}" ] || echo "$name"
    printed[$name]=yes
  done < <(missing_of_all "$@")
}
missing_of_all() {
  local entry libraries=()
  for entry in "$@"; do
    case "$entry" in
      *:*) command -v "${entry%%:*}" >/dev/null || echo "${entry##*:}" ;;
      *) libraries+=("$entry") ;;
    esac
  done
  if [ ${#libraries[@]} -gt 0 ] && command -v dpkg-query >/dev/null; then
    local installed
    # dpkg-query fails if it does not know a name, but still prints the others.
    installed=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' "${libraries[@]}" \
                2>/dev/null || true)
    for entry in "${libraries[@]}"; do
      case $'\n'"$installed"$'\n' in
        *$'\n'"$entry installed"$'\n'*) ;;
        *) echo "$entry" ;;
      esac
    done
  fi
}

as_root() {
  if [ "$(id -u)" = 0 ]; then
    env DEBIAN_FRONTEND=noninteractive "$@"
  else
    sudo -n env DEBIAN_FRONTEND=noninteractive "$@"
  fi
}

may_install() {
  [ "${BFSLAB_INSTALL:-yes}" = yes ] && command -v apt-get >/dev/null &&
    { [ "$(id -u)" = 0 ] || { command -v sudo >/dev/null && sudo -n true 2>/dev/null; }; }
}

# apt_install PACKAGE...: the lists are fetched first only if the packages are not known.
apt_install() {
  local log
  log=$(mktemp)
  local options=(-qq -y --no-install-recommends -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=300)
  if as_root apt-get install "${options[@]}" "$@" >"$log" 2>&1 ||
      { as_root apt-get update -qq >>"$log" 2>&1 &&
        as_root apt-get install "${options[@]}" "$@" >>"$log" 2>&1; }; then
    rm -f "$log"
  else
    tail -n "${log_lines:-15}" "$log" >&2
    rm -f "$log"
    return 1
  fi
}

if [ "${BFSLAB_INSTALL:-yes}" != skip ]; then
  mapfile -t lacking < <(missing ${wanted[@]+"${wanted[@]}"})
  mapfile -t lacking_optional < <(missing ${optional[@]+"${optional[@]}"})
  if [ ${#lacking[@]} -gt 0 ]; then
    if ! may_install; then
      say "missing system packages: ${lacking[*]}"
      say "install them and call again:"
      say "    sudo apt-get update && sudo apt-get install -y ${lacking[*]}"
      say "or, without root, with BFSLAB_INSTALL=skip: CMake then fetches libraries (docs/install.md)"
      exit 2
    fi
    say "installing system packages: ${lacking[*]} ${lacking_optional[*]}"
    if ! apt_install "${lacking[@]}" ${lacking_optional[@]+"${lacking_optional[@]}"} &&
        ! apt_install "${lacking[@]}"; then
      say "apt-get could not install them; by hand:"
      say "    sudo apt-get update && sudo apt-get install -y ${lacking[*]}"
      exit 2
    fi
  elif [ ${#lacking_optional[@]} -gt 0 ] && may_install &&
      [ "$(cat build/.optional-packages-tried 2>/dev/null)" != "${lacking_optional[*]}" ]; then
    # Tried once: a machine without a network should not wait for this every time.
    mkdir -p build && printf '%s\n' "${lacking_optional[*]}" >build/.optional-packages-tried
    say "installing optional packages: ${lacking_optional[*]}"
    log_lines=1 apt_install "${lacking_optional[@]}" || say "continuing without ${lacking_optional[*]}"
  fi
fi

incomplete=no
case " $* " in
  *" test "*)
    mapfile -t lacking < <(missing "${test_packages[@]}")
    if [ "${BFSLAB_INSTALL:-yes}" != skip ] && [ ${#lacking[@]} -gt 0 ]; then
      say "the C++ tests are left out, because these system packages are missing: ${lacking[*]}"
      incomplete=yes
    fi ;;
esac

# pip_install NAME: requirements/NAME into .venv, which is made if necessary, and removed again if it
# was made in vain. The last lines of pip say what went wrong.
pip_install() {
  local log made=no status=0 from=(--require-hashes -r "requirements/$1.lock")
  if [ -n "${BFSLAB_WHEELS:-}" ]; then
    from=(--no-index --find-links "$BFSLAB_WHEELS" -r "requirements/$1.txt")
  fi
  log=$(mktemp)
  # An incomplete environment (an interrupted call) is made again.
  if ! .venv/bin/python -m pip --version >/dev/null 2>&1; then
    made=yes
    "$python" -m venv --clear .venv >"$log" 2>&1 || status=1
  fi
  if [ "$status" = 0 ]; then
    .venv/bin/python -m pip install -q --disable-pip-version-check --no-input --retries 1 "${from[@]}" \
      >"$log" 2>&1 || status=1
  fi
  if [ "$status" != 0 ]; then
    grep -v '^WARNING: Retrying' "$log" | tail -n 3 >&2
    [ "$made" = no ] || rm -rf .venv
  fi
  rm -f "$log"
  return "$status"
}

# The sum of what NAME asks for, as stamps keep it.
sum_of() { cat "requirements/$1.txt" "requirements/$1.lock" | sha256sum; }

machine_python=$(command -v "$python" || true)
for needs in ${python_needs[@]+"${python_needs[@]}"}; do
  sum=$(sum_of "$needs")
  stamp=.venv/.requirements-$needs
  # Packages of the machine were found to do, or not: pip should not be waited for every time.
  machine_stamp=build/.machine-python-$needs
  if [ -x .venv/bin/python ] && [ -e "$stamp" ] && [ "$(<"$stamp")" = "$sum" ]; then continue; fi
  if [ -z "${BFSLAB_WHEELS:-}" ] && [ -e "$machine_stamp" ] && [ "$(<"$machine_stamp")" = "$sum $machine_python" ]; then
    continue
  fi
  say "Python packages of requirements/$needs into .venv"
  if pip_install "$needs"; then
    case "$needs" in  # each file includes the one before it
      tests) same="drawing figures tests" ;;
      figures) same="drawing figures" ;;
      *) same=$needs ;;
    esac
    for name in $same; do sum_of "$name" >".venv/.requirements-$name"; done
    continue
  fi
  if here=$(scripts/python.sh scripts/have_packages.py "requirements/$needs.txt"); then
    say "they could not be installed; this machine's own will do: $here"
    mkdir -p build && printf '%s\n' "$sum $machine_python" >"$machine_stamp"
  else
    say "they could not be installed, and this machine's own Python lacks $here"
    say "call again with a network, or with BFSLAB_WHEELS=DIR, a folder of wheels (docs/install.md)"
    incomplete=yes
  fi
done
[ "$incomplete" = no ] || exit 3
