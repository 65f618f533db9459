# SPDX-License-Identifier: Apache-2.0
"""Are recordings steered by `dltap ctl`, by time and by ranges?

Usage: ctl_test.py DLTAP PROGRAM

PROGRAM (control_loop) launches until its stdin ends, and says on a line of
stdin how many launches it has made.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import unittest

DLTAP = PROGRAM = ""
HOLE = re.compile(r"^not_observed t=(\d+)\.\.(\d+)ns .*recording_off", re.M)
LOSS = re.compile(r"^loss (\w+) (\d+)$", re.M)
LAUNCH = re.compile(r"^call \S+ thread=\d+ \w*cudaLaunchKernel", re.M)


def ctl(pid, *words):
    return subprocess.run([DLTAP, "ctl", str(pid), *words],
                          capture_output=True, text=True)


class Loop:
    """A recorded program that launches all the time."""

    def __init__(self, folder, *options, **variables):
        self.trace = pathlib.Path(folder) / "run"
        self.child = subprocess.Popen(
            [DLTAP, "run", "--gpu", "sim:h100-sxm", "--sim-clock", "skip",
             "--no-report", "-o", str(self.trace), *options, "--", PROGRAM],
            env=os.environ | variables, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.pid = int(self.child.stdout.readline())
        # On a busy machine its first calls may come before the recording.
        while ctl(self.pid, "status").returncode != 0:
            if self.child.poll() is not None:
                raise AssertionError(self.child.stderr.read())
            time.sleep(0.02)

    def launches(self):
        """So many have returned; every further one comes after this."""
        self.child.stdin.write("\n")
        self.child.stdin.flush()
        return int(self.child.stdout.readline())

    def rest(self):
        self.child.stdin.write("rest\n")
        self.child.stdin.flush()
        self.child.stdout.readline()

    def wait_for(self, state):
        while self.status()["state"] != state:
            time.sleep(0.02)

    def status(self):
        return json.loads(ctl(self.pid, "status", "--json").stdout)

    def end(self):
        _, stderr = self.child.communicate()
        return self.child.returncode, stderr


def dump(trace):
    return subprocess.run([DLTAP, "dump", str(trace)], capture_output=True,
                          text=True, check=True).stdout


def recorded(trace):
    return len(LAUNCH.findall(dump(trace)))


class CtlTest(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def loop(self, *options, **variables):
        loop = Loop(self.folder, *options, **variables)
        self.addCleanup(loop.child.stderr.close)
        self.addCleanup(loop.child.stdout.close)
        return loop

    def test_stop_and_start_leave_a_hole_that_the_report_knows(self):
        loop = self.loop()
        loop.launches()
        self.assertEqual(loop.status()["state"], "recording")
        self.assertEqual(ctl(loop.pid, "stop").returncode, 0)
        self.assertEqual(loop.status()["state"], "paused")
        before = loop.status()["calls"]
        first = loop.launches()
        stopped = time.monotonic()
        while (loop.launches() < first + 1000 or
               time.monotonic() < stopped + 0.15):
            pass
        self.assertLess(loop.status()["calls"], before + 1000)
        self.assertEqual(ctl(loop.pid, "start").returncode, 0)
        self.assertEqual(loop.status()["state"], "recording")
        loop.launches()
        self.assertEqual(loop.end()[0], 0)
        holes = [int(end) - int(begin) for begin, end in
                 HOLE.findall(dump(loop.trace))]
        # The first is the time until kernels were recorded.
        self.assertGreater(max(holes), 100_000_000)

    def test_snapshot_is_a_trace_while_the_program_runs(self):
        loop = self.loop(DLTAP_MAX_MB="64:ring")
        target = pathlib.Path(self.folder) / "snapshot"
        made = loop.launches()
        done = ctl(loop.pid, "snapshot", "-o", str(target), "--last", "60")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertGreaterEqual(recorded(target), made)
        again = ctl(loop.pid, "snapshot", "-o", str(target))
        self.assertEqual(again.returncode, 3)
        held = recorded(target)
        loop.launches()
        self.assertEqual(recorded(target), held)
        self.assertEqual(loop.end()[0], 0)
        # What came later is not lost, and the ring that is gone not missing.
        self.assertEqual(recorded(target), held)
        report = subprocess.run([DLTAP, "report", str(target)],
                                capture_output=True, text=True)
        for loss in ("ring_missing", "missing_slots", "corrupt_block"):
            self.assertNotIn(loss, report.stdout, report.stderr)

    def test_a_snapshot_stays_as_it_is_while_the_program_goes_on(self):
        loop = self.loop()
        target = pathlib.Path(self.folder) / "snapshot"
        made = loop.launches()
        done = ctl(loop.pid, "snapshot", "-o", str(target))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        snapshot = dump(target)
        for loss in ("missing_slots", "ring_missing"):
            self.assertIn(f"\nloss {loss} 0\n", snapshot)
        while loop.status()["calls"] < made + 1000:
            loop.launches()
        self.assertEqual(dump(target), snapshot)
        self.assertEqual(loop.end()[0], 0)
        self.assertEqual(dump(target), snapshot)

    def test_the_trace_of_a_running_program_is_not_damaged(self):
        loop = self.loop()
        for _ in range(20):
            loop.launches()
            self.assertIn("\nloss corrupt_block 0\n", dump(loop.trace))
        self.assertEqual(loop.end()[0], 0)

    def test_what_gives_way_to_the_newest_is_no_loss(self):
        loop = self.loop(DLTAP_MAX_MB="0.5:ring")
        while loop.launches() < 100_000:
            pass
        told = loop.status()["lost"]
        self.assertEqual(loop.end()[0], 0)
        lost = {cause: int(n) for cause, n in LOSS.findall(dump(loop.trace))}
        self.assertGreater(lost.pop("overwritten"), 1 << 20)
        self.assertLessEqual(told, sum(lost.values()))
        report = subprocess.run(
            [DLTAP, "report", "--json", str(loop.trace)],
            capture_output=True, text=True, check=True)
        trust = json.loads(report.stdout)["trust"]
        self.assertEqual(trust["lost_records"], sum(lost.values()))
        self.assertIn("oldest_dropped", [w["id"] for w in trust["warnings"]])

    def test_status_tells_size_losses_and_cost(self):
        loop = self.loop(DLTAP_MAX_MB="64:ring")
        loop.launches()
        status = loop.status()
        self.assertEqual((status["level"], status["policy"], status["lost"]),
                         ("kernels", "ring", 0))
        self.assertEqual(status["limit_bytes"], 64 << 20)
        self.assertGreater(status["bytes"], 0)
        self.assertGreater(status["own_cpu_ns"], 0)
        self.assertLess(status["own_cpu_ns"], status["total_cpu_ns"])
        self.assertTrue(pathlib.Path(status["trace"]).is_file())
        text = ctl(loop.pid, "status")
        self.assertIn("own cost:", text.stdout)
        loop.end()

    def test_who_cannot_be_steered_is_told_why(self):
        child = subprocess.Popen(["/bin/cat"], stdin=subprocess.PIPE)
        done = ctl(child.pid, "status")
        self.assertEqual(done.returncode, 3)
        self.assertIn("is not being recorded", done.stderr)
        child.communicate()
        self.assertIn("there is no process", ctl(child.pid, "stop").stderr)
        self.assertEqual(ctl(child.pid, "sleep").returncode, 2)

    def test_forked_child_is_not_taken_for_its_parent(self):
        loop = self.loop()
        loop.child.stdin.write("fork\n")
        loop.child.stdin.flush()
        child = int(loop.child.stdout.readline())
        self.assertEqual(ctl(child, "stop").returncode, 3)
        self.assertEqual(loop.status()["state"], "recording")
        loop.end()

    def test_delay_and_duration_bound_what_is_recorded(self):
        loop = self.loop("--delay", "2", "--duration", "1")
        self.assertEqual(loop.status()["state"], "paused")
        loop.wait_for("recording")
        early = loop.launches()
        loop.wait_for("paused")
        made = loop.launches()
        self.assertEqual(loop.end()[0], 0)
        self.assertGreater(early, 0)
        self.assertLess(recorded(loop.trace), made)
        self.assertGreater(recorded(loop.trace), 0)

    def test_range_is_the_window(self):
        loop = self.loop("--range", "measured")
        loop.launches()
        loop.child.stdin.write("range 7\n")
        loop.child.stdin.flush()
        loop.child.stdout.readline()
        loop.launches()
        self.assertEqual(loop.end()[0], 0)
        self.assertEqual(recorded(loop.trace), 7)

    def test_level_steps_down_and_says_why(self):
        loop = self.loop(DLTAP_STEP_DOWN="1:1")
        while loop.status()["level"] != "host":
            loop.launches()
        loop.launches()
        status, stderr = loop.end()
        self.assertEqual(status, 0)
        self.assertIn("no kernel records from here on: recording took", stderr)
        report = json.loads(subprocess.run(
            [DLTAP, "report", "--json", str(loop.trace)], capture_output=True,
            text=True, check=True).stdout)
        self.assertEqual(report["trust"]["level"], "host")
        self.assertIn("of the CPU time", report["trust"]["why"])

    def test_level_stays_while_a_program_waits(self):
        loop = self.loop(DLTAP_STEP_DOWN="20:1")
        loop.rest()
        time.sleep(3.5)
        self.assertEqual(loop.status()["level"], "kernels")
        self.assertEqual(loop.end()[0], 0)

    def test_level_stays_when_step_down_is_off(self):
        loop = self.loop(DLTAP_STEP_DOWN="off")
        started = time.monotonic()
        while time.monotonic() < started + 1.5:
            loop.launches()
        self.assertEqual(loop.status()["level"], "kernels")
        self.assertEqual(loop.end()[0], 0)


if __name__ == "__main__":
    DLTAP, PROGRAM = sys.argv.pop(1), sys.argv.pop(1)
    unittest.main()
