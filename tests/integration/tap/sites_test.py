# SPDX-License-Identifier: Apache-2.0
"""Is the path that a call's site names the path that leads to it?

Usage: sites_test.py DLTAP PROGRAMS SIMGPU_DIR

A C++ program, with and without frame pointers, and stripped, calls one GEMM by
several ways; the functions on each way are known. A Python program writes down
its own frames, as Python shows them, right before each call; so do PyTorch
modules. More interpreters: SITES_TEST_PYTHONS, paths parted by colons.
"""

import collections
import importlib.util
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
WAYS = ("ProjectQuery", "ProjectKey", "ProjectValue", "Stretch")
TIMES = 8
DEPTH = 64  # frames of a path that are kept


FIELD = re.compile(r'(\w+)=(?:"((?:[^"\\]|\\.)*)"|(\S+))')


def words_of(line):
    return {key: plain(quoted or bare)
            for key, quoted, bare in FIELD.findall(line)}


def plain(text):
    """Without the escapes of a dump, which are of bytes."""
    return text.encode().decode("unicode_escape").encode("latin-1").decode()


def runs(python):
    """Not a missing one, nor a stand-in that only says so."""
    return python and subprocess.run(
        [python, "-c", "pass"], stderr=subprocess.DEVNULL).returncode == 0


def interpreters():
    """One of each version that is known, where there is one."""
    more = os.environ.get("SITES_TEST_PYTHONS", "").split(os.pathsep)
    found = [shutil.which(f"python3.{minor}") for minor in range(10, 15)]
    return filter(runs, dict.fromkeys([sys.executable, *found, *more]))


class Dump:
    """What `dltap dump` says of sites, and of the GEMMs that have them."""

    def __init__(self, text):
        self.sites = []
        self.losses = dict(re.findall(r"^loss (\S+) (\d+)", text, re.M))
        self.mode = re.findall(r"^sites (.*)", text, re.M)
        self.gemms = []
        for line in text.splitlines():
            if line.startswith("site "):
                kind, *rest = line.split()[2:]
                self.sites.append((kind, "truncated" in rest, []))
            elif line.startswith("frame "):
                self.sites[-1][2].append(words_of(line))
            elif line.startswith("call ") and "cublasSgemm" in line:
                self.gemms.append(words_of(line))

    def site_of(self, call):
        return self.sites[int(call["site"]) - 1]


