#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# setup.sh [--cuda-root DIR] [--python EXE] [--no-packages] [--lint]
#          [--tests] [--frameworks] [--scoreboard] [--spark] [--cu12]
#
# Brings a Debian 12 machine to the point where the project builds and its
# tests run: Debian packages, CUDA 13.0 headers and nvcc, a Python environment
# with an unmodified PyTorch, and what bundles the report's page. Says what it
# does; silent when all is there.
#   --cuda-root DIR  use this CUDA toolkit; nothing of CUDA is downloaded
#   --python EXE     use this interpreter and its PyTorch; none is downloaded
#   --no-packages    do not look for Debian packages; they come from elsewhere
#   --lint           also install clang-format and clang-tidy
#   --tests          also what tests need: Python packages, which wheels need
#                    too, lintian, shells, Chromium for the report's page and,
#                    where npm is, DuckDB's library
#   --frameworks     also one Python environment for each framework of
#                    third_party/frameworks, for `test.sh --frameworks`
#   --scoreboard     also the models of scripts/score_steps.py: timm, torchvision
#                    and Transformers beside PyTorch
#   --spark          also Apache Spark and a Java that runs it, for the tests of
#                    scripts/spark_query.py
#   --cu12           also the headers of CUDA 12: not to build, but to make the
#                    lists of shim/specs/cu12 anew and to check them
# Tools are kept in ${DLTAP_TOOLS:-~/.cache/dltap}, each named after its lock
# file's hash, so that clones share them. They are made in a work folder and
# renamed when complete: what was interrupted never counts.
# The choice goes to build/toolchain.env, which the build reads.
#
# The parts in setup/ share its variables:
# shellcheck disable=SC2034,SC2154
set -euo pipefail
cd "$(dirname "$0")/.."
tools=${DLTAP_TOOLS:-$HOME/.cache/dltap}
cuda_root=
python=
generator_python=
with_packages=1
with_tests=
with_frameworks=
with_scoreboard=
with_spark=
tests_choice=()
with_cuda12=
cuda12_choice=()
frameworks=(triton jax cupy numba onnxruntime tensorflow mxnet torch-newest
  readers scoreboard spark)
packages=(g++ cmake ninja-build pkg-config python3 python3-venv binutils ccache
  libgtest-dev libgmock-dev libbenchmark-dev libabsl-dev libsimdjson-dev
  libzstd-dev zlib1g-dev libsqlite3-dev libcli11-dev libxxhash-dev
  libprotobuf-dev protobuf-compiler)

for part in workshop packages python cuda npm; do
  # shellcheck source=/dev/null
  source "scripts/setup/$part.sh"
done

parse_options() {
  while [ $# -gt 0 ]; do
    case $1 in
      --cuda-root) cuda_root=${2:?--cuda-root needs a folder}; shift ;;
      --python) python=${2:?--python needs an interpreter}; shift ;;
      --no-packages) with_packages= ;;
      --tests)
        with_tests=1
        packages+=(dpkg-dev lintian man-db zsh fish chromium) ;;
      # Triton compiles a module of Python's at run time.
      --frameworks) with_frameworks=1; packages+=(gcc python3-dev) ;;
      --scoreboard) with_scoreboard=1 ;;
      --spark) with_spark=1; packages+=(openjdk-17-jre-headless) ;;
      --cu12 | cu12) with_cuda12=1 ;;
      --lint) packages+=(clang-format-16 clang-tidy-16 shellcheck) ;;
      *) fail "unknown option $1; the head of scripts/setup.sh lists them" ;;
    esac
    shift
  done
}

# Left as it is when nothing changed, since the build depends on it.
write_choice() {
  mkdir -p build
  printf '%s\n' "DLTAP_PYTHON=$python" \
    "DLTAP_GENERATOR_PYTHON=$generator_python" \
    "DLTAP_CUDA_ROOT=$cuda_root" "${tests_choice[@]}" \
    "${framework_choice[@]}" \
    "${cuda12_choice[@]}" "${web_choice[@]}" >build/toolchain.env.new
  if cmp -s build/toolchain.env.new build/toolchain.env; then
    rm build/toolchain.env.new
  else
    mv build/toolchain.env.new build/toolchain.env
  fi
}

parse_options "$@"
mkdir -p "$tools" || fail "cannot make $tools; set DLTAP_TOOLS"
install_packages
check_compiler
choose_python
choose_cuda
choose_cuda12
choose_tests_python
choose_frameworks
choose_duckdb
choose_web
write_choice
