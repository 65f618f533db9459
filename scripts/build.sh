#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# build.sh [--product] [SETUP-OPTIONS]: sets up and builds the release preset in
# build/. --product leaves tests and benchmarks out; all other options go to
# setup.sh. Quiet when there is nothing to do.
set -euo pipefail
cd "$(dirname "$0")/.."
targets=(all)
if [ "${1:-}" = --product ]; then
  targets=(shim/tap/all simgpu/all analyzer/all)
  shift
fi
./scripts/setup.sh "$@"

if [ ! -f build/build.ninja ]; then
  echo "build: configuring, log in build/configure.log" >&2
  cmake --preset release >build/configure.log 2>&1 || {
    echo "build: error: configuring failed:" >&2
    tail -20 build/configure.log >&2
    exit 1
  }
fi
if cmake --build build --target "${targets[@]}" -- -n |
    grep -q 'ninja: no work to do'; then
  exit 0
fi
echo "build: compiling, log in build/build.log" >&2
if [ -t 2 ]; then
  cmake --build build --target "${targets[@]}" >&2
else
  cmake --build build --target "${targets[@]}" >build/build.log 2>&1 || {
    echo "build: error: compiling failed:" >&2
    grep -E -A8 'FAILED|error' build/build.log | head -80 >&2
    exit 1
  }
fi
