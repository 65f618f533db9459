# SPDX-License-Identifier: Apache-2.0
"""How do the simulated libraries call each other, and does the tap see it?

Usage: library_calls_test.py DLTAP GENERATED_DIR SIMGPU_DIR PROGRAMS_DIR

The program library_user says how often it called each function of cuDNN and
cuBLAS. The libraries must count the same, once per call although cuDNN's front
hands each on, plus what cuBLAS calls of cuBLASLt; so must the tap.
"""

import collections
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "frameworks"))
import call_counts  # noqa: E402

DLTAP, GENERATED, SIMULATED, PROGRAMS = map(pathlib.Path, sys.argv[1:5])
PARTS = ("graph", "ops", "cnn", "adv")
LINKED, BY_NAME, WITH_RPATH = (
    PROGRAMS / name for name in
    ("library_user", "library_user_by_name", "library_user_with_rpath"))
NESTED = re.compile(r"^call \S+ thread=\d+ cublasLtMatmul .*depth=1", re.M)


def command_output(*command):
    return subprocess.run([str(c) for c in command], capture_output=True,
                          text=True, check=True).stdout


def exports(library):
    """{name: version node} of the functions."""
    rows = command_output("nm", "-D", "--defined-only",
                          SIMULATED / library).splitlines()
    symbols = [r.split()[-1] for r in rows if r.split()[1] in "TW"]
    return dict(s.split("@@") for s in symbols)


def numbers(text):
    return collections.Counter(
        {name: int(count) for name, count in
         (line.rsplit(" ", 1) for line in text.splitlines())})


class LayoutTest(unittest.TestCase):

    def test_cudnn_is_a_front_that_links_no_other_library(self):
        needed = re.findall(r"NEEDED.*\[(.+)\]", command_output(
            "readelf", "-dW", SIMULATED / "libcudnn.so.9"))
        self.assertTrue(needed)
        self.assertFalse([n for n in needed
                          if n.startswith(("libcu", "libdltap"))])

    def test_each_function_lies_in_one_sub_library(self):
        front = exports("libcudnn.so.9")
        self.assertGreater(len(front), 200)
        self.assertEqual(set(front.values()), {"libcudnn.so.9"})
        found = []
        for part in PARTS:
            soname = f"libcudnn_{part}.so.9"
            functions = exports(soname)
            self.assertEqual(set(functions.values()), {soname})
            found += functions
        self.assertEqual(sorted(found), sorted(front))


