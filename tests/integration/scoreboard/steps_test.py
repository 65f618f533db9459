#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The scoreboard runs a few configurations and meets what was measured.

    steps_test.py BUILD

One of each kind that the model had wrong by more than a factor of two: a
convolutional net in both layouts, depthwise filters; and a net whose published
batch fits only if its group norms are in half precision. Skipped (77) without
the environment of `setup.sh --scoreboard`.
"""
import csv
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "scripts"))
import toolchain  # noqa: E402

# All shown. Half again as long is far outside of today's errors.
CHOSEN = ("^(resnet50|convnext_tiny|xception) train .* timm$"
          "|^resnetv2_50x1_bitm infer ")
MOST_RATIO = 1.5


def main():
    if toolchain.chosen("DLTAP_SCOREBOARD_PYTHON") is None:
        print("skipped: no environment; scripts/setup.sh --scoreboard")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "out.csv"
        subprocess.run([sys.executable, ROOT / "scripts" / "score_steps.py",
                        "--only", CHOSEN, "--out", out, "--plot",
                        out.with_suffix(".svg"), "--libraries",
                        pathlib.Path(sys.argv[1]) / "simgpu" / "cu13"],
                       check=True)
        with open(out, newline="", encoding="utf-8") as source:
            rows = list(csv.DictReader(source))
    assert len(rows) == 7, len(rows)
    for row in rows:
        assert not row["error"], row
        ratio = float(row["modelled_ms"]) / float(row["step_ms"])
        assert 1 / MOST_RATIO < ratio < MOST_RATIO, (row, ratio)
    return 0


if __name__ == "__main__":
    sys.exit(main())
