#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# test.sh [CTEST-OPTIONS]: sets up, builds, runs all tests; prints the slowest
# ten. Ends with ctest's closing lines and its exit code.
set -euo pipefail
cd "$(dirname "$0")/.."
./scripts/build.sh
status=0
log=build/test.log
ctest --test-dir build --output-on-failure -j "$(nproc)" "$@" >"$log" 2>&1 ||
  status=$?
# The closing block comes last; what runs long is named before it.
grep -E 'Test +#[0-9]+:.* sec$' "$log" |
  sed -E 's/.*Test +#[0-9]+: ([^ ]+) .* ([0-9.]+) sec$/\2 s  \1/' |
  sort -rn | head -10 | sed '1i slowest ten:' || true
if [ "$status" != 0 ]; then cat "$log"; else sed -n '/% tests passed/,$p' "$log"; fi
exit "$status"
