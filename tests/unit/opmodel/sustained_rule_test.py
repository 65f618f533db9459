#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The rule for GPUs that nobody measured: each GPU from the others alone."""

import copy
import os
import sys
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), *[".."] * 3)
sys.path.insert(0, os.path.join(ROOT, "opmodel", "calibration"))
import sustained_rule  # noqa: E402


def board(watts, nm, power_ratio, basis="published"):
    return {"vendor": "NVIDIA", "compute_major": "7", "compute_minor": "5",
            "memory_type": "GDDR6", "bandwidth_gb_per_s": "500",
            "tdp_watts": str(watts), "process_nm": str(nm),
            "fp32_tflops": "10", "kernel_fp32_ratio": "0.9",
            "kernel_fp32_basis": "published",
            "power_fp32_ratio": str(power_ratio), "power_fp32_basis": basis,
            "sustained_bandwidth_ratio": "0.8", "bandwidth_basis": "published"}


class SustainedRuleTest(unittest.TestCase):

    def setUp(self):
        self.table = sustained_rule.load()

    def test_cells_by_the_rule_are_what_the_rule_says(self):
        for name, gpu in self.table.items():
            rule = sustained_rule.ratios_by_rule(self.table, name)
            for column, basis in sustained_rule.COLUMNS.items():
                if gpu[basis] == "rule":
                    self.assertEqual(float(gpu[column]), rule[column],
                                     f"{name} {column}: run "
                                     "opmodel/calibration/sustained_rule.py --write")

    def test_energy_grows_as_the_fitted_power_of_the_node(self):
        # 30 W go to 500 GB/s of memory; 1 pJ x nm per FLOP, so that 40 W at
        # 8 nm are 5 TFLOP/s and 80 W at 16 nm as well.
        table = {"a": board(70, 8, 0.5), "b": board(110, 16, 0.5),
                 "c": board(150, 12, 9, "rule")}
        joules, exponent = sustained_rule.fit_energy(table)
        self.assertAlmostEqual(joules, 1e-12)
        self.assertAlmostEqual(exponent, 1)
        # 120 W at 12 nm: 10 TFLOP/s, all of the peak.
        self.assertAlmostEqual(sustained_rule.power_ratio(table, "c"), 1)

    def test_own_measurement_does_not_count(self):
        changed = copy.deepcopy(self.table)
        for column in sustained_rule.COLUMNS:
            changed["t4"][column] = "0.1"
        self.assertEqual(sustained_rule.ratios_by_rule(self.table, "t4"),
                         sustained_rule.ratios_by_rule(changed, "t4"))
        self.assertNotEqual(sustained_rule.ratios_by_rule(self.table, "p4"),
                            sustained_rule.ratios_by_rule(changed, "p4"))

    def test_medians_are_over_the_own_class(self):
        names = ("m40", "titan-x-maxwell", "rtx-4090", "rtx-5090",
                 "a100-80-pcie", "h100-sxm", "rtx-2070", "t4", "l4")
        table = {name: self.table[name] for name in names}
        kernel = lambda name: sustained_rule.median_of_peers(
            table, name, "kernel_fp32_ratio",
            sustained_rule.share_kernel_class)
        bandwidth = lambda name: sustained_rule.median_of_peers(
            table, name, "sustained_bandwidth_ratio",
            sustained_rule.share_memory_class)
        self.assertEqual(kernel("m40"), 0.73)
        self.assertEqual(kernel("rtx-4090"), 0.669)
        self.assertIsNone(kernel("h100-sxm"))
        self.assertEqual(bandwidth("a100-80-pcie"), 0.9)
        self.assertEqual(bandwidth("t4"), 0.78)
        self.assertEqual(bandwidth("rtx-5090"), 0.855)

    def test_amd_has_no_power_rule(self):
        self.assertIsNone(sustained_rule.ratios_by_rule(
            self.table, "mi300x")["power_fp32_ratio"])


if __name__ == "__main__":
    unittest.main()
