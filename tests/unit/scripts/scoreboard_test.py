#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The scoreboard's figures and its division of rows, by hand.

    scoreboard_test.py
"""
import csv
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[3]
BOARD = ROOT / "scripts" / "scoreboard"
sys.path.insert(0, str(BOARD))
import errors  # noqa: E402
import pick_other_gpus  # noqa: E402
import pick_steps  # noqa: E402
import plot  # noqa: E402
import simulated  # noqa: E402


def rows_of(name):
    with open(BOARD / name, newline="", encoding="utf-8") as source:
        return list(csv.DictReader(source))


def truth():
    return rows_of("steps.csv")


class Figures(unittest.TestCase):
    def test_errors_are_relative_to_what_was_measured(self):
        pairs = [(110, 100), (80, 100), (150, 100)]
        got = errors.summary(pairs)
        self.assertAlmostEqual(got["median"], 20)
        self.assertAlmostEqual(got["bias"], 10)
        self.assertAlmostEqual(got["worst"], 50)
        self.assertEqual(got["rows"], 3)

    def test_a_plot_is_well_formed_and_has_every_row(self):
        rows = [(10.0, 20.0, {"split": "shown", "model": "a<b"}),
                (300.0, 200.0, {"split": "held_out", "model": "c"})]
        tree = xml.etree.ElementTree.fromstring(
            plot.svg(rows, lambda row: row["split"]))
        circles = [e for e in tree.iter() if e.tag.endswith("circle")]
        self.assertEqual(len(circles), 2)


# Answers as run_step.py does; `model` says how.
FAKE_PYTHON = '''\
#!/bin/sh
while read -r line; do
  case $line in
  *dies*) exit 1 ;;
  *sleeps*) sleep 60 ;;
  *) echo "{\\"step_ms\\": 1, \\"process\\": $$}" ;;
  esac
done
'''


class Runs(unittest.TestCase):
    def run_all(self, *models, timeout_s=60):
        with tempfile.TemporaryDirectory() as folder:
            python = pathlib.Path(folder) / "python"
            python.write_text(FAKE_PYTHON, encoding="utf-8")
            python.chmod(0o755)
            rows = [{"gpu": gpu, "model": model} for gpu, model in models]
            return [result for _, result in simulated.run_all(
                rows, python, folder, 1, timeout_s, lambda *_: None)]

    def test_rows_of_one_gpu_share_a_process_and_come_in_their_order(self):
        first, other, second = self.run_all(("t4", "a"), ("l4", "b"),
                                            ("t4", "c"))
        self.assertEqual(first["process"], second["process"])
        self.assertNotEqual(first["process"], other["process"])

    def test_a_process_that_dies_costs_one_row(self):
        dead, next_one = self.run_all(("t4", "dies"), ("t4", "a"))
        self.assertIn("no result", dead["error"])
        self.assertEqual(next_one["step_ms"], 1)

    def test_a_step_that_does_not_end_costs_its_time_limit(self):
        late, next_one = self.run_all(("t4", "sleeps"), ("t4", "a"),
                                      timeout_s=1)
        self.assertIn("no step within 1 s", late["error"])
        self.assertEqual(next_one["step_ms"], 1)


class Truth(unittest.TestCase):
    def test_a_model_is_on_one_side_only(self):
        for row in truth() + rows_of("other_gpus.csv"):
            self.assertEqual(row["split"], pick_steps.split_of(row["model"]))

    def test_both_sides_have_rows_and_each_has_its_source(self):
        rows = truth()
        sides = [row["split"] for row in rows]
        self.assertGreater(sides.count("held_out"), 0.2 * len(rows))
        self.assertGreater(sides.count("shown"), 0.5 * len(rows))
        self.assertTrue(all(row["source"] and row["licence"] and
                            float(row["step_ms"]) > 0 for row in rows))


    def test_other_gpus_are_many_and_on_both_sides(self):
        rows = rows_of("other_gpus.csv")
        self.assertGreaterEqual(len({row["gpu"] for row in rows}), 6)
        self.assertEqual({row["split"] for row in rows},
                         {"shown", "held_out"})

    def test_tensorflow_computes_half_precision_in_nhwc_on_tensor_cores(self):
        layouts = {(row["gpu"], row["precision"]): row["layout"]
                   for row in rows_of("other_gpus.csv")
                   if row["builder"] == "tf_cnn"}
        nhwc = {key for key, layout in layouts.items() if layout == "nhwc"}
        self.assertEqual(nhwc, {("rtx-3090", "fp16"), ("v100-sxm", "fp16")})

    def test_an_epoch_is_as_many_steps_as_its_samples_fill(self):
        row = {"network": "resnet50", "batch_size": "256",
               "time_per_epoch": "1281.167"}
        self.assertAlmostEqual(pick_other_gpus.from_zeus(row)["step_ms"], 256)

    def test_a_micro_batch_takes_its_tokens_by_the_rate(self):
        row = {"GPU": "a100_40gb", "MicroBatchSize": "2",
               "SeqLen (T)": "512", "MP Mode": "PURE", "Model": "1b",
               "Throughput (T/s/GPU)": "2048"}
        step = pick_other_gpus.from_mpt(row)
        self.assertEqual((step["step_ms"], step["gpu"], step["precision"]),
                         (500, "a100-40-sxm", "bf16"))


class OtherPredictors(unittest.TestCase):
    def test_their_csv_is_scored_beside_ours(self):
        rows = truth()[:2]
        with tempfile.TemporaryDirectory() as folder:
            paths = []
            for name, factor in (("ours", 1.1), ("theirs", 0.5)):
                path = pathlib.Path(folder) / f"{name}.csv"
                with open(path, "w", newline="", encoding="utf-8") as out:
                    writer = csv.DictWriter(out, [*rows[0], "modelled_ms"])
                    writer.writeheader()
                    for row in rows:
                        writer.writerow({**row, "modelled_ms": factor * float(
                            row["step_ms"])})
                paths.append(path)
            done = subprocess.run(
                [sys.executable, ROOT / "scripts" / "score_steps.py",
                 "--predicted", *paths], capture_output=True, text=True,
                check=True)
        ours, theirs = done.stdout.split("## theirs")
        self.assertIn("+10.0 %", ours)
        self.assertIn("-50.0 %", theirs)


if __name__ == "__main__":
    unittest.main()
