# SPDX-License-Identifier: Apache-2.0
"""The wheels, installed into a folder of their own: nothing of the build is
used but what they were made of.

Environment (set by CMakeLists.txt): DLTAP_TEST_BUILD, the build folder;
DLTAP_TEST_TORCH, an interpreter with torch.
"""

import json
import math
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[3]
BUILD = pathlib.Path(os.environ["DLTAP_TEST_BUILD"])
TORCH = os.environ["DLTAP_TEST_TORCH"]
CNN = BUILD / "tests" / "workloads" / "cnn"

WINDOWED = """
import time, torch, dltap
x = torch.randn(256, 256, device="cuda")
torch.relu(x)
torch.cuda.synchronize()
with dltap.record() as seen:
    assert seen
    for _ in range(3):
        torch.relu(x)
    torch.cuda.synchronize()
time.sleep(0.001)  # what is launched within 10 us counts as inside
for _ in range(3):
    torch.relu(x)
torch.cuda.synchronize()
"""

# A step whose limit the report names.
LIMITED = """
import torch
x = torch.randn(4096, 4096, device="cuda")
for _ in range(8):
    torch.cuda.synchronize()
    torch.relu(x @ x)
"""


needs_torch = unittest.skipIf(
    subprocess.run([TORCH, "-c", "import importlib.util as u, sys;"
                    "sys.exit(not u.find_spec('torch'))"],
                   check=False).returncode, "no torch")


def setUpModule():
    global folder, site, dltap, trace
    keep = tempfile.TemporaryDirectory()
    unittest.addModuleCleanup(keep.cleanup)
    folder = pathlib.Path(keep.name)
    site = folder / "site"
    subprocess.run([SOURCE / "scripts" / "wheel.sh", folder / "wheels"],
                   check=True, stdout=subprocess.DEVNULL)
    subprocess.run([sys.executable, "-m", "pip", "install", "--quiet",
                    "--disable-pip-version-check", "--no-deps", "--no-index",
                    "--target", site, *(folder / "wheels").glob("*.whl")],
                   check=True)
    sys.path.insert(0, str(site))
    import dltap
    trace = folder / "trace"
    run("-o", trace, "--", CNN, "--steps", "12")


def run(*arguments, clock="virtual", **variables) -> subprocess.CompletedProcess:
    """`dltap run` of the installed package, on its simulated GPU."""
    return subprocess.run(
        [sys.executable, "-m", "dltap", "run", "--no-report", "--gpu",
         "sim:h100-sxm", "--sim-clock", clock, *arguments], check=True,
        env=os.environ | {"PYTHONPATH": str(site)} | variables,
        capture_output=True, text=True)


def shown(*arguments) -> str:
    """What the program of the build says of the same trace."""
    return subprocess.run([BUILD / "bin" / "dltap", *arguments], check=True,
                          capture_output=True, text=True).stdout


def leaves(row: dict, prefix=""):
    for name, value in row.items():
        if isinstance(value, dict):
            yield from leaves(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value


class WheelTest(unittest.TestCase):

    def test_its_program_is_its_own(self):
        from dltap import _program
        self.assertEqual(_program.path(), site / "dltap/native/bin/dltap")
        self.assertRegex(dltap.__version__, r"^\d+\.\d+")

    def test_another_name_of_the_folder_is_all_the_same(self):
        moved = folder / "moved"
        site.rename(moved)
        try:
            done = subprocess.run(
                [sys.executable, "-m", "dltap", "report", trace], check=True,
                env=os.environ | {"PYTHONPATH": str(moved)},
                capture_output=True, text=True)
        finally:
            moved.rename(site)
        self.assertEqual(done.stdout, shown("report", trace))


class PluginTest(unittest.TestCase):

    def test_pytest_finds_it_named_or_not(self):
        for options in ((), ("-p", "dltap.pytest_plugin")):
            done = subprocess.run(
                [sys.executable, "-m", "pytest", *options, "--markers"],
                cwd=folder, env=os.environ | {"PYTHONPATH": str(site)},
                capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("@pytest.mark.dltap(", done.stdout)

    def test_a_package_without_its_program_says_so_in_one_line(self):
        bare = folder / "bare"
        shutil.copytree(site / "dltap", bare / "dltap",
                        ignore=shutil.ignore_patterns("native"))
        test = folder / "test_one.py"
        test.write_text("import pytest\n@pytest.mark.dltap('launches')\n"
                        "def test_one(): pass\n")
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-p", "dltap.pytest_plugin",
             "--dltap", test], cwd=folder, capture_output=True, text=True,
            env=os.environ | {"PYTHONPATH": str(bare), "PATH": "/usr/bin",
                              "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"})
        self.assertEqual(done.returncode, 4, done.stdout)
        self.assertIn("no dltap program here", done.stdout + done.stderr)
        self.assertNotIn("Traceback", done.stdout + done.stderr)


