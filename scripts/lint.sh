#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# lint.sh [BASE] [--fix]: checks the files that changed since BASE (default: the
# merge base with main): clang-format, clang-tidy, sizes; and the whole tree for
# arrows and text rules. --fix lets clang-format rewrite the files.
# The tools come with `scripts/setup.sh --lint`.
set -uo pipefail
cd "$(dirname "$0")/.." || exit
base=
fix=
for argument in "$@"; do
  case $argument in
    --fix) fix=1 ;;
    *) base=$argument ;;
  esac
done
failed=0

base=${base:-$(git merge-base HEAD main 2>/dev/null)}
[ -n "$base" ] || { echo "lint: no branch main here; name a BASE" >&2; exit 2; }
git rev-parse --verify --quiet "$base^{commit}" >/dev/null ||
  { echo "lint: '$base' is no commit; name a BASE" >&2; exit 2; }
mapfile -t changed < <({
  git diff --name-only --diff-filter=d "$base"
  git ls-files --others --exclude-standard
} | sort -u | grep -v /golden/)

of_kind() { printf '%s\n' "${changed[@]}" | grep -E "$1" || true; }

for tool in clang-format-16 clang-tidy-16; do
  command -v "$tool" >/dev/null ||
    { echo "lint: no $tool; run scripts/setup.sh --lint" >&2; exit 2; }
done

mapfile -t sources < <(of_kind '\.(h|cc|c|cu)$')
if [ ${#sources[@]} -gt 0 ]; then
  if [ -n "$fix" ]; then
    clang-format-16 -i "${sources[@]}"
  else
    clang-format-16 --dry-run -Werror "${sources[@]}" || failed=1
  fi
fi

# Only files that the build compiles can be analysed; .cu files are nvcc's. The
# flags that only g++ knows are taken out.
mapfile -t units < <(of_kind '\.cc$' | while read -r file; do
  grep -qsF "/$file\"" build/compile_commands.json && echo "$file"
done)
if [ ${#units[@]} -gt 0 ]; then
  mkdir -p build/lint
  sed -E 's/ (-fno-gnu-unique|-Wno-restrict)//g' build/compile_commands.json \
    >build/lint/compile_commands.json
  printf '%s\n' "${units[@]}" |
    xargs -P "$(nproc)" -n 1 clang-tidy-16 -p build/lint --quiet || failed=1
fi

if [ ${#changed[@]} -gt 0 ]; then
  python3 scripts/check_sizes.py "${changed[@]}" || failed=1
fi
python3 scripts/check_arrows.py || failed=1
python3 scripts/check_text.py || failed=1
python3 scripts/check_numbers.py || failed=1

mapfile -t shell < <(of_kind '(\.sh|scripts/python|\.ci/run)$')
if [ ${#shell[@]} -gt 0 ] && command -v shellcheck >/dev/null; then
  shellcheck -x "${shell[@]}" || failed=1
fi

[ "$failed" = 0 ] && echo "lint: ${#changed[@]} changed files are clean"
exit "$failed"
