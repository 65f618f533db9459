# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034,SC2154
# Sourced by setup.sh: Python environments, each of one lock file or two.

locked=(--no-cache-dir --no-deps --require-hashes --only-binary=:all:)

pip() {  # PYTHON ARGS...
  local exe=$1
  shift
  "$exe" -m pip --quiet --disable-pip-version-check --retries 2 "$@" ||
    fail "pip failed; is a Python package index reachable?" \
      "($exe -m pip config list)"
}

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
    # On the PyTorch of all.
    triton | scoreboard) echo third_party/python.lock "$lock" ;;
    *) echo "$lock" ;;
  esac
}

wants_framework() {  # NAME
  case $1 in
    scoreboard) [ -n "$with_scoreboard" ] ;;
    spark) [ -n "$with_spark" ] ;;
    *) [ -n "$with_frameworks" ] ;;
  esac
}

# build/toolchain.env names the environments that exist; --frameworks and
# --scoreboard and --spark make the others.
choose_frameworks() {
  local name locks folder
  framework_choice=()
  for name in "${frameworks[@]}"; do
    read -ra locks <<<"$(framework_locks "$name")"
    folder=$tools/$name-$(key_of "${locks[@]}")
    if wants_framework "$name" && [ ! -d "$folder" ]; then
      need_space 3500 "the environment of $name"
      say "making a Python environment with $name"
      make_venv "$name" "" "${locks[@]}"
    fi
    [ ! -d "$folder" ] || framework_choice+=(
      "DLTAP_$(tr a-z- A-Z_ <<<"$name")_PYTHON=$folder/bin/python")
  done
}
