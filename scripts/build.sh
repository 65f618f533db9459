#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# build.sh [SETUP-OPTIONS]: sets up and builds the release preset in build/.
set -euo pipefail
cd "$(dirname "$0")/.."
./scripts/setup.sh "$@"
# shellcheck source=/dev/null
. build/toolchain.env
if [ ! -f build/build.ninja ]; then
  cmake --preset release -DDLTAP_CUDA_ROOT="$DLTAP_CUDA_ROOT" \
    -DPython3_EXECUTABLE="$DLTAP_PYTHON" >build/configure.log 2>&1 ||
    { tail -20 build/configure.log >&2; exit 1; }
fi
log=build/build.log
echo "build: compiling, log in $log" >&2
cmake --build build >"$log" 2>&1 || { grep -E -A5 'FAILED|error' "$log" | head -60 >&2; exit 1; }
