#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# quickstart.sh [--built] [GPU]: sets up, builds, then trains ResNet-50 with
# unmodified PyTorch on a simulated GPU (default h100-sxm) and prints where its
# time goes. In virtual time, so that a busy machine prints the same numbers.
# The trace stays in build/quickstart/. --built: what is in build/ is used.
set -euo pipefail
cd "$(dirname "$0")/.."
if [ "${1:-}" = --built ]; then
  shift
else
  ./scripts/build.sh --product
fi
gpu=${1:-h100-sxm}

out=build/quickstart/resnet50-$gpu
rm -rf "$out"
mkdir -p build/quickstart
command=(build/bin/dltap run --gpu "sim:$gpu" --sim-clock virtual -o "$out" --
  ./scripts/python tests/workloads/python/train_resnet.py
  --steps 20 --batch 64 --workers 2)
echo "quickstart: ${command[*]}" >&2
"${command[@]}"
