# SPDX-License-Identifier: Apache-2.0
"""A program with the simulated runtime as an archive: does it work by the
driver's addresses alone, and what does the tap see of it?

Usage: static_runtime_test.py DLTAP GENERATED_DIR SIMGPU_DIR PROGRAMS_DIR

The program runtime_user prints which functions of the driver its calls reach
how often. Linked statically it must reach the same as linked dynamically.
"""

import collections
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "frameworks"))
import call_counts  # noqa: E402

DLTAP, GENERATED, SIMULATED, PROGRAMS = map(pathlib.Path, sys.argv[1:5])
STATIC, SHARED, WITH_CUBLAS = (
    PROGRAMS / f"runtime_user_{kind}"
    for kind in ("static", "shared", "with_cublas"))
ROUNDS = 3
INSUFFICIENT_DRIVER, STUB_LIBRARY = 35, 34
NAME = re.compile(r'name="(\w+)"')


def numbers(text):
    return {name: int(count) for name, count in
            (line.split() for line in text.splitlines())}


def of_kind(lines, kind):
    return [line for line in lines if line.startswith(kind + " ")]


class StaticRuntimeTest(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_command(self, command, **variables):
        environment = dict(os.environ, DLTAP_SIM_CLOCK="skip",
                           DLTAP_SIM_QUIET="1", **variables)
        return subprocess.run([str(c) for c in command], env=environment,
                              capture_output=True, text=True)

    def run_program(self, command, **variables):
        """(what the program says it reached, what was counted, launches)"""
        counts, launches = self.folder / "counts", self.folder / "launches"
        launches.unlink(missing_ok=True)
        done = self.run_command(command, DLTAP_SIM_COUNTS=str(counts),
                                DLTAP_SIM_LAUNCHES=str(launches), **variables)
        self.assertEqual(done.returncode, 0, done.stderr)
        return (numbers(done.stdout), call_counts.read_simulated([counts]),
                launches.read_text().splitlines())

    def run_bare(self, program):
        return self.run_program([program, ROUNDS], DLTAP_SIM_GPU="h100-sxm",
                                LD_LIBRARY_PATH=str(SIMULATED))

    def run_tapped(self, program):
        trace = self.folder / program.name
        made, simulated, launches = self.run_program(
            [DLTAP, "run", "--gpu", "sim:h100-sxm", "--no-report", "-o", trace,
             "--", program, ROUNDS])
        dump = self.run_command([DLTAP, "dump", trace]).stdout.splitlines()
        return made, simulated, launches, dump

    def test_no_library_of_the_vendors_is_linked(self):
        dynamic = self.run_command(["readelf", "-dW", STATIC]).stdout
        needed = re.findall(r"NEEDED.*\[(.+)\]", dynamic)
        self.assertFalse([n for n in needed if n.startswith("libcu")])
        exported = self.run_command(
            ["nm", "-D", "--defined-only", STATIC]).stdout
        self.assertNotRegex(exported, r"\bcuda\w+|simgpu")

    def test_the_driver_is_called_by_address_only(self):
        made, simulated, _ = self.run_bare(STATIC)
        driver = {name: f for name, f in simulated.items()
                  if f.library == "cuda" and name != "cuGetProcAddress_v2"}
        self.assertEqual({n: f.calls for n, f in driver.items()}, made)
        self.assertEqual({n: f.by_address for n, f in driver.items()}, made)
        self.assertGreater(simulated["cuGetProcAddress_v2"].calls, 40)

    def test_as_with_the_shared_runtime(self):
        made, static, launches = self.run_bare(STATIC)
        made_shared, shared, launches_shared = self.run_bare(SHARED)
        self.assertEqual(made, made_shared)
        self.assertEqual(launches, launches_shared)
        self.assertEqual(len(launches), ROUNDS * (3 + 2 * 2))
        self.assertEqual({n: f.calls for n, f in static.items()},
                         {n: f.calls for n, f in shared.items()})
        libraries = {f.library for f in static.values()}
        self.assertEqual(libraries, {"cuda", "cudart_static"})

    def test_without_a_driver_it_says_so(self):
        shutil.copy(SIMULATED / "libdltapsim.so", self.folder)
        done = self.run_command([STATIC], DLTAP_SIM_GPU="h100-sxm",
                                LD_LIBRARY_PATH=str(self.folder))
        self.assertEqual(done.returncode, 2)
        self.assertIn(f": {INSUFFICIENT_DRIVER}", done.stderr)

    def test_without_a_simulated_gpu_it_says_so(self):
        done = self.run_command([STATIC], LD_LIBRARY_PATH=str(SIMULATED))
        self.assertIn(f": {STUB_LIBRARY}", done.stderr)

    def test_tap_sees_every_call_of_the_driver(self):
        """(Counting by route gives out addresses that are no exports.)"""
        trace = self.folder / "trace"
        done = self.run_command(
            [DLTAP, "run", "--gpu", "sim:h100-sxm", "--no-report", "-o", trace,
             "--", STATIC, ROUNDS])
        self.assertEqual(done.returncode, 0, done.stderr)
        made, _, _ = self.run_bare(STATIC)
        self.assertEqual(numbers(done.stdout), made)
        dump = self.run_command([DLTAP, "dump", trace]).stdout.splitlines()
        seen = call_counts.read_seen(dump)
        self.assertEqual({name: seen[name] for name in made}, made)
        self.assertEqual(len(of_kind(dump, "kernel")), ROUNDS * 7)

    def test_addresses_that_are_no_exports_stay_the_drivers(self):
        made, simulated, _, dump = self.run_tapped(STATIC)
        self.assertEqual(made["cuLaunchKernel"],
                         simulated["cuLaunchKernel"].by_address)
        self.assertEqual(dump, [])

    def test_tap_records_all_device_work_beside_a_shared_library(self):
        made, simulated, launches, dump = self.run_tapped(WITH_CUBLAS)
        kernels = [NAME.search(line)[1] for line in of_kind(dump, "kernel")]
        self.assertEqual(sorted(kernels),
                         sorted(line.split(" <<<")[0] for line in launches))
        self.assertEqual(collections.Counter(kernels)["_Z5ScalePff"],
                         ROUNDS * 7)
        copies = sum(count for name, count in made.items()
                     if name.startswith("cuMemcpy"))
        failed = ROUNDS  # one copy of each round is refused
        self.assertEqual(len(of_kind(dump, "memcpy")), copies - failed)
        self.assertEqual(len(of_kind(dump, "memset")), made["cuMemsetD8Async"])
        self.assertEqual(
            {line for line in of_kind(dump, "launchapi") if "corr=0" in line},
            set())

    def test_tap_misses_only_what_comes_by_address(self):
        _, simulated, _, dump = self.run_tapped(WITH_CUBLAS)
        _, bare, _ = self.run_bare(WITH_CUBLAS)
        rows = call_counts.compare(
            {n: f for n, f in simulated.items()
             if f.library != "cudart_static"},
            bare, call_counts.read_seen(dump),
            call_counts.read_roles(GENERATED),
            call_counts.called_by_tap(HERE.parents[2]))
        rows = {r.symbol: r for r in rows}
        verdicts = {symbol: row.verdict for symbol, row in rows.items()}
        self.assertNotIn("different", verdicts.values(), rows)
        self.assertEqual(verdicts["cublasSgemm_v2"], "equal")
        for symbol in ("cuLaunchKernel", "cuMemcpyHtoD_v2", "cuGraphLaunch"):
            self.assertEqual(verdicts[symbol], "by_address")
        # The archive's look-ups are the program's, cuBLAS's are its own.
        look_ups = rows["cuGetProcAddress_v2"]
        self.assertGreater(look_ups.seen, 40)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
