#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# setup.sh [--cuda-root DIR] [--python EXE] [--lint]
#
# Brings a Debian 12 machine to the point where the project builds and its
# tests run: Debian packages, CUDA 13.0 headers and nvcc, a Python environment
# with an unmodified PyTorch. Says what it does; silent when all is there.
#   --cuda-root DIR  use this CUDA toolkit; nothing of CUDA is downloaded
#   --python EXE     use this interpreter and its PyTorch; no venv is made
#   --lint           also install clang-format and clang-tidy
# Tools are kept in ${DLTAP_TOOLS:-~/.cache/dltap}, keyed by their lock file, so
# that several clones share them and a half-finished download never counts.
# The chosen paths go to build/toolchain.env, which the other scripts read.
set -euo pipefail
cd "$(dirname "$0")/.."
tools=${DLTAP_TOOLS:-$HOME/.cache/dltap}
cuda_root=
python=
lint=

say() { printf 'setup: %s\n' "$*" >&2; }
fail() { printf 'setup: error: %s\n' "$*" >&2; exit 1; }

while [ $# -gt 0 ]; do
  case $1 in
    --cuda-root) cuda_root=${2:?--cuda-root needs a folder}; shift ;;
    --python) python=${2:?--python needs an interpreter}; shift ;;
    --lint) lint=1 ;;
    *) fail "unknown option $1; see the head of scripts/setup.sh" ;;
  esac
  shift
done

packages=(g++ cmake ninja-build pkg-config python3 python3-venv python3-dev
  binutils ccache libgtest-dev libgmock-dev libabsl-dev libsimdjson-dev
  libzstd-dev zlib1g-dev libsqlite3-dev libcli11-dev libbenchmark-dev
  libxxhash-dev)
if [ -n "$lint" ]; then packages+=(clang-format-16 clang-tidy-16); fi

install_packages() {
  local missing=()
  command -v dpkg-query >/dev/null ||
    fail "no dpkg here: install the equivalents of: ${packages[*]}"
  for package in "${packages[@]}"; do
    dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null |
      grep -qx installed || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  say "installing Debian packages: ${missing[*]}"
  local as_root=()
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null ||
      fail "not root and no sudo: install by hand: ${missing[*]}"
    as_root=(sudo)
  fi
  mkdir -p "$tools"
  local log=$tools/apt.log
  { "${as_root[@]}" apt-get update -qq &&
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
      --no-install-recommends "${missing[@]}"; } >"$log" 2>&1 ||
    { tail -3 "$log" >&2; fail "apt-get failed, see $log"; }
}

need_space() {  # MEGABYTES WHAT-FOR
  local free
  free=$(($(df -Pk "$tools" | awk 'NR == 2 { print $4 }') / 1024))
  [ "$free" -ge "$1" ] ||
    fail "$2 needs $1 MB in $tools, $free MB are free; set DLTAP_TOOLS to another disk"
}

key_of() { cat "$@" | sha256sum | cut -c1-16; }

# The wheels are built for CPython 3.11.
base_python() {
  local candidate
  for candidate in /usr/bin/python3 python3.11 python3; do
    if "$candidate" -c 'import sys, venv, ensurepip
sys.exit(sys.version_info[:2] != (3, 11))' 2>/dev/null; then
      command -v "$candidate"
      return
    fi
  done
  fail "no CPython 3.11 with venv: install it, or name yours with --python"
}

pip() {  # VENV ARGS...
  local venv=$1
  shift
  "$venv/bin/python" -m pip --quiet --disable-pip-version-check "$@" ||
    fail "pip failed: is a Python package index reachable? (pip config list)"
}

make_venv() {
  local lock=third_party/python.lock venv
  venv=$tools/venv-$(key_of "$lock" third_party/python-tools.lock)
  python=$venv/bin/python
  [ -x "$python" ] && return
  need_space 3000 "the Python environment"
  say "making a Python environment with PyTorch 2.11.0 (0.6 GB to download)"
  local base tmp=$venv.tmp.$$
  base=$(base_python)
  rm -rf "$venv".tmp.*
  "$base" -m venv "$tmp"
  local lock
  for lock in third_party/python.lock third_party/python-tools.lock; do
    pip "$tmp" install --no-cache-dir --no-deps --require-hashes \
      --only-binary=:all: -r "$lock"
  done
  # Scripts in bin/ name the temporary folder; only bin/python is used.
  mv "$tmp" "$venv"
}

make_cuda() {
  local lock=third_party/cuda.lock
  cuda_root=$tools/cuda-$(key_of "$lock" scripts/unpack_cuda_wheels.py)
  [ -d "$cuda_root" ] && return
  need_space 3000 "the CUDA toolkit"
  say "fetching CUDA 13.0 headers and nvcc from their wheels (0.9 GB to download, 0.4 GB kept)"
  local tmp=$cuda_root.tmp.$$ wheels=$tools/wheels.tmp.$$
  rm -rf "$tools"/cuda-*.tmp.* "$tools"/wheels.tmp.*
  pip "$(dirname "$(dirname "$python_of_venv")")" download --no-cache-dir \
    --no-deps --require-hashes --only-binary=:all: -d "$wheels" -r "$lock"
  "$python_of_venv" scripts/unpack_cuda_wheels.py \
    --headers-only nvidia_cublas,nvidia_nccl_cu13,nvidia_cuda_nvrtc \
    "$tmp" "$wheels"/*.whl
  rm -rf "$wheels"
  mv "$tmp" "$cuda_root"
}

install_packages
mkdir -p "$tools" build
exec 9>"$tools/.lock"
flock 9  # another clone may be setting up the same tools

if [ -n "$python" ]; then
  "$python" -c 'import torch' 2>/dev/null ||
    say "note: $python has no torch; the PyTorch tests will be skipped"
else
  make_venv
fi
python_of_venv=$python
if [ -n "$cuda_root" ]; then
  [ -f "$cuda_root/include/cuda_runtime.h" ] ||
    fail "$cuda_root holds no include/cuda_runtime.h; --cuda-root wants a CUDA toolkit"
else
  make_cuda
fi

printf 'DLTAP_PYTHON=%s\nDLTAP_CUDA_ROOT=%s\n' "$python" "$cuda_root" \
  >build/toolchain.env.tmp
mv build/toolchain.env.tmp build/toolchain.env