class SitesTest(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.runs = 0

    def record(self, sites, *command, level="kernels"):
        self.runs += 1
        out = os.path.join(self.folder, str(self.runs))
        done = subprocess.run(
            [DLTAP, "run", "--no-report", "--gpu", "sim:h100-sxm", "--sites",
             sites, "--level", level, "-o", out, "--", *map(str, command)],
            text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        return out, done.stdout

    def dump(self, out):
        text = subprocess.run([DLTAP, "dump", out], text=True, check=True,
                              stdout=subprocess.PIPE).stdout
        return Dump(text)

    def report(self, out):
        text = subprocess.run([DLTAP, "report", "--by", "site", "--json", out],
                              text=True, check=True,
                              stdout=subprocess.PIPE).stdout
        return json.loads(text)

    # ---- Native

    def ways(self, program, level="kernels"):
        out, _ = self.record("native", PROGRAMS / program, TIMES, level=level)
        dump = self.dump(out)
        self.assertEqual(dump.losses.get("site_unknown", "0"), "0")
        self.assertEqual(len(dump.gemms), 4 * TIMES + 1)
        return out, dump

    def check_ways(self, program, level="kernels"):
        out, dump = self.ways(program, level)
        counts = collections.Counter()
        for call in dump.gemms[:-1]:
            kind, is_truncated, frames = dump.site_of(call)
            self.assertEqual((kind, is_truncated), ("native", False))
            names = [frame.get("function", "") for frame in frames]
            self.assertIn("Multiply", names[0])
            self.assertEqual(names[2], "main")
            counts[names[1].partition("(")[0]] += 1
        self.assertEqual(counts, dict.fromkeys(WAYS, TIMES))
        kind, is_truncated, frames = dump.site_of(dump.gemms[-1])
        self.assertEqual((is_truncated, len(frames)), (True, DEPTH))
        self.assertEqual(frames[-1]["function"].partition("(")[0], "Descend")
        return out, dump

    def test_ways_to_one_call_are_told_apart(self):
        out, _ = self.check_ways("tap_paths")
        rows = self.report(out)["sites"]
        self.assertFalse([row for row in rows if row["site"] is None
                          and row["class"] == "gemm"])
        named = {way for way in WAYS for row in rows
                 if row["site"] and f"< {way} < main" in row["site"]}
        self.assertEqual(named, set(WAYS))

    def test_they_are_without_kernels_too(self):
        self.check_ways("tap_paths", level="host")

    def test_frame_pointers_make_no_difference(self):
        self.check_ways("tap_paths_framed")

    def test_a_stripped_program_has_the_same_addresses(self):
        _, dump = self.ways("tap_paths")
        _, stripped = self.ways("tap_paths_stripped")

        def addresses(of):
            return [[frame.get("address") for frame in of.site_of(call)[2]
                     if "tap_paths" in frame.get("place", "")]
                    for call in of.gemms]
        self.assertEqual(addresses(stripped), addresses(dump))
        names = {frame.get("function") for _, _, frames in stripped.sites
                 for frame in frames if "tap_paths" in frame.get("place", "")}
        self.assertEqual(names, {None})

    def test_rows_hold_all_gpu_time(self):
        out, _ = self.ways("tap_paths")
        report = self.report(out)
        self.assertEqual(sum(row["gpu_ns"] for row in report["sites"]),
                         sum(row["gpu_ns"] for row in report["classes"]))

    def test_a_dump_is_read_as_the_trace(self):
        out, _ = self.ways("tap_paths")
        first = subprocess.run([DLTAP, "dump", out], check=True,
                               stdout=subprocess.PIPE).stdout
        path = os.path.join(self.folder, "dump.txt")
        pathlib.Path(path).write_bytes(first)
        again = subprocess.run([DLTAP, "dump", path], check=True,
                               stdout=subprocess.PIPE).stdout
        self.assertEqual(again, first)

    def test_packing_keeps_them(self):
        out, dump = self.ways("tap_paths")
        packed = os.path.join(self.folder, "packed")
        subprocess.run([DLTAP, "pack", "-o", packed, out], check=True,
                       stdout=subprocess.DEVNULL)
        again = self.dump(packed)
        self.assertEqual(again.sites, dump.sites)
        self.assertEqual([call["site"] for call in again.gemms],
                         [call["site"] for call in dump.gemms])

    def test_calls_on_another_stack_have_none_and_are_counted(self):
        out, _ = self.record("native", PROGRAMS / "tap_paths", TIMES, "other")
        dump = self.dump(out)
        self.assertEqual([call for call in dump.gemms if "site" not in call],
                         dump.gemms[-1:])
        self.assertEqual(dump.losses["site_unknown"], "1")

    def test_what_an_earlier_call_left_on_the_stack_is_no_frame(self):
        out, _ = self.record("native", PROGRAMS / "tap_stale_frames")
        dump = self.dump(out)
        callers = [dump.site_of(call)[2][2].get("function")
                   for call in dump.gemms]
        self.assertEqual(callers, ["FromLargeFrame", "FromSmallFrame"] * 3)

    def test_a_library_where_another_one_lay_is_another_object(self):
        out, text = self.record("native", PROGRAMS / "tap_replaced_library",
                                PROGRAMS / "tap_StepA.so",
                                PROGRAMS / "tap_StepB.so")
        dump = self.dump(out)
        steps = [dump.site_of(call)[2][0].get("function")
                 for call in dump.gemms]
        self.assertEqual(steps, ["StepA", "StepB"] * 3)
        if len(set(text.split())) > 1:
            self.skipTest("the loader puts them at different places")

    def test_first_calls_of_many_threads_have_sites_or_are_counted(self):
        for _ in range(6):
            out, _ = self.record("native", PROGRAMS / "tap_first_sites",
                                 level="host")
            dump = self.dump(out)
            self.assertEqual(len(dump.gemms), 96)
            without = [call for call in dump.gemms if "site" not in call]
            self.assertEqual(dump.losses["site_unknown"], str(len(without)))

    def test_a_path_that_could_not_be_read_is_not_kept(self):
        out, _ = self.record("native", PROGRAMS / "tap_refused_reads",
                             level="host")
        dump = self.dump(out)
        have = ["site" in call and dump.site_of(call)[2][1].get("function")
                for call in dump.gemms]
        self.assertEqual(have, ["Before", False, "Before", False])
        self.assertEqual(dump.losses["site_unknown"], "2")

    def test_protected_memory_cuts_no_path(self):
        """The program protects all its memory, ours too, to notice writes."""
        program = PROGRAMS.parent.parent / "hostile/programs/barriers"
        out, _ = self.record("native", program, "after_work", level="host")
        dump = self.dump(out)
        self.assertEqual({is_truncated for _, is_truncated, _ in dump.sites},
                         {False})
        self.assertEqual(dump.losses["site_unknown"], "0")

    def test_off_leaves_nothing(self):
        out, _ = self.record("off", PROGRAMS / "tap_paths", TIMES)
        dump = self.dump(out)
        self.assertEqual((dump.sites, dump.mode), ([], []))
        self.assertEqual(self.report(out)["sites"], [])

    # ---- Python

    def check_python(self, dump, expected):
        self.assertEqual(dump.losses.get("site_unknown", "0"), "0")
        self.assertEqual(len(dump.gemms), len(expected))
        for call, frames in zip(dump.gemms, expected):
            kind, is_truncated, have = dump.site_of(call)
            self.assertEqual(kind, "python")
            self.assertEqual(is_truncated, len(frames) > DEPTH)
            got = [[frame["function"].rpartition(".")[2],
                    frame["place"], int(frame.get("line", 0))]
                   for frame in have]
            self.assertEqual(got, frames[:DEPTH])

    def test_frames_are_those_that_python_shows(self):
        for python in interpreters():
            with self.subTest(python=python):
                out, text = self.record("python", python,
                                        HERE / "programs/python_paths.py",
                                        SIMGPU)
                dump = self.dump(out)
                if "taken=native" in dump.mode[0]:
                    self.assertIn("not known", dump.mode[0])
                    continue
                self.check_python(dump, json.loads(text))

    def test_what_takes_the_place_of_something_freed_is_not_it(self):
        program = HERE / "programs/python_replaced.py"
        for python in interpreters():
            with self.subTest(python=python):
                out, text = self.record("python", python, program, SIMGPU)
                dump = self.dump(out)
                if "taken=native" in dump.mode[0]:
                    self.assertIn("not known", dump.mode[0])
                    continue
                expected = json.loads(text)
                have = [[at, key, dump.site_of(call)[2][at].get(key)]
                        for call, (at, key, _) in zip(dump.gemms, expected)]
                self.assertEqual(have, expected)

    def test_threads_without_python_have_native_paths(self):
        out, _ = self.record("python", PROGRAMS / "tap_paths", TIMES)
        dump = self.dump(out)
        self.assertIn("no thread runs Python", dump.mode[0])
        self.assertEqual({kind for kind, _, _ in dump.sites}, {"native"})

    def test_an_interpreter_that_is_not_known_has_native_paths(self):
        reasons = {"3.13.0 experimental free-threading build (main)":
                   "free-threaded",
                   "3.14.0 free-threading build (main)": "free-threaded",
                   "3.15.0 (main)": "not known",
                   "3.14.0 (main)": "do not look as its version says"}
        for version, reason in reasons.items():
            with self.subTest(version):
                out, text = self.record(
                    "python", PROGRAMS / "tap_unknown_python", version)
                self.assertEqual(text, "done\n")
                dump = self.dump(out)
                self.assertIn(reason, dump.mode[-1])
                self.assertEqual([dump.site_of(call)[0] for call in dump.gemms],
                                 ["native"] * 3)

    def test_a_file_whose_name_is_no_text_has_one_in_utf_8(self):
        path = os.fsencode(self.folder) + b"/caf\xe9.py"
        pathlib.Path(os.fsdecode(path)).write_bytes(
            (HERE / "programs/python_paths.py").read_bytes())
        out, _ = self.record("python", sys.executable, os.fsdecode(path),
                             SIMGPU)
        dump = self.dump(out)
        if "taken=native" in dump.mode[0]:
            self.skipTest(dump.mode[0])
        places = {frame["place"] for _, _, frames in dump.sites
                  for frame in frames}
        self.assertIn(f"{self.folder}/caf\ufffd.py", places)
        self.assertTrue([row for row in self.report(out)["sites"]
                         if row["site"] and "\ufffd" in row["site"]])

    def test_frames_of_a_kineto_trace_are_sites(self):
        path = os.path.join(self.folder, "kineto.json")
        python = [("train.py(30): <module>", 100, 900),
                  ("torch/nn/modules/module.py(1501): _call_impl", 110, 200),
                  ("nn.Module: Net_0", 120, 180),
                  ("train.py(12): forward", 130, 160)]
        events = [{"ph": "X", "cat": "python_function", "name": name, "pid": 1,
                   "tid": 1, "ts": begin, "dur": dur, "args": {"Python id": i}}
                  for i, (name, begin, dur) in enumerate(python)]
        for n, (thread, begin) in enumerate(((1, 140), (1, 400), (2, 500))):
            events.append({"ph": "X", "cat": "cuda_runtime", "pid": 1,
                           "name": "cudaLaunchKernel", "tid": thread,
                           "ts": begin, "dur": 5,
                           "args": {"correlation": n + 1, "cbid": 211}})
            events.append({"ph": "X", "cat": "kernel", "pid": 0,
                           "name": f"kernel_{n}",
                           "tid": 7, "ts": begin + 10, "dur": 50 - 10 * n,
                           "args": {"device": 0, "stream": 7, "grid": [1, 1, 1],
                                    "block": [32, 1, 1],
                                    "correlation": n + 1}})
        pathlib.Path(path).write_text(json.dumps(
            {"schemaVersion": 1, "traceEvents": events}))
        rows = [(row["site"], row["gpu_ns"]) for row in
                self.report(path)["sites"]]
        self.assertEqual(rows, [("train.py:12 forward (Net)", 50_000),
                                ("train.py:30 <module>", 40_000),
                                (None, 30_000)])

    def test_modules_of_pytorch_are_named(self):
        if importlib.util.find_spec("torch") is None:
            self.skipTest("no torch")
        program = HERE / "programs/torch_paths.py"
        out, text = self.record("python", sys.executable, program)
        rows = [row["site"] for row in self.report(out)["sites"]
                if row["site"]]
        for line, modules in json.loads(text):
            self.assertTrue(
                [row for row in rows if re.fullmatch(
                    rf"torch_paths.py:{line} (\w+\.)?forward \({modules}\)",
                    row)], (line, modules, rows))
        self.assertTrue([row for row in rows
                         if row.startswith("autograd AddmmBackward0: ")])
        bare = subprocess.run(
            [DLTAP, "run", "--no-report", "--gpu", "sim:h100-sxm", "-o",
             os.path.join(self.folder, "bare"), "--", sys.executable, program],
            text=True, check=True, stdout=subprocess.PIPE).stdout
        self.assertEqual(text, bare)


if __name__ == "__main__":
    DLTAP = sys.argv[1]
    PROGRAMS = pathlib.Path(sys.argv[2])
    SIMGPU = sys.argv[3]
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
