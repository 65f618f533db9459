# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034,SC2154
# Sourced by setup.sh: what comes from an npm registry.

# Installs the packages of third_party/NAME into $work/NAME. Their scripts are
# not run: none needs its own.
install_locked() {  # NAME
  local log=$work/npm.log
  mkdir "$work/$1"
  cp third_party/"$1"/package{,-lock}.json "$work/$1"
  (cd "$work/$1" && npm ci --ignore-scripts --no-audit --no-fund \
    --cache "$work/npm") >"$log" 2>&1 || {
    tail -5 "$log" >&2
    fail "npm failed; is an npm registry reachable? (npm config get registry)"
  }
}

# Its library, which only npm has without the rest of a database.
choose_duckdb() {
  local folder
  folder=$tools/duckdb-$(key_of third_party/duckdb/package-lock.json)
  if [ -n "$with_tests$with_frameworks" ] && [ ! -d "$folder" ]; then
    has_npm || {
      say "note: no npm here; tests of data sets and Parquet will be skipped"
      return 0
    }
    enter_workshop
    need_space 200 "DuckDB"
    [ -d "$folder" ] || {
      install_locked duckdb
      mv "$work/duckdb/node_modules/@duckdb/node-bindings-linux-x64" "$folder"
    }
  fi
  [ ! -d "$folder" ] || framework_choice+=("DLTAP_DUCKDB_FOLDER=$folder")
}

# The page of `dltap report --html`.
choose_web() {
  local web
  web=$tools/web-$(key_of third_party/web/package-lock.json)
  web_choice=()
  if ! has_npm; then
    say "note: no npm here; this build's report has no page (--html)"
    return
  fi
  if [ ! -d "$web" ]; then
    say "fetching esbuild, Preact and TypeScript (20 MB to download)"
    enter_workshop
    # Another clone may have made it while we waited.
    [ -d "$web" ] || {
      install_locked web
      mv "$work/web" "$web"
    }
  fi
  web_choice=("DLTAP_NODE=$(command -v node)" "DLTAP_WEB_TOOLS=$web")
}
