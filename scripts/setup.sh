#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# setup.sh [--cuda-root DIR] [--python EXE] [--no-packages] [--lint]
#          [--tests] [--frameworks] [--cu12]
#
# Brings a Debian 12 machine to the point where the project builds and its
# tests run: Debian packages, CUDA 13.0 headers and nvcc, a Python environment
# with an unmodified PyTorch, and what bundles the report's page. Says what it
# does; silent when all is there.
#   --cuda-root DIR  use this CUDA toolkit; nothing of CUDA is downloaded
#   --python EXE     use this interpreter and its PyTorch; none is downloaded
#   --no-packages    do not look for Debian packages; they come from elsewhere
#   --lint           also install clang-format and clang-tidy
#   --tests          also what tests need: Python packages, which wheels need
#                    too, lintian, shells, and Chromium for the report's page
#   --frameworks     also one Python environment for each framework of
#                    third_party/frameworks, for `test.sh --frameworks`, and
#                    DuckDB's library, where npm is
#   --cu12           also the headers of CUDA 12: not to build, but to make the
#                    lists of shim/specs/cu12 anew and to check them
# Tools are kept in ${DLTAP_TOOLS:-~/.cache/dltap}, each named after its lock
# file's hash, so that clones share them. They are made in a work folder and
# renamed when complete: what was interrupted never counts.
# The choice goes to build/toolchain.env, which the build reads.
set -euo pipefail
cd "$(dirname "$0")/.."
tools=${DLTAP_TOOLS:-$HOME/.cache/dltap}
cuda_root=
python=
generator_python=
with_packages=1
with_tests=
with_frameworks=
tests_choice=()
with_cuda12=
cuda12_choice=()
frameworks=(triton jax cupy numba tensorflow torch-newest readers)
packages=(g++ cmake ninja-build pkg-config python3 python3-venv binutils ccache
  libgtest-dev libgmock-dev libbenchmark-dev libabsl-dev libsimdjson-dev
  libzstd-dev zlib1g-dev libsqlite3-dev libcli11-dev libxxhash-dev
  libprotobuf-dev protobuf-compiler)

say() { printf 'setup: %s\n' "$*" >&2; }
fail() { printf 'setup: error: %s\n' "$*" >&2; exit 1; }

parse_options() {
  while [ $# -gt 0 ]; do
    case $1 in
      --cuda-root) cuda_root=${2:?--cuda-root needs a folder}; shift ;;
      --python) python=${2:?--python needs an interpreter}; shift ;;
      --no-packages) with_packages= ;;
      --tests)
        with_tests=1
        packages+=(dpkg-dev lintian man-db zsh fish chromium) ;;
      # Triton compiles a module of Python's at run time.
      --frameworks) with_frameworks=1; packages+=(gcc python3-dev) ;;
      --cu12 | cu12) with_cuda12=1 ;;
      --lint) packages+=(clang-format-16 clang-tidy-16 shellcheck) ;;
      *) fail "unknown option $1; the head of scripts/setup.sh lists them" ;;
    esac
    shift
  done
}

has_npm() { command -v node >/dev/null && command -v npm >/dev/null; }

install_packages() {
  [ -n "$with_packages" ] || return 0
  command -v dpkg-query >/dev/null ||
    fail "this is no Debian: install ${packages[*]} or what corresponds to" \
      "them, then use --no-packages"
  has_npm || packages+=(nodejs npm)
  local missing=() package
  for package in "${packages[@]}"; do
    dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null |
      grep -qx installed || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  say "installing Debian packages: ${missing[*]}"
  local as_root=()
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null ||
      fail "not root and no sudo: have somebody install: ${missing[*]}"
    as_root=(sudo)
  fi
  local log=$tools/apt.log
  { "${as_root[@]}" apt-get update -qq &&
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
      --no-install-recommends "${missing[@]}"; } >"$log" 2>&1 ||
    { tail -3 "$log" >&2; fail "apt-get failed, see $log"; }
}

check_compiler() {
  local major
  major=$(g++ -dumpversion 2>/dev/null | cut -d. -f1) ||
    fail "no g++ found; it must be version 12 or newer"
  [ "${major:-0}" -ge 12 ] || fail "g++ is version ${major:-?}; 12 is needed"
}

need_space() {  # MEGABYTES WHAT-FOR
  local free
  free=$(($(df -Pk "$tools" | awk 'NR == 2 { print $4 }') / 1024))
  [ "$free" -ge "$1" ] ||
    fail "$2 needs $1 MB in $tools, $free MB are free;" \
      "set DLTAP_TOOLS to a folder on another disk"
}

key_of() { cat "$@" | sha256sum | cut -c1-16; }

