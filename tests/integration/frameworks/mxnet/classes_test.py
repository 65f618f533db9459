# SPDX-License-Identifier: Apache-2.0
"""Does the report say the same of a net in MXNet as of its twin in PyTorch?

Usage: classes_test.py MXNET-PYTHON TORCH-PYTHON

Runs each net of training.py, and its twin of twins.py, on a simulated T4. All
of MXNet's steps must be found, less than 2 % of its time may have no class, and
each class takes as much time as in PyTorch, within 3 % of the whole step, but
for what EXPLAINED says. Skipped where one of the interpreters is `-`.
"""

import csv
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

FOLDER = pathlib.Path(__file__).resolve().parent
BUILD = pathlib.Path(os.environ.get("DLTAP_TEST_BUILD", "build"))
DLTAP = BUILD / "bin" / "dltap"
STEPS = 8
SKIPPED = 77
NETS = ("cnn", "hybridized", "resnet50", "lstm", "translator", "speech")
CLEARED = "PyTorch clears the gradient that its pooling adds to"
FUSED = "one kernel adds and applies ReLU, where PyTorch has two"
# Class, by net: why MXNet's time is another one. Each must differ.
EXPLAINED = {
    ("cnn", "ELEMENTWISE"): CLEARED,
    ("hybridized", "ELEMENTWISE"): CLEARED,
    ("resnet50", "ELEMENTWISE"): FUSED,
    ("resnet50", "ACTIVATION"): FUSED,
    ("lstm", "SOFTMAX"): "PyTorch's gradient reads long rows twice",
    ("lstm", "ELEMENTWISE"): "it clears gradients before each use",
    ("translator", "ELEMENTWISE"): "it clears gradients before each use",
}


def record(python, script, net, trace):
    subprocess.run(
        [DLTAP, "run", "--gpu", "sim:t4", "--sim-clock", "virtual",
         "--no-report", "-o", trace, "--", python, "-B", FOLDER / script, net,
         str(STEPS)], check=True, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL)


def report(trace, *options):
    """Without regrouping: an unfolded cell is found by how a framework writes
    it, and here the frameworks are compared."""
    return subprocess.run([DLTAP, "report", trace, "--no-composite", *options],
                          check=True, capture_output=True, text=True).stdout


def classes(trace):
    rows = csv.DictReader(report(trace, "--csv", "--wide").splitlines())
    return {row["class"]: float(row["gpu_ms"]) for row in rows
            if row["class"] != "total"}


class ClassesTest(unittest.TestCase):
    def check(self, net):
        with tempfile.TemporaryDirectory() as folder:
            ours, theirs = folder + "/mxnet", folder + "/torch"
            record(MXNET, "training.py", net, ours)
            record(TORCH, "twins.py", net, theirs)
            text = report(ours)
            self.assertIn(f"\n{STEPS} steps, {STEPS - 1} used", text)
            self.assertIn("trust: 0 records lost", text)
            self.compare(net, classes(ours), classes(theirs))

    def compare(self, net, ours, theirs):
        whole = max(sum(ours.values()), sum(theirs.values()))
        self.assertLess(ours.get("UNATTRIBUTED", 0), 0.02 * whole)
        for name in sorted(ours.keys() | theirs.keys()):
            a, b = ours.get(name, 0), theirs.get(name, 0)
            points = 100 * (a - b) / whole
            print(f"{net:10} {name:12} {a:8.3f} ms {b:8.3f} ms {points:+5.1f}")
            if (net, name) in EXPLAINED:
                self.assertGreater(abs(points), 3, (net, name, "is alike"))
            else:
                self.assertLessEqual(abs(points), 3, (net, name, a, b))


for _net in NETS:
    setattr(ClassesTest, f"test_{_net}",
            lambda self, net=_net: self.check(net))

if __name__ == "__main__":
    MXNET, TORCH = sys.argv[1:3]
    if "-" in (MXNET, TORCH) or not TORCH:
        print("skipped: no Python with mxnet, or none with torch")
        sys.exit(SKIPPED)
    unittest.main(argv=sys.argv[:1])
