#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""With plausible values a detector's second stage runs.

    detector_test.py BUILD

torchvision's Faster R-CNN in evaluation, twice: by zeroes no proposal is left,
by plausible numbers the box head classifies some. Skipped (77) without the
environment of `setup.sh --scoreboard`.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "scripts" / "scoreboard")]
import simulated  # noqa: E402
import toolchain  # noqa: E402

PROGRAM = """\
import torch
from torchvision.models import detection
torch.manual_seed(0)
model = detection.fasterrcnn_resnet50_fpn(
    weights=None, weights_backbone=None, num_classes=21).cuda().eval()
rows = []
model.roi_heads.box_head.register_forward_hook(
    lambda module, inputs, output: rows.append(output.shape[0]))
with torch.no_grad():
    found = model([torch.rand(3, 320, 320, device="cuda")])[0]
assert found["labels"].numel() == 0 or 0 < int(found["labels"].min())
assert found["labels"].numel() == 0 or int(found["labels"].max()) < 21
print(rows[0], found["boxes"].shape[0])
"""


def run(python, build, values):
    """(proposals that the box head got, boxes found, its products)."""
    with tempfile.TemporaryDirectory() as folder:
        launches = pathlib.Path(folder) / "launches"
        environment = simulated.environment(build / "simgpu" / "cu13",
                                            "h100-sxm")
        done = subprocess.run(
            [python, "-c", PROGRAM], check=True, capture_output=True, text=True,
            env={**os.environ, **environment, "DLTAP_SIM_VALUES": values,
                 "DLTAP_SIM_LAUNCHES": str(launches)})
        kernels = launches.read_text()
    return (*map(int, done.stdout.split()), kernels.count("roi_align"))


def main():
    python = toolchain.chosen("DLTAP_SCOREBOARD_PYTHON")
    if python is None:
        print("skipped: no environment; scripts/setup.sh --scoreboard")
        return 77
    build = pathlib.Path(sys.argv[1])
    proposals, boxes, pooled = run(python, build, "zero")
    assert proposals == 0 and boxes == 0 and pooled == 0, (proposals, pooled)
    proposals, boxes, pooled = run(python, build, "plausible")
    assert proposals > 10 and pooled > 0, (proposals, boxes, pooled)
    print(f"{proposals} proposals, {boxes} boxes, {pooled} poolings")
    return 0


if __name__ == "__main__":
    sys.exit(main())