# Takes the lock that all clones share and makes the work folder.
enter_workshop() {
  [ -z "${work:-}" ] || return 0
  exec 9>"$tools/.lock"
  flock -n 9 || { say "waiting for another setup.sh"; flock 9; }
  rm -rf "$tools"/work.*  # of runs that were killed: the lock is ours
  work=$(mktemp -d "$tools/work.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  export TMPDIR=$work  # pip spools there; /tmp may be small
}

pip() {  # PYTHON ARGS...
  local exe=$1
  shift
  "$exe" -m pip --quiet --disable-pip-version-check --retries 2 "$@" ||
    fail "pip failed; is a Python package index reachable?" \
      "($exe -m pip config list)"
}

locked=(--no-cache-dir --no-deps --require-hashes --only-binary=:all:)

# The locked wheels are built for CPython 3.11.
base_python() {
  local candidate
  for candidate in /usr/bin/python3 python3.11 python3; do
    if "$candidate" -c 'import ensurepip, sys, venv
sys.exit(sys.version_info[:2] != (3, 11))' 2>/dev/null; then
      command -v "$candidate"
      return
    fi
  done
  fail "no CPython 3.11 with venv here; install it, or name an interpreter" \
    "that has PyTorch with --python"
}

# Makes an environment from lock files; prints nothing, sets `venv`.
make_venv() {  # NAME BASE-PYTHON|"" LOCK...
  local name=$1 base=$2 lock
  shift 2
  venv=$tools/$name-$(key_of "$@")
  [ ! -d "$venv" ] || return 0
  enter_workshop
  [ ! -d "$venv" ] || return 0  # another clone made it while we waited
  base=${base:-$(base_python)}
  "$base" -m venv "$work/venv" || fail "$base cannot make an environment"
  for lock in "$@"; do
    pip "$work/venv/bin/python" install "${locked[@]}" -r "$lock"
  done
  # Scripts in bin/ name the work folder; only bin/python is used.
  mv "$work/venv" "$venv"
}

choose_python() {
  local tools_lock=third_party/python-tools.lock
  local torch_lock=third_party/python.lock
  if [ -n "$python" ]; then
    "$python" -c '' || fail "--python: cannot run $python"
    # Not imported: without a GPU driver some builds of it cannot be.
    "$python" -c 'import sys, importlib.util as u
sys.exit(not u.find_spec("torch"))' ||
      say "note: $python has no torch; tests that need it will be skipped"
    if "$python" -c 'import clang.cindex, tomllib' 2>/dev/null; then
      generator_python=$python
      return
    fi
    make_venv generator "$python" "$tools_lock"
    generator_python=$venv/bin/python
    return
  fi
  if [ ! -d "$tools/venv-$(key_of $torch_lock $tools_lock)" ]; then
    need_space 3000 "the Python environment"
    say "making a Python environment with PyTorch 2.11.0 (0.6 GB to download)"
  fi
  make_venv venv "" $torch_lock $tools_lock
  python=$venv/bin/python
  generator_python=$python
}

# Used when it is there, as the frameworks'.
choose_tests_python() {
  local lock=third_party/python-tests.lock folder base
  folder=$tools/python-tests-$(key_of "$lock")
  if [ -n "$with_tests" ] && [ ! -d "$folder" ]; then
    if base=$(base_python 2>/dev/null); then
      need_space 800 "the Python packages of tests"
      say "making a Python environment for tests (0.1 GB to download)"
      make_venv python-tests "$base" "$lock"
    else
      say "note: no CPython 3.11 with venv; tests that need its packages are" \
        "not run"
    fi
  fi
  [ ! -d "$folder" ] || tests_choice=("DLTAP_TESTS_PYTHON=$folder/bin/python")
}

framework_locks() {  # NAME
  local lock=third_party/frameworks/$1.lock
  case $1 in
    triton) echo third_party/python.lock "$lock" ;;  # on the PyTorch of all
    *) echo "$lock" ;;
  esac
}

# build/toolchain.env names the environments that exist; --frameworks makes the
# others.
choose_frameworks() {
  local name locks folder
  framework_choice=()
  for name in "${frameworks[@]}"; do
    read -ra locks <<<"$(framework_locks "$name")"
    folder=$tools/$name-$(key_of "${locks[@]}")
    if [ -n "$with_frameworks" ] && [ ! -d "$folder" ]; then
      need_space 3500 "the environment of $name"
      say "making a Python environment with $name"
      make_venv "$name" "" "${locks[@]}"
    fi
    [ ! -d "$folder" ] || framework_choice+=(
      "DLTAP_$(tr a-z- A-Z_ <<<"$name")_PYTHON=$folder/bin/python")
  done
}

