#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# acceptance.sh [OPTIONS] OUT: runs user programs bare and under dltap on this
# machine's GPU, checks what README.md lists, and writes OUT/acceptance.json.
#   --build DIR    a finished build (default: build/ of this tree; built with
#                  scripts/build.sh when it is not there)
#   --python EXE   interpreter with torch (default: that of scripts/setup.sh,
#                  else python3); without torch its programs are left out
#   --gpu GPU      real (default) or sim:NAME
#   --quick        fewer steps and rounds
# Exit code: 0 all checks hold, 1 one does not, 2 the run itself failed.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
build=$root/build
python=
rest=()
while [ $# -gt 0 ]; do
  case $1 in
    --build) build=$(cd "$2" && pwd); shift 2 ;;
    --python) python=$2; shift 2 ;;
    -h | --help) sed -n '3,13s/^# \{0,1\}//p' "$0"; exit 0 ;;
    *) rest+=("$1"); shift ;;
  esac
done

if [ ! -x "$build/bin/dltap" ]; then
  echo "acceptance: no build in $build, building" >&2
  timeout 1800 "$root/scripts/build.sh" || exit 2
fi
if [ -z "$python" ]; then
  python=python3
  if [ -f "$build/toolchain.env" ]; then
    # shellcheck source=/dev/null
    . "$build/toolchain.env"
    if [ -x "$DLTAP_PYTHON" ]; then python=$DLTAP_PYTHON; fi
  fi
fi
command -v "$python" >/dev/null || {
  echo "acceptance: no interpreter $python; give one by --python" >&2
  exit 2
}
export DLTAP_TEST_BUILD=$build
exec "$python" -B "$here/acceptance.py" "${rest[@]}"
