#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""dltap diff on traces written here, and on real ones if they are there.

usage: diff_test.py DLTAP SCHEMA [TRACES]
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import report_schema  # noqa: E402

DLTAP, SCHEMA = sys.argv[1:3]
TRACES = pathlib.Path(sys.argv[3]) if len(sys.argv) > 3 else None
GEMM = "cublasSgemm_v2 m=512 n=512 k=512"


def trace(*, gemms=3, gemm_us=60, pause_us=30, syncs=0, steps=12,
          jitter=(0,), gpu="NVIDIA H100 80GB HBM3", kernel="sgemm_64x64_nn",
          level="kernels", marks=True) -> str:
    lines = ["format dltap", "process pid=7 program=train", f"level {level}",
             f'device 0 name="{gpu}"', "thread 0 tid=1 name=python"]
    at = corr = 0
    for step in range(steps):
        first = at
        for _ in range(gemms):
            corr += 1
            end = at + 5 + gemm_us + jitter[step % len(jitter)]
            lines += [f"call t={at}..{at + 2}us thread=0 {GEMM}",
                      f"launchapi t={at}..{at + 1}us thread=0 corr={corr} "
                      f"ext={at}us",
                      f"kernel t={at + 5}..{end}us device=0 stream=7 "
                      f"corr={corr} name={kernel}"]
            at = end + 5
        for _ in range(syncs):
            lines.append(f"call t={at}..{at + 3}us thread=0 "
                         "cudaStreamSynchronize")
            at += 4
        at += pause_us
        if marks:
            lines.append(f"range t={first}..{at}us thread=0 kind=nvtx "
                         f'name="step {step}"')
    return "\n".join(lines) + "\n"


class DiffTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name: str, text: str) -> str:
        path = self.folder / name
        path.write_text(text)
        return str(path)

    def diff(self, *arguments: str, code=0):
        done = subprocess.run([DLTAP, "diff", *arguments], text=True,
                              capture_output=True)
        self.assertEqual(done.returncode, code, done.stderr + done.stdout)
        return done

    def document(self, *arguments: str, code=0) -> dict:
        done = self.diff("--json", "-", *arguments, code=code)
        document = json.loads(done.stdout)
        schema = json.loads(pathlib.Path(SCHEMA).read_text())
        report_schema.check(document, schema, where="diff")
        return document

    def test_two_documents_do_not_share_one_stream(self):
        done = self.diff("--json", "-", "--markdown", "-", *self.pair(),
                         code=2)
        self.assertEqual(done.stdout, "")
        self.assertIn("both want stdout", done.stderr)

    def pair(self, **changes) -> tuple[str, str]:
        return (self.write("base", trace()),
                self.write("new", trace(**changes)))

    def report(self, path: str) -> dict:
        done = subprocess.run([DLTAP, "report", "--json", path], text=True,
                              capture_output=True, check=True)
        return json.loads(done.stdout)

    def check_against_reports(self, base: str, new: str, *options: str):
        """The parts are the change of the step, and that is the reports'."""
        document = self.document(base, new, *options)
        of_base, of_new = self.report(base), self.report(new)
        change = document["step_ns"]["change"]
        if document["per"] == "step":
            expected = of_new["steps"]["mean_ns"] - of_base["steps"]["mean_ns"]
            self.assertAlmostEqual(change, expected, delta=1e-3)
        parts = sum(part["ns"]["change"] for part in document["parts"])
        self.assertAlmostEqual(parts + document["unexplained_ns"], change,
                               delta=1)
        classes = [{row["class"]: row["step_mean"]["gpu_ns"]
                    for row in of["classes"]} for of in (of_base, of_new)]
        for row in document["by"]["class"]:
            expected = (classes[1].get(row["class"], 0) -
                        classes[0].get(row["class"], 0))
            self.assertAlmostEqual(row["ns"]["change"], expected, delta=1e-3)
        for name, ns in of_new["program"]["step_mean"]["phases"].items():
            row = next(row for row in document["by"]["phase"]
                       if row["name"] + "_ns" == name)
            self.assertAlmostEqual(row["ns"]["new"], ns, delta=1e-3)
        return document

    def test_a_trace_does_not_differ_from_itself(self):
        base = self.write("base", trace(jitter=(0, 3, 1)))
        document = self.document(base, base)
        self.assertIn("no change: step", document["sentence"])
        for row in document["quantities"] + [document["step_ns"]]:
            self.assertIn(row["change"], (0, None))
        for rows in document["by"].values():
            for row in rows:
                self.assertEqual((row["ns"]["change"], row["count"]["change"],
                                  row["presence"]), (0, 0, "both"), row)

    def test_one_sync_more_is_named(self):
        document = self.check_against_reports(*self.pair(syncs=1))
        self.assertIn("1 more sync", document["sentence"])

    def test_one_product_more_is_named(self):
        document = self.check_against_reports(*self.pair(gemms=4))
        self.assertIn("1 more kernel", document["sentence"])
        self.assertIn(": GEMM", document["sentence"])

    def test_another_kernel_is_new_and_the_old_one_gone(self):
        document = self.document(*self.pair(kernel="hgemm_128x128"))
        self.assertEqual({row["name"]: row["presence"]
                          for row in document["by"]["kernel"]},
                         {"hgemm_128x128": "new", "sgemm_64x64_nn": "gone"})

    def test_kernels_without_times_are_not_compared(self):
        base, new = self.pair(gemm_us=0)
        self.assertIn("of the kernels in BASE: yes, in NEW: no",
                      self.diff(base, new, code=3).stderr)
        for first, second in ((base, new), (new, base), (new, new)):
            document = self.document("--force", first, second)
            self.assertIn("no_times", [each["id"] for each
                                       in document["not_comparable"]])
            self.assertIn("kernels have no times", document["sentence"])

    def test_noise_is_called_noise(self):
        base = self.write("base", trace(jitter=(0, 9, 2, 7, 1)))
        new = self.write("new", trace(jitter=(8, 0, 3, 9, 1), steps=13))
        document = self.document(base, new)
        self.assertIn("within noise", document["sentence"])
        self.diff("--fail-on", "step_ms>0.1%", base, new)

    def test_exit_codes_of_rules(self):
        base, new = self.pair(syncs=1, gemm_us=90)
        for code, *rules in ((0, "step_ms>90%"), (1, "step_ms>3%"),
                             (1, "syncs>0"), (0, "launches>0"),
                             (1, "launches>0", "class.gemm.gpu_ms>5%"),
                             (1, "trust.flops_known<101%"),
                             (3, "peak_memory>2%"), (2, "stepms>3%")):
            options = [word for rule in rules for word in ("--fail-on", rule)]
            with self.subTest(rules):
                self.diff(*options, base, new, code=code)
        self.diff("--force", "--fail-on", "peak_memory>2%", base, new)
        typo = self.diff("--fail-on", "stepms>3%", base, new, code=2)
        self.assertIn("did you mean step_ms?", typo.stderr)
        self.diff("--fail-on", "syncs>0", new, base)

    def test_what_is_not_comparable_is_refused_and_named(self):
        base, new = self.pair(level="host")
        refused = self.diff(base, new, code=3)
        self.assertIn("other levels", refused.stderr)
        self.assertEqual(refused.stdout, "")
        forced = self.diff("--force", base, new).stdout.splitlines()
        self.assertIn("not comparable: other levels", forced[1])
        base, new = self.pair()
        self.diff("--min-steps", "100", base, new, code=3)
        self.diff(base, str(self.folder / "missing"), code=3)

    def test_another_gpu_is_said_and_bars_only_rules(self):
        base, new = self.pair(gpu="NVIDIA A100")
        lines = self.diff(base, new).stdout.splitlines()
        self.assertIn("differs: other GPUs", lines[1])
        document = self.document(base, new)
        self.assertEqual(document["not_comparable"], [])
        self.assertEqual([(each["id"], each["bars_rules"])
                          for each in document["unlike"]], [("gpu", True)])
        rule = ("--fail-on", "step_ms>3%")
        refused = self.diff(*rule, base, new, code=3)
        self.assertIn("not comparable by --fail-on: other GPUs",
                      refused.stderr)
        self.diff("--force", *rule, base, new)

    def test_a_step_is_not_compared_with_a_part_of_one(self):
        # Without marks, each product is what repeats.
        base, new = self.pair(marks=False)
        self.assertIn("steps were told by marks against by what repeats",
                      self.diff(base, new, code=3).stderr)
        forced = self.document("--force", base, new)["not_comparable"]
        self.assertEqual([each["id"] for each in forced], ["step_unit"])
        self.diff("--window", "all", base, new)

    def test_all_faces_have_the_same_numbers(self):
        base = self.write("base", trace(jitter=(0, 3, 1)))
        new = self.write("new", trace(gemms=4, syncs=2, jitter=(1, 0, 4)))
        rule = ("--fail-on", "step_ms>3%", "--fail-on", "launches>0")
        text = self.diff(*rule, base, new, code=1).stdout
        markdown = self.diff("--markdown", "-", *rule, base, new, code=1).stdout
        document = self.document(*rule, base, new, code=1)
        self.assertEqual(text.splitlines()[0], document["sentence"])
        plain = re.sub(r"\\(.)", r"\1", markdown).replace("&gt;", ">")
        self.assertIn(document["sentence"], plain.splitlines()[0])
        cells = {tuple(cell.strip() for cell in line.strip("|").split("|"))
                 for line in plain.splitlines() if line.startswith("|")}
        shown = 0
        for row in document["quantities"] + document["rules"]:
            name = row.get("rule", row.get("name"))
            lines = [line.split() for line in text.splitlines()
                     if line.startswith(name + " ")]
            if not lines:
                continue
            shown += 1
            wanted = [self.face(row, key) for key in ("base", "new", "change")]
            self.assertIn([name, *wanted], [line[:4] for line in lines])
            self.assertIn((name, *wanted), {cell[:4] for cell in cells})
        self.assertGreater(shown, 10)

    @staticmethod
    def face(row: dict, key: str) -> str:
        value = row[key]
        if value is None:
            return "?"
        unit = row.get("unit", "ms" if row.get("quantity") == "step_ms" else
                       "count")
        if unit == "share":
            value *= 100
        digits = {"ms": 2, "bytes": 0, "share": 1,
                  "count": 0 if value == round(value) else 1}[unit]
        sign = "+" if key == "change" and round(value, digits) > 0 else ""
        return f"{sign}{value:,.{digits}f}"

    def test_without_steps_runs_are_compared_and_that_is_said(self):
        base = self.write("base", trace(steps=1))
        new = self.write("new", trace(steps=1, gemm_us=90))
        document = self.check_against_reports(base, new)
        if document["per"] == "run":
            self.assertIn("too few steps", document["sentence"])

    def test_real_traces_of_other_programs_add_up_too(self):
        if TRACES is None or not TRACES.is_dir():
            self.skipTest("no traces")
        names = ["kineto_h100_bert_small.json.gz", "kineto_alexnet.json.gz",
                 "kineto_h100_vit_falconsai.json.gz"]
        paths = [str(TRACES / name) for name in names]
        for base in paths:
            for new in paths:
                with self.subTest(base=base, new=new):
                    self.check_against_reports(base, new, "--force")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
