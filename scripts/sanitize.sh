#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# sanitize.sh [asan] [tsan] [valgrind]: runs programs on the simulated GPU under
# the address and undefined-behaviour sanitizers, the thread sanitizer and
# valgrind (by default all three), and prints what each program gave. Not part of
# the gate: the two sanitizer builds take as long as the product's. Logs stay in
# build-asan/, build-tsan/ and build/, under sanitize/.
#
# valgrind runs the release build. It has no room for the memory of a whole GPU,
# so that the simulated one is small.
set -uo pipefail
cd "$(dirname "$0")/.." || exit

# Unit tests; in virtual time, unless they say another clock.
UNITS=(threads sm_sharing stream work_order semantic open_work:real event graph graph_exec capture
       capture_rules concurrency driver error launch_cost
       nccl_collectives:real nccl_communicator:real nccl_late_rank:real)
WORKLOADS=("cnn --steps 2" "cnn --steps 3 --capture" "lstm --steps 2"
           "lstm --steps 3 --capture" "transformer --steps 2"
           "transformer --steps 3 --capture" "pipeline --steps 4")
failed=0

# build DIRECTORY: what is run below.
build() {
  local targets=()
  for unit in "${UNITS[@]}"; do targets+=("simgpu_${unit%:*}_test"); done
  for name in cnn lstm transformer pipeline; do targets+=("workload_$name"); done
  cmake --build "$1" --target "${targets[@]}" >"$1/sanitize/build.log" 2>&1 ||
    { tail -20 "$1/sanitize/build.log"; exit 1; }
}

# check DIRECTORY LABEL PATTERN COMMAND...: runs the command; a line that matches
# PATTERN in its output is a finding.
check() {
  local directory=$1 label=$2 pattern=$3 log verdict=clean code=0
  shift 3
  log="$directory/sanitize/${label//[^a-z0-9]/_}.log"
  LD_LIBRARY_PATH="$PWD/$directory/simgpu/cu13" DLTAP_SIM_GPU=h100-sxm \
    DLTAP_SIM_QUIET=1 DLTAP_SIM_MEMORY_GB=8 "$@" >"$log" 2>&1 || code=$?
  if grep -qE "$pattern" "$log"; then
    verdict="FINDINGS, see $log"
  elif [ "$code" != 0 ]; then
    verdict="exit code $code, see $log"
  fi
  [ "$verdict" = clean ] || failed=1
  printf '%-10s %-34s %s\n' "${directory#build-}" "$label" "$verdict"
}

# run_all DIRECTORY PATTERN [WRAPPER...]
run_all() {
  local directory=$1 pattern=$2 clock
  shift 2
  for unit in "${UNITS[@]}"; do
    clock=virtual
    [ "$unit" = "${unit%:*}" ] || clock=${unit#*:}
    check "$directory" "unit ${unit%:*}" "$pattern" \
      env DLTAP_SIM_CLOCK="$clock" "$@" "$directory/bin/simgpu_${unit%:*}_test"
  done
  for workload in "${WORKLOADS[@]}"; do
    # shellcheck disable=SC2086  # name and options
    check "$directory" "$workload" "$pattern" env DLTAP_SIM_CLOCK=skip \
      "$@" "$directory"/tests/workloads/$workload
  done
}

# sanitizer_build DIRECTORY PRESET SANITIZERS
sanitizer_build() {
  mkdir -p "$1/sanitize"
  cmake --preset "$2" -DDLTAP_SANITIZE="$3" >"$1/sanitize/configure.log" ||
    exit 1
  build "$1"
}

./scripts/setup.sh || exit
[ $# -gt 0 ] || set -- asan tsan valgrind
for tool in "$@"; do
  case $tool in
    asan)
      sanitizer_build build-asan asan address,undefined
      # What lives as long as the process is never freed.
      ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 \
        run_all build-asan 'ERROR: AddressSanitizer|runtime error:'
      ;;
    tsan)
      sanitizer_build build-tsan tsan thread
      run_all build-tsan 'WARNING: ThreadSanitizer'
      ;;
    valgrind)
      mkdir -p build/sanitize
      cmake --preset release >build/sanitize/configure.log || exit 1
      build build
      run_all build '^==[0-9]+==' valgrind -q --leak-check=no
      ;;
    *)
      echo "usage: sanitize.sh [asan] [tsan] [valgrind]" >&2
      exit 2
      ;;
  esac
done
exit $failed