# Its library, which only npm has without the rest of a database.
choose_duckdb() {
  local lock=third_party/duckdb/package-lock.json folder log=$tools/npm.log
  folder=$tools/duckdb-$(key_of "$lock")
  if [ -n "$with_frameworks" ] && [ ! -d "$folder" ]; then
    command -v npm >/dev/null || {
      say "note: no npm here; tests that write Parquet will be skipped"
      return 0
    }
    enter_workshop
    need_space 200 "DuckDB"
    mkdir "$work/duckdb"
    cp third_party/duckdb/*.json "$work/duckdb"
    (cd "$work/duckdb" && npm ci --ignore-scripts --no-audit --no-fund \
      --cache "$work/npm") >"$log" 2>&1 ||
      { tail -3 "$log" >&2; fail "npm failed; is an npm registry reachable?"; }
    mv "$work/duckdb/node_modules/@duckdb/node-bindings-linux-x64" "$folder"
  fi
  [ ! -d "$folder" ] || framework_choice+=("DLTAP_DUCKDB_FOLDER=$folder")
}

# Of these the headers are enough: tests run on simulated libraries.
libraries='nvidia-cublas
nvidia-cuda-nvrtc
nvidia-cufft
nvidia-curand
nvidia-cusolver
nvidia-cusparse
nvidia-cusparselt-cu13
nvidia-nccl-cu13'

choose_cuda() {
  local lock=third_party/cuda.lock unpack=scripts/unpack_cuda_wheels.py
  if [ -n "$cuda_root" ]; then
    [ -f "$cuda_root/include/cuda_runtime.h" ] ||
      fail "--cuda-root wants a CUDA toolkit;" \
        "$cuda_root holds no include/cuda_runtime.h"
    cuda_root=$(cd "$cuda_root" && pwd)
    return
  fi
  cuda_root=$tools/cuda-$(key_of "$lock" "$unpack")
  [ ! -d "$cuda_root" ] || return 0
  enter_workshop
  [ ! -d "$cuda_root" ] || return 0  # another clone made it while we waited
  need_space 4000 "the CUDA toolkit"
  say "fetching CUDA 13.0 headers and nvcc from NVIDIA's wheels" \
    "(1.8 GB to download, 0.4 GB kept)"
  pip "$generator_python" download "${locked[@]}" -d "$work/wheels" -r "$lock"
  "$generator_python" "$unpack" \
    --headers-only "$(paste -sd, <<<"$libraries" | tr - _)" \
    "$work/cuda" "$work"/wheels/*.whl
  mv "$work/cuda" "$cuda_root"
}

# Headers only. Used when they are there.
choose_cuda12() {
  local lock=third_party/cuda12.lock names
  local root
  root=$tools/cuda12-$(key_of "$lock")
  if [ -n "$with_cuda12" ] && [ ! -d "$root" ]; then
    enter_workshop
    need_space 3000 "the headers of CUDA 12"
    say "fetching the headers of CUDA 12.8 from NVIDIA's wheels" \
      "(1.9 GB to download, 30 MB kept)"
    pip "$generator_python" download "${locked[@]}" -d "$work/wheels12" \
      -r "$lock"
    names=$(sed -n 's/==.*//p' "$lock" | tr - _ | paste -sd,)
    mkdir -p "$work/cuda12/lib"
    "$generator_python" scripts/unpack_cuda_wheels.py --headers-only "$names" \
      "$work/cuda12" "$work"/wheels12/*.whl
    [ -d "$root" ] || mv "$work/cuda12" "$root"
  fi
  [ ! -d "$root" ] || cuda12_choice=("DLTAP_CUDA12_ROOT=$root")
}

# The page of `dltap report --html`. esbuild needs no script of its package.
choose_web() {
  local lock=third_party/web/package-lock.json
  web_choice=()
  if ! has_npm; then
    say "note: no npm here; this build's report has no page (--html)"
    return
  fi
  local web=$tools/web-$(key_of $lock)
  if [ ! -d "$web" ]; then
    enter_workshop
    if [ ! -d "$web" ]; then
      say "fetching esbuild, Preact and TypeScript (20 MB to download)"
      mkdir "$work/web"
      cp third_party/web/package.json $lock "$work/web"
      (cd "$work/web" && npm ci --ignore-scripts --no-audit --no-fund \
        --cache "$work/npm" >"$work/npm.log" 2>&1) || {
        tail -5 "$work/npm.log" >&2
        fail "npm failed; is an npm registry reachable?" \
          "(npm config get registry)"
      }
      mv "$work/web" "$web"
    fi
  fi
  web_choice=("DLTAP_NODE=$(command -v node)" "DLTAP_WEB_TOOLS=$web")
}

# Left as it is when nothing changed, since the build depends on it.
write_choice() {
  mkdir -p build
  printf '%s\n' "DLTAP_PYTHON=$python" \
    "DLTAP_GENERATOR_PYTHON=$generator_python" \
    "DLTAP_CUDA_ROOT=$cuda_root" "${tests_choice[@]}" \
    "${framework_choice[@]}" \
    "${cuda12_choice[@]}" "${web_choice[@]}" >build/toolchain.env.new
  if cmp -s build/toolchain.env.new build/toolchain.env; then
    rm build/toolchain.env.new
  else
    mv build/toolchain.env.new build/toolchain.env
  fi
}

parse_options "$@"
mkdir -p "$tools" || fail "cannot make $tools; set DLTAP_TOOLS"
install_packages
check_compiler
choose_python
choose_cuda
choose_cuda12
choose_tests_python
choose_frameworks
choose_duckdb
choose_web
write_choice
