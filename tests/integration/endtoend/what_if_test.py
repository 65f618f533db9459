# SPDX-License-Identifier: Apache-2.0
"""Predicts a step with one class twice as fast, then simulates such a GPU."""

import json
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import chain  # noqa: E402

CLOCK = {"DLTAP_SIM_CLOCK": "virtual"}


def step_ns(document) -> float:
    return document["critical_path"]["step_ns"]


class WhatIfTest(unittest.TestCase):
    def check(self, program, layer_class: str, glob: str):
        """`glob` matches the names of all kernels of the class, no others."""
        with tempfile.TemporaryDirectory() as folder:
            before = pathlib.Path(folder, "before")
            after = pathlib.Path(folder, "after")
            factors = pathlib.Path(folder, "factors")
            factors.write_text(f"0.5 {glob}\n")
            chain.run_tapped(program.command, before, **CLOCK)
            chain.run_tapped(program.command, after, **CLOCK,
                             DLTAP_SIM_TIME_FACTORS=str(factors))
            predicted = json.loads(chain.dltap(
                "predict", "--faster", f"{layer_class}=2", "--json",
                before).stdout)
            measured = chain.report(before)
            simulated = step_ns(chain.report(after))
        self.assertTrue(predicted["what_if"]["trusted"])
        self.assertLess(simulated, 0.99 * step_ns(measured))
        row, = predicted["what_if"]["rows"]
        self.assertLess(abs(row["step_ns"] / simulated - 1), 0.03)
        rows = measured["critical_path"]["rows"]
        self.assertAlmostEqual(sum(row["step_ns"] for row in rows),
                               measured["steps"]["mean_ns"], delta=1000)

    # Its own attention is made of products, which are no GEMM.
    def test_transformer(self):
        self.check(chain.cpp("transformer", "--attention", "cudnn"), "gemm",
                   "*gemm*")

    def test_optimizer(self):
        self.check(chain.cpp("transformer"), "optimizer", "*adam*")

    def test_cnn(self):
        self.check(chain.cpp("cnn"), "norm", "*bn_*")

    def test_activation(self):
        self.check(chain.cpp("cnn"), "activation", "*relu*")


if __name__ == "__main__":
    unittest.main()
