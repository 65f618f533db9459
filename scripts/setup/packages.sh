# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034,SC2154
# Sourced by setup.sh: Debian's packages, and what must be there without them.

has_npm() { command -v node >/dev/null && command -v npm >/dev/null; }

install_packages() {
  [ -n "$with_packages" ] || return 0
  command -v dpkg-query >/dev/null ||
    fail "this is no Debian: install ${packages[*]} or what corresponds to" \
      "them, then use --no-packages"
  has_npm || packages+=(nodejs npm)
  local missing=() package
  for package in "${packages[@]}"; do
    dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null |
      grep -qx installed || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  say "installing Debian packages: ${missing[*]}"
  local as_root=()
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null ||
      fail "not root and no sudo: have somebody install: ${missing[*]}"
    as_root=(sudo)
  fi
  local log=$tools/apt.log
  { "${as_root[@]}" apt-get update -qq &&
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
      --no-install-recommends "${missing[@]}"; } >"$log" 2>&1 ||
    { tail -3 "$log" >&2; fail "apt-get failed, see $log"; }
}

check_compiler() {
  local major
  major=$(g++ -dumpversion 2>/dev/null | cut -d. -f1) ||
    fail "no g++ found; it must be version 12 or newer"
  [ "${major:-0}" -ge 12 ] || fail "g++ is version ${major:-?}; 12 is needed"
}
