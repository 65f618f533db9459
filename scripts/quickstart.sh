#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# quickstart.sh [GPU]: sets up, builds, then trains ResNet-50 with unmodified
# PyTorch on a simulated GPU (default h100-sxm) and prints where its time goes.
set -euo pipefail
cd "$(dirname "$0")/.."
gpu=${1:-h100-sxm}
./scripts/build.sh
out=$(mktemp -d)/resnet50
echo "quickstart: build/bin/dltap run --gpu sim:$gpu -o $out -- python train_resnet.py" >&2
build/bin/dltap run --no-report --gpu "sim:$gpu" -o "$out" -- \
  ./scripts/python tests/workloads/python/train_resnet.py --steps 12 --batch 32
build/bin/dltap report "$out"
