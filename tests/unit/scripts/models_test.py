#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The page of models says what its rows say, either way."""
import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "scripts"))
import tabulate_models  # noqa: E402
from model_table import observations as checks  # noqa: E402
from model_table.page import page  # noqa: E402
from model_table.workloads import GPUS  # noqa: E402


def row(model="Net", kind="CNN", gpu=GPUS[0], batch=8, sweep=0, **values):
    base = {"step_ms": 10.0, "per_s": 800.0, "gpu_busy": 0.9,
            "cpu_dependency": 0.0, "of_peak": 0.4, "unit": "images",
            "shares": "conv=0.5 gemm=0.3", "long_and_low": "",
            "weights_mib": 10.0, "gradients_mib": 10.0,
            "feature_maps_mib": 60.0, "workspace_mib": 10.0,
            "dynamic_mib": 10.0, "held_mib": 200.0}
    return {**base, "model": model, "kind": kind, "gpu": gpu, "batch": batch,
            "sweep": sweep, **values}


def sweep(kind, *per_s, model="Net", **values):
    """Batches 1, 2, 4, ... with these throughputs."""
    return [row(model, kind, batch=2 ** i, sweep=1, per_s=value, **values)
            for i, value in enumerate(per_s)]


class ObservationsTest(unittest.TestCase):
    def expect(self, check, wanted, rows):
        self.assertEqual(check(rows)[0], wanted, check(rows)[1])

    def test_throughput_has_to_rise_for_each_model(self):
        check = checks.throughput_rises_with_the_batch
        self.expect(check, True, sweep("CNN", 1.0, 1.5, 1.6))
        self.expect(check, False, sweep("CNN", 1.0, 1.5) +
                    sweep("RNN", 2.0, 1.9, model="Other"))

    def test_saturation_is_the_growth_by_the_last_doubling(self):
        check = checks.rnns_are_not_saturated
        self.expect(check, True, sweep("RNN", 1.0, 1.9, 3.5))
        self.expect(check, False, sweep("RNN", 1.0, 1.9, 2.0))
        self.expect(check, True, sweep("RNN", 1.0, 1.9) +
                    sweep("CNN", 1.0, 1.0, model="Other"))
        self.expect(checks.full_memory_may_not_pay, True,
                    sweep("CNN", 1.0, 1.9, 2.0))
        self.expect(checks.full_memory_may_not_pay, False,
                    sweep("CNN", 1.0, 1.9, 3.5))

    def test_rnns_are_compared_with_cnns_on_the_first_gpu(self):
        low = row("Lstm", "RNN", gpu_busy=0.5, of_peak=0.1)
        high = row("Lstm", "RNN", gpu_busy=0.9, of_peak=0.3)
        for check in (checks.rnns_use_the_gpu_less, checks.rnns_use_fp32_less):
            self.expect(check, True, [row(), low])
            self.expect(check, False, [row(), high])

    def test_faster_gpu_has_to_be_used_less_in_both_ways(self):
        check = checks.faster_gpus_are_used_less
        fast = {"gpu": "titan-xp", "gpu_busy": 0.8, "of_peak": 0.3}
        self.expect(check, True, [row(), row(**fast)])
        self.expect(check, False, [row(), row(**{**fast, "of_peak": 0.5})])

    def test_owners_of_memory_count_where_enough_of_it_is_known(self):
        check = checks.feature_maps_dominate_memory
        self.expect(check, True, [row()])
        self.expect(check, False, [row(feature_maps_mib=5.0, held_mib=50.0)])
        self.expect(check, None, [row(held_mib=2000.0)])
        self.expect(check, None, [row(), row("Other", held_mib=2000.0)])

    def test_each_cnn_needs_a_long_and_low_kernel(self):
        check = checks.long_kernels_with_low_use
        self.expect(check, True, [row(long_and_low="norm")])
        self.expect(check, False,
                    [row(long_and_low="norm"), row("Other")])


class PageTest(unittest.TestCase):
    def test_rows_of_a_sweep_are_in_no_table(self):
        text = page([row("Shown", gpu=gpu) for gpu in GPUS] +
                    [row("Shown", batch=999, sweep=1)])
        self.assertIn("| Shown | 8 | images |", text)
        self.assertNotIn("| 999 |", text)
        self.assertIn("CONV 50, GEMM 30", text)

    def test_runs_that_are_missing_decide_nothing(self):
        self.assertNotIn("holds here", page([row()]))

    def test_page_is_what_the_rows_beside_it_make(self):
        docs = ROOT / "docs"
        rows = tabulate_models.read_rows(docs / "models.csv")
        self.assertTrue(rows)
        self.assertEqual((docs / "models.md").read_text(encoding="utf-8"),
                         page(rows))


if __name__ == "__main__":
    unittest.main()
