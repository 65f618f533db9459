#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# test.sh [--frameworks] [CTEST-OPTIONS]: sets up, builds, runs all tests. Names
# the slowest ten, then ends with ctest's closing lines and its exit code.
#   test.sh --frameworks   only the tests of JAX, TensorFlow, MXNet, Triton, CuPy,
#                          Numba and the newest PyTorch (downloads 3.5 GB once)
#   test.sh -L unit     only tests with this label (unit, integration, gpu, ...)
#   test.sh -R trace    only tests whose name matches
set -uo pipefail
cd "$(dirname "$0")/.." || exit
setup_options=(--tests)
which_tests=(-LE '^frameworks$')
if [ "${1:-}" = --frameworks ]; then
  shift
  setup_options=(--tests --frameworks)
  which_tests=(-L '^frameworks$')
fi
./scripts/build.sh "${setup_options[@]}" || exit

# Passes ctest's output on, line by line (awk may hold lines back), and puts the
# slowest tests before its summary.
with_slowest() {
  local line seconds=()
  while IFS= read -r line; do
    if [[ $line =~ Test\ +#[0-9]+:\ ([^\ ]+)\ .*\ ([0-9.]+)\ sec\ *$ ]]; then
      seconds+=("$(printf '%8.2f s  %s' "${BASH_REMATCH[2]}" \
        "${BASH_REMATCH[1]}")")
    elif [[ $line == *'% tests passed'* ]]; then
      printf 'Slowest tests:\n'
      printf '%s\n' "${seconds[@]}" | sort -rn | head -10
      printf '\n'
    fi
    printf '%s\n' "$line"
  done
}

ctest --test-dir build --no-tests=error --output-on-failure \
  --no-label-summary -j "$(nproc)" "${which_tests[@]}" "$@" 2>&1 |
  with_slowest
exit "${PIPESTATUS[0]}"