class CallsTest(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_program(self, command, **variables):
        """(calls the program made, what the libraries counted)"""
        environment = dict(
            os.environ, DLTAP_SIM_CLOCK="skip", DLTAP_SIM_QUIET="1",
            DLTAP_SIM_COUNTS=str(self.folder / "counts"), **variables)
        done = subprocess.run([str(c) for c in command], env=environment,
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return numbers(done.stdout), call_counts.read_simulated(
            [self.folder / "counts"])

    def run_bare(self, program, *arguments, gpu="h100-sxm", **variables):
        return self.run_program([program, *arguments], DLTAP_SIM_GPU=gpu,
                                LD_LIBRARY_PATH=str(SIMULATED), **variables)

    def run_tapped(self, program, *arguments):
        trace = self.folder / program.name
        made, simulated = self.run_program(
            [DLTAP, "run", "--gpu", "sim:h100-sxm", "--level", "host",
             "--no-report", "-o", trace, "--", program,
             *arguments])
        dump = command_output(DLTAP, "dump", trace).splitlines()
        return made, simulated, call_counts.read_seen(dump)

    def assert_counted_once(self, made, simulated, nested):
        expected = made + collections.Counter(nested)
        self.assertEqual(
            {name: simulated[name].calls for name in expected}, dict(expected))

    def test_calls_through_the_front_are_counted_once(self):
        for program in (LINKED, BY_NAME):
            made, simulated = self.run_bare(program, "4", "3")
            self.assertEqual(made["cudnnConvolutionForward"], 12)
            self.assert_counted_once(
                made, simulated, {"cublasLtMatmul": made["cublasGemmEx_64"]})

    def test_libraries_launch_by_the_drivers_address(self):
        made, simulated = self.run_bare(LINKED)
        launches = simulated["cuLaunchKernel"]
        self.assertGreaterEqual(launches.calls, made["cublasSgemm_v2"]
                                + made["cudnnConvolutionForward"])
        self.assertEqual(launches.by_address, launches.calls)

    def test_older_gpus_do_products_without_cublaslt(self):
        made, simulated = self.run_bare(LINKED, gpu="a100-80-sxm")
        self.assert_counted_once(made, simulated, {})

    def test_front_looks_each_name_up_once(self):
        log = self.folder / "lookups"
        made, _ = self.run_bare(LINKED, "1", "2", LOOKUP_LOG=str(log),
                                LD_PRELOAD=str(PROGRAMS / "liblookup_log.so"))
        self.assertEqual(
            sorted(log.read_text().splitlines()),
            sorted(f"libcudnn.so.9 {n}" for n in made if "cudnn" in n))

    def test_interposer_that_rewrites_every_lookup_recurses(self):
        done = subprocess.run(
            [LINKED], capture_output=True,
            env=dict(os.environ, DLTAP_SIM_GPU="h100-sxm",
                     LD_LIBRARY_PATH=str(SIMULATED),
                     LD_PRELOAD=str(PROGRAMS / "libnaive_interposer.so")))
        self.assertEqual(done.returncode, 3, done.stderr)

    def test_sub_libraries_come_from_the_fronts_folder(self):
        """Though another folder, with the vendor's, is searched first."""
        vendor = PROGRAMS.parent / "vendor"
        self.run_program(
            [LINKED], DLTAP_SIM_GPU="h100-sxm",
            LD_PRELOAD=":".join(str(SIMULATED / name) for name in (
                "libcudart.so.13", "libcublasLt.so.13", "libcublas.so.13",
                "libcuda.so.1", "libcudnn.so.9")),
            LD_LIBRARY_PATH=str(vendor))

    def test_front_without_sub_libraries_says_so(self):
        for library in SIMULATED.glob("lib*"):
            if not library.name.startswith("libcudnn_"):
                (self.folder / library.name).symlink_to(library)
        done = subprocess.run(
            [LINKED], capture_output=True, text=True,
            env=dict(os.environ, DLTAP_SIM_GPU="h100-sxm",
                     LD_LIBRARY_PATH=str(self.folder)))
        self.assertIn("cudnnCreateActivationDescriptor: 1008", done.stderr)
        self.assertIn("libcudnn_ops.so.9: cannot open", done.stderr)

    def test_run_keeps_the_vendors_folder_out(self):
        made, simulated, _ = self.run_tapped(WITH_RPATH)
        self.assert_counted_once(made, simulated,
                                 {"cublasLtMatmul": made["cublasGemmEx_64"]})

    def test_tap_sees_each_call_once_by_both_routes(self):
        roles = call_counts.read_roles(GENERATED)
        own = call_counts.called_by_tap(HERE.parents[2])
        for program in (LINKED, BY_NAME):
            _, bare = self.run_bare(program, "4", "3")
            made, tapped, seen = self.run_tapped(program, "4", "3")
            rows = call_counts.compare(tapped, bare, seen, roles, own)
            self.assertEqual([r for r in rows if r.verdict == "different"], [])
            equal = {r.symbol for r in rows if r.verdict == "equal"}
            self.assertLessEqual(set(made), equal)

    def test_tap_records_what_cublas_calls_as_nested(self):
        made, _, _ = self.run_tapped(LINKED, "1", "3")
        dump = command_output(DLTAP, "dump", self.folder / LINKED.name)
        self.assertEqual(len(NESTED.findall(dump)), made["cublasGemmEx_64"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