class InterpreterTest(unittest.TestCase):

    def test_each_python_that_is_here_reads_a_report(self):
        program = f"import dltap, sys; r = dltap.load({str(trace)!r}); " \
                  "print(sys.version_info[1], r.json['schema'])"
        seen = []
        for minor in range(10, 15):
            python = shutil.which(f"python3.{minor}")
            if python is None or subprocess.run(
                    [python, "-c", ""], check=False,
                    capture_output=True).returncode:
                continue
            done = subprocess.run(
                [python, "-c", program], capture_output=True, text=True,
                env=os.environ | {"PYTHONPATH": str(site)}, check=True)
            self.assertEqual(done.stdout, f"{minor} dltap.report\n")
            seen.append(minor)
        self.assertIn(sys.version_info[1], seen)


class ReportTest(unittest.TestCase):

    def setUp(self):
        self.report = dltap.load(trace)
        self.document = json.loads(shown("report", "--json", trace))

    def test_frames_hold_what_the_json_report_says(self):
        for name in ("classes", "kernels", "layers", "ops", "apis", "devices"):
            frame = self.report.frame(name)
            rows = self.document[name]
            self.assertEqual(len(frame), len(rows), name)
            self.assertGreater(len(rows), 0, name)
            for row, (_, have) in zip(rows, frame.iterrows()):
                for column, want in leaves(row):
                    self.check_value(have[column], want, f"{name} {column}")

    def check_value(self, have, want, where):
        import pandas
        if want is None:
            self.assertTrue(have is None or have is pandas.NA
                            or (isinstance(have, float) and math.isnan(have)),
                            where)
        elif isinstance(want, list):
            self.assertEqual(list(have), want, where)
        else:
            self.assertEqual(have, want, where)

    @needs_torch
    def test_a_columns_type_does_not_depend_on_the_trace(self):
        script = SOURCE / "tests/workloads/python/train_lstm_lm.py"
        other = folder / "other"
        run("-o", other, "--", TORCH, script, "--steps", "4")
        lstm = dltap.load(other)
        for name in ("classes", "kernels", "ops", "apis"):
            a, b = self.report.frame(name).dtypes, lstm.frame(name).dtypes
            both = a.index.intersection(b.index)
            known = [c for c in both
                     if "object" not in (str(a[c]), str(b[c]))]
            self.assertGreater(len(known), 2, name)
            for column in known:
                self.assertEqual(a[column], b[column], f"{name} {column}")

    def test_arrow_tables_hold_the_same(self):
        table = self.report.arrow("kernels")
        self.assertEqual(table.to_pylist(),
                         [dict(leaves(r)) for r in self.document["kernels"]])

    def test_classes_stand_by_gpu_time_and_add_up(self):
        times = list(self.report.classes["gpu_ns"])
        self.assertEqual(times, sorted(times, reverse=True))
        self.assertEqual(
            sum(times), sum(r["gpu_ns"] for r in self.document["classes"]))

    def test_steps_and_text_are_the_programs(self):
        self.assertEqual(list(self.report.steps["ns"]),
                         self.document["steps"]["ns"])
        self.assertEqual(str(self.report), shown("report", trace))
        chosen = dltap.load(trace, top=3, by="kernel")
        self.assertEqual(chosen.text("kernel", top=2),
                         shown("report", "--by", "kernel", "--top", "2", trace))
        self.assertEqual(str(chosen), shown("report", "--top", "3", trace))

    @needs_torch
    def test_the_limit_is_the_texts(self):
        limited = folder / "limited"
        run("-o", limited, "--", TORCH, "-c", LIMITED)
        limit = dltap.load(limited).limit
        self.assertTrue(limit.startswith("limit: "), limit)
        self.assertIn("\n\n" + limit + "\n\n", shown("report", limited))

    def test_choices_are_the_programs_options(self):
        chosen = dltap.load(trace, steps="3..4", no_composite=True)
        want = json.loads(shown("report", "--json", "--steps", "3..4",
                                "--no-composite", trace))
        self.assertEqual(chosen.json, want)

    def test_errors_say_what_and_have_the_exit_code(self):
        with self.assertRaises(dltap.DltapError) as caught:
            dltap.load(folder / "nowhere")
        self.assertEqual(caught.exception.exit_code, 3)
        self.assertIn("nowhere", str(caught.exception))
        with self.assertRaises(dltap.DltapError) as caught:
            dltap.load(trace, no_such_option=1)
        self.assertEqual(caught.exception.exit_code, 2)
        with self.assertRaises(ValueError):
            dltap.load()
        with self.assertRaises(KeyError) as caught:
            self.report.frame("clases")
        self.assertIn("classes", str(caught.exception))


    def test_what_the_program_warns_of_is_a_warning(self):
        cut = folder / "cut"
        shutil.copytree(trace, cut)
        (data,) = cut.glob("*.dltap")
        os.truncate(data, data.stat().st_size // 2)
        with self.assertWarnsRegex(dltap.DltapWarning, data.name):
            dltap.load(cut)


class DiffTest(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.other = folder / "longer"
        run("-o", cls.other, "--", CNN, "--steps", "16")

    def shown(self, *options) -> dict:
        return json.loads(shown("diff", "--json=-", *options, trace,
                                self.other))

    def test_it_is_what_the_program_says(self):
        difference = dltap.load(trace).diff(self.other)
        self.assertEqual(difference.json, self.shown())
        self.assertEqual(difference.sentence, self.shown()["sentence"])
        self.assertTrue(difference.sentence)
        self.assertEqual(str(difference), shown("diff", trace, self.other))
        self.assertEqual(dltap.load(trace).diff(dltap.load(self.other)).json,
                         difference.json)

    def test_it_is_of_the_part_that_the_report_is_of(self):
        part = dltap.load(trace, steps="3..5")
        self.assertEqual(part.diff(self.other).json,
                         self.shown("--steps=3..5"))
        with self.assertRaises(ValueError):
            part.diff(dltap.load(self.other))

    def test_rules_are_a_list_and_their_verdicts_are_in_it(self):
        rules = ["launches>0", "step_ms>90%"]
        difference = dltap.load(trace).diff(self.other, fail_on=rules)
        self.assertEqual([row["rule"] for row in difference.rows("rules")],
                         rules)

    def test_runs_that_cannot_be_compared_are_an_error_with_its_code(self):
        elsewhere = folder / "a100"
        subprocess.run(
            [sys.executable, "-m", "dltap", "run", "--no-report", "--gpu",
             "sim:a100-40-sxm", "--sim-clock", "virtual", "-o", elsewhere,
             "--", CNN, "--steps", "12"], check=True, capture_output=True,
            env=os.environ | {"PYTHONPATH": str(site)})
        with self.assertRaises(dltap.DltapError) as caught:
            _ = dltap.load(trace).diff(
                elsewhere, fail_on=["step_ms>900%"]).json
        self.assertEqual(caught.exception.exit_code, 3)
        self.assertIn("not comparable", str(caught.exception))
        forced = dltap.load(trace).diff(elsewhere, force=True,
                                        fail_on=["step_ms>900%"])
        self.assertTrue(forced.sentence)


class WithoutLibrariesTest(unittest.TestCase):

    def test_what_is_missing_and_how_to_get_it_is_said(self):
        program = ("import sys; sys.modules['pandas'] = None\n"
                   "sys.modules['pyarrow'] = None\n"
                   f"import dltap; r = dltap.load({str(trace)!r})\n"
                   "print(len(r.rows('kernels')) > 0, r.limit is not None)\n"
                   "for ask in (lambda: r.classes, lambda: r.steps,\n"
                   "            lambda: r.arrow('kernels')):\n"
                   "    try: ask()\n"
                   "    except ImportError as error: print(error)\n")
        done = subprocess.run([sys.executable, "-c", program], check=True,
                              env=os.environ | {"PYTHONPATH": str(site)},
                              capture_output=True, text=True)
        said = done.stdout.splitlines()
        self.assertEqual(said[0], "True True")
        self.assertEqual(len(said), 4, said)
        for line, extra in zip(said[1:], ("pandas", "pandas", "arrow")):
            self.assertIn(f"dltap[{extra}]", line)

    def test_a_trace_without_gpu_work_has_empty_frames(self):
        calls = folder / "calls.json"
        calls.write_text(json.dumps({"schemaVersion": 1, "traceEvents": [
            {"ph": "X", "cat": "cuda_runtime", "name": "cudaMalloc", "ts": 1,
             "dur": 2, "pid": 1, "tid": 1, "args": {"correlation": 1}}]}))
        report = dltap.load(calls)
        for frame in (report.classes, report.kernels, report.layers,
                      report.steps):
            self.assertEqual(len(frame), 0)
        self.assertEqual(list(report.apis["name"]), ["cudaMalloc"])


class RecordTest(unittest.TestCase):

    @needs_torch
    def test_only_what_is_inside_the_window_is_recorded(self):
        program = folder / "windowed.py"
        program.write_text(WINDOWED, encoding="utf-8")
        windowed = folder / "windowed"
        run("-o", windowed, "--", TORCH, program, clock="real",
            DLTAP_START="off")
        kernels = dltap.load(windowed, window="all").kernels
        relus = kernels[kernels["class"] == "activation"]
        self.assertEqual(int(relus["count"].sum()), 3, kernels)

    @needs_torch
    def test_the_drivers_functions_open_the_same_windows(self):
        program = folder / "driver.py"
        program.write_text(
            WINDOWED.replace("dltap\n", "ctypes\n").replace(
                "with dltap.record() as seen:\n    assert seen",
                "cuda = ctypes.CDLL('libcuda.so.1')\n"
                "if cuda.cuProfilerStart() == 0:").replace(
                    "time.sleep", "cuda.cuProfilerStop()\ntime.sleep"),
            encoding="utf-8")
        windowed = folder / "driver"
        run("-o", windowed, "--", TORCH, program, clock="real",
            DLTAP_START="off")
        kernels = dltap.load(windowed, window="all").kernels
        self.assertEqual(int(kernels["count"].sum()), 3, kernels)

    def test_outside_of_dltap_it_does_nothing(self):
        with dltap.record() as seen:
            self.assertFalse(seen)


class NotebookTest(unittest.TestCase):

    def setUp(self):
        from IPython.testing.globalipapp import start_ipython
        self.shell = start_ipython() or __import__("IPython").get_ipython()
        self.shell.run_line_magic("reload_ext", "dltap")
        self.shell.display_formatter.active_types = ["text/html"]

    def displayed(self, run_cell) -> str:
        from IPython.utils.capture import capture_output
        with capture_output() as captured:
            done = run_cell()
        self.assertTrue(done.success)
        pages = [o.data["text/html"] for o in captured.outputs
                 if "text/html" in o.data]
        self.assertEqual(len(pages), 1, captured.stdout)
        return captured.stdout, pages[0]

    def test_a_line_shows_a_trace(self):
        _, page = self.displayed(
            lambda: self.shell.run_cell(f"%dltap {trace}"))
        self.assertIn("<iframe srcdoc=", page)
        self.assertIn("Content-Security-Policy", page)

    def test_a_cell_runs_under_dltap(self):
        program = f"%%dltap --gpu sim:h100-sxm\n" \
                  f"import subprocess\n" \
                  f"print('the cell ran', flush=True)\n" \
                  f"subprocess.run(['{CNN}', '--steps', '4'], check=True)\n"
        text, page = self.displayed(lambda: self.shell.run_cell(program))
        self.assertIn("the cell ran", text)
        self.assertIn("<iframe srcdoc=", page)


if __name__ == "__main__":
    unittest.main()
