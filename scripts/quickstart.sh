#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# quickstart.sh [GPU]: sets up, builds, then trains ResNet-50 with unmodified
# PyTorch on a simulated GPU (default h100-sxm) and prints where its time goes.
# The trace stays in build/quickstart/.
set -euo pipefail
cd "$(dirname "$0")/.."
gpu=${1:-h100-sxm}
./scripts/build.sh --product

out=build/quickstart/resnet50-$gpu
rm -rf "$out"
mkdir -p build/quickstart
command=(build/bin/dltap run --gpu "sim:$gpu" -o "$out" --
  ./scripts/python tests/workloads/python/train_resnet.py
  --steps 20 --batch 64 --workers 2)
echo "quickstart: ${command[*]}" >&2
"${command[@]}"
