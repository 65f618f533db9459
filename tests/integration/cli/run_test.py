# SPDX-License-Identifier: Apache-2.0
"""Does `dltap run` leave the program alone: exit code, streams, signals?

Usage: run_test.py DLTAP
"""

import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

DLTAP = ""
SH = "/bin/sh"


class RunTest(unittest.TestCase):

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.out = pathlib.Path(self.folder.name) / "run"

    def run_dltap(self, *args, **kwargs):
        return subprocess.run([DLTAP, "run", "-o", str(self.out), *args],
                              capture_output=True, text=True, **kwargs)

    def test_exit_code_is_the_programs(self):
        for code in (0, 7, 125):
            done = self.run_dltap("--", SH, "-c", f"exit {code}")
            self.assertEqual(done.returncode, code)

    def test_death_by_signal_is_128_more(self):
        done = self.run_dltap("--", SH, "-c", "kill -9 $$")
        self.assertEqual(done.returncode, 128 + 9)

    def test_programs_that_cannot_run(self):
        done = self.run_dltap("--", "/nonexistent/program")
        self.assertEqual(done.returncode, 127)
        self.assertIn("/nonexistent/program: No such file", done.stderr)
        plain = pathlib.Path(self.folder.name) / "plain"
        plain.write_text("x")
        self.assertEqual(self.run_dltap("--", str(plain)).returncode, 126)

    def test_stdout_is_the_programs(self):
        done = self.run_dltap("--", SH, "-c", "echo to stdout")
        self.assertEqual(done.stdout, "to stdout\n")

    def test_options_of_the_program_are_its_own(self):
        for dashes in ([], ["--"]):
            done = self.run_dltap(*dashes, SH, "-c", 'echo "$@"', "sh", "--gpu",
                                  "-o", "x", "--")
            self.assertEqual(done.stdout, "--gpu -o x --\n")

    def test_tap_comes_first_and_what_was_preloaded_stays(self):
        lib = subprocess.run([DLTAP, "lib"], capture_output=True, text=True)
        self.assertEqual(lib.returncode, 0)
        done = self.run_dltap("--", SH, "-c", 'echo "$LD_PRELOAD|$DLTAP_OUTPUT"',
                              env=dict(os.environ, LD_PRELOAD="libc.so.6"))
        preload, output = done.stdout.strip().split("|")
        self.assertEqual(preload, lib.stdout.strip() + ":libc.so.6")
        self.assertEqual(output, str(self.out.resolve()))

    def test_simulation_is_preloaded_and_caches_are_apart(self):
        done = self.run_dltap("--gpu", "sim:l4", "--gpus", "2", "--", SH, "-c",
                              "env")
        env = dict(line.split("=", 1) for line in done.stdout.splitlines()
                   if "=" in line)
        self.assertEqual(env["DLTAP_SIM_GPU"], "l4")
        self.assertEqual(env["DLTAP_SIM_GPUS"], "2")
        names = [pathlib.Path(p).name for p in env["LD_PRELOAD"].split(":")]
        self.assertEqual(names[:3],
                         ["libdltap.so", "libdltapsim.so", "libcuda.so.1"])
        self.assertTrue(env["TRITON_CACHE_DIR"].startswith(
            str(self.out.resolve())))

    def test_sigterm_reaches_the_program(self):
        child = subprocess.Popen(
            [DLTAP, "run", "-o", str(self.out), "--no-report", "--", SH, "-c",
             "trap 'exit 42' TERM; echo up; while :; do sleep 0.01; done"],
            stdout=subprocess.PIPE, text=True)
        self.assertEqual(child.stdout.readline(), "up\n")
        child.send_signal(signal.SIGTERM)
        self.assertEqual(child.wait(), 42)
        child.stdout.close()

    def says(self, words, *args, **kwargs):
        done = self.run_dltap(*args, **kwargs)
        line = done.stderr.splitlines()[-1]
        self.assertRegex(line, "^dltap: nothing was recorded: ")
        self.assertIn(words, line)
        return done

    def test_program_without_cuda_libraries_is_told(self):
        self.says("names no CUDA library", "--gpu", "sim:l4", "--", SH, "-c",
                  ":")
        self.assertEqual(list(self.out.iterdir()), [])

    def test_python_without_a_framework_is_told(self):
        self.says("no framework with CUDA libraries", "--gpu", "sim:l4", "--",
                  "/usr/bin/python3", "-I", "-c", "pass")

    def test_end_before_any_work_is_told(self):
        sim = ("--gpu", "sim:l4", "--", SH, "-c")
        self.assertEqual(
            self.says("ended with code 3 before", *sim, "exit 3").returncode, 3)
        self.says("ended with signal 11 (Segmentation", *sim, "kill -11 $$")

    def test_recording_that_is_off_is_told(self):
        self.says("DLTAP_DISABLE", "--gpu", "sim:l4", "--", SH, "-c", "exit 3",
                  env=dict(os.environ, DLTAP_DISABLE="1"))

    def test_program_that_cannot_be_preloaded_is_told(self):
        static = pathlib.Path(self.folder.name) / "static"
        subprocess.run(["gcc", "-static", "-x", "c", "-o", str(static), "-"],
                       input="int main() { return 0; }", text=True, check=True)
        self.says("static executable", "--", str(static))

    @unittest.skipIf(any(pathlib.Path(path).exists() for path in
                         ("/proc/driver/nvidia/version", "/dev/nvidiactl",
                          "/dev/nvidia0", "/dev/dxg")),
                     "this machine has a GPU")
    def test_machine_without_a_driver_gets_the_hint(self):
        done = self.says("--gpu sim:h100-sxm", "--", SH, "-c", "echo >&2 ran")
        lines = done.stderr.splitlines()
        self.assertIn("no NVIDIA driver", lines[0])
        self.assertEqual(lines[1], "ran")

    def test_old_trace_is_not_mixed_with_a_new_one(self):
        self.out.mkdir()
        (self.out / "old.dltap").write_text("x")
        done = self.run_dltap("--", SH, "-c", "echo ran")
        self.assertEqual((done.returncode, done.stdout), (125, ""))
        self.assertIn("holds a trace already", done.stderr)


if __name__ == "__main__":
    DLTAP = sys.argv.pop(1)
    unittest.main()
