#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The models of the table are those of their papers, and the table is made."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
BUILD = pathlib.Path(os.environ["DLTAP_TEST_BUILD"])
sys.path.insert(0, str(ROOT / "scripts"))
sys.path.insert(0, str(pathlib.Path(__file__).parent))
import chain  # noqa: E402
import tabulate_models  # noqa: E402

# As torchvision's documentation gives them (AlexNet, VGG-16, Inception v3).
PARAMETERS = {"alexnet": 61_100_840, "vgg16": 138_357_544,
              "inception_v3": 27_161_264}
COUNT = """
import json
from convnets import NETS
print(json.dumps({name: sum(p.numel() for p in make().parameters())
                  for name, (make, _) in NETS.items()}))
"""


@chain.needs_torch
class ModelsTest(unittest.TestCase):
    def test_networks_have_the_parameters_of_the_published_ones(self):
        libraries = BUILD / "simgpu/cu13"
        run = subprocess.run(
            [sys.executable, "-c", COUNT], check=True, capture_output=True,
            cwd=ROOT / "tests/workloads/python",
            env={**os.environ, "LD_LIBRARY_PATH": str(libraries)})
        counts = json.loads(run.stdout)
        self.assertEqual({name: counts[name] for name in PARAMETERS},
                         PARAMETERS)

    def test_script_makes_rows_and_a_page(self):
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, ROOT / "scripts/tabulate_models.py",
                       "--models", "NMT", "--gpus", "v100-sxm",
                       "--python", sys.executable,
                       "--dltap", BUILD / "bin/dltap", "--out", folder]
            subprocess.run(command, check=True, capture_output=True)
            rows = tabulate_models.read_rows(pathlib.Path(folder, "models.csv"))
            page = pathlib.Path(folder, "models.md").read_text()
            again = subprocess.run(command, check=True, capture_output=True)
        self.assertEqual(len(rows), 1)
        shares = dict(pair.split("=") for pair in rows[0]["shares"].split())
        self.assertEqual(max(shares, key=lambda name: float(shares[name])),
                         "rnn")
        self.assertGreater(rows[0]["classified"], 0.98)
        self.assertEqual(rows[0]["steps_used"], 5)
        self.assertIn("| NMT | v100-sxm |", page)
        self.assertEqual(again.stdout, b"")  # what is there is not run again


if __name__ == "__main__":
    unittest.main()
