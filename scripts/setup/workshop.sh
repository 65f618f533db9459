# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034,SC2154
# Sourced by setup.sh: what it says, and the folder in which tools are made.

say() { printf 'setup: %s\n' "$*" >&2; }
fail() { printf 'setup: error: %s\n' "$*" >&2; exit 1; }

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
