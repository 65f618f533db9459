# SPDX-License-Identifier: Apache-2.0
"""Are the frames that looks find those that the thread is in?

Usage: frames_test.py DLTAP PROGRAMS SIMGPU_DIR

A Python program is for a known time at known places, and says what Python's own
frames are there. More interpreters: SITES_TEST_PYTHONS, as in sites_test.py.
"""
import collections
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import sites_test

PROGRAM = pathlib.Path(__file__).resolve().parent / "programs/python_frames.py"
DEPTH = 64
# A thread that sleeps is looked at less and less often.
LEAST_LOOKS = 2


class Looks:
    """Of a dump: the paths that were found, with how often."""

    def __init__(self, text):
        sites = []
        self.counts = collections.Counter()
        self.threads = collections.defaultdict(set)
        for line in text.splitlines():
            kind, *rest = line.split()
            if kind == "site":
                sites.append([])
            elif kind == "frame":
                words = sites_test.words_of(line)
                sites[-1].append((words["function"].rpartition(".")[2],
                                  words["place"], int(words.get("line", 0))))
            elif kind == "frames":
                words = sites_test.words_of(line)
                path = (tuple(sites[int(words["site"]) - 1])
                        if "site" in words else ())
                self.counts[path] += 1
                self.threads[words["thread"]].add(path)


class FramesTest(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.runs = 0

    def record(self, what, python=sys.executable, program=PROGRAM,
               **variables):
        self.runs += 1
        out = os.path.join(self.folder, str(self.runs))
        done = subprocess.run(
            [DLTAP, "run", "--no-report", "--gpu", "sim:h100-sxm", "-o", out,
             "--", python, program, SIMGPU, what], text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300,
            env={**os.environ, **variables})
        self.assertEqual(done.returncode, 0, done.stderr)
        dump = subprocess.run([DLTAP, "dump", out], text=True, check=True,
                              stdout=subprocess.PIPE).stdout
        return Looks(dump), done.stdout

    def check(self, looks, text, names):
        seen = json.loads(text)
        for name in names:
            _, frames = seen[name]
            expected = [tuple(frame) for frame in frames]
            found = 0
            for path, count in looks.counts.items():
                at = [i for i, frame in enumerate(path) if frame[0] == name]
                if not at:
                    continue
                found += count
                # What lies around it, from its caller on, is exactly so.
                self.assertEqual(path[at[0] + 1:],
                                 tuple(expected[1:DEPTH - at[0]]), name)
            self.assertGreaterEqual(found, LEAST_LOOKS, (name, looks.counts))
            if name in ("sleeps", "yields"):
                self.assertIn(tuple(expected[:DEPTH]), looks.counts)

    def by_each(self, what):
        """What each interpreter's program leaves."""
        for python in sites_test.interpreters():
            yield self.record(what, python)

    def test_they_are_those_that_python_shows(self):
        for looks, text in self.by_each("one"):
            self.check(looks, text, ["sleeps", "computes", "yields"])

    def test_of_several_threads_each_has_its_own(self):
        for looks, text in self.by_each("threads"):
            self.check(looks, text, ["waits", "computes"])
            for paths in looks.threads.values():
                names = {frame[0] for path in paths for frame in path}
                self.assertFalse({"waits", "computes"} <= names)

    def test_threads_whose_numbers_are_alike_are_both_looked_at(self):
        looks, _ = self.record("alike")
        both = [paths for paths in looks.threads.values()
                if any(path and path[0][0] == "naps" for path in paths)]
        self.assertEqual(len(both), 2, looks.counts)

    def test_of_a_deep_path_the_innermost_frames_are_kept(self):
        looks, _ = self.record("deep")
        deepest = max(looks.counts, key=len)
        self.assertEqual(len(deepest), DEPTH)
        self.assertEqual({frame[0] for frame in deepest[1:]}, {"descends"})

    def test_of_a_long_path_of_a_file_the_end_is_kept(self):
        folder = pathlib.Path(self.folder, *("folder" * 30,) * 4)
        folder.mkdir(parents=True)
        program = shutil.copy(PROGRAM, folder)
        looks, _ = self.record("one", program=program)
        places = {frame[1] for path in looks.counts for frame in path}
        self.assertEqual({os.path.basename(place) for place in places},
                         {PROGRAM.name})
        for place in places:
            self.assertTrue(program.endswith(place), place)

    def test_a_filter_that_kills_readers_kills_nobody(self):
        looks, text = self.record("filtered")
        self.check(looks, text, ["sleeps", "computes", "yields"])

    def test_a_program_that_closes_all_files_goes_on(self):
        self.record("closed")

    def test_a_forked_child_has_its_own(self):
        for looks, text in self.by_each("forked"):
            self.check(looks, text, ["sleeps", "computes"])

    def test_code_where_other_code_was_is_not_it(self):
        for looks, _ in self.by_each("replaced"):
            names = {frame[0] for path in looks.counts for frame in path
                     if frame[0].startswith("generation_")}
            self.assertGreaterEqual(len(names), LEAST_LOOKS, looks.counts)
            for path in looks.counts:
                for name, place, _ in path:
                    if name.startswith("generation_"):
                        self.assertEqual(place, f"/{name}.py")

    def test_an_interpreter_that_is_unloaded_is_asked_no_more(self):
        for sites in ("off", "python"):
            out = os.path.join(self.folder, sites)
            done = subprocess.run(
                [DLTAP, "run", "--no-report", "--gpu", "sim:h100-sxm",
                 "--sites", sites, "-o", out, "--",
                 PROGRAMS / "tap_unloaded_python",
                 PROGRAMS / "tap_like_python.so"], text=True,
                stdout=subprocess.PIPE, timeout=300)
            self.assertEqual((done.returncode, done.stdout), (0, "done\n"))

    def test_off_leaves_nothing(self):
        looks, _ = self.record("one", DLTAP_FRAMES="0")
        self.assertEqual(looks.counts, {})


if __name__ == "__main__":
    DLTAP = sys.argv[1]
    PROGRAMS = pathlib.Path(sys.argv[2])
    SIMGPU = sys.argv[3]
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
