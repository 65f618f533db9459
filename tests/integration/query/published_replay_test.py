# SPDX-License-Identifier: Apache-2.0
"""A published trace of stragglers gives its published answer.

usage: published_replay_test.py DLTAP FOLDER DUCKDB-FOLDER
FOLDER holds straggler_NAME.parquet and straggler_NAME_meta.yaml; of AR the
authors (ByteDance-Seed/StragglerAnalysis) publish what the step was, what it
would be without stragglers, and that one worker is to blame.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

DLTAP = sys.argv[1]
FOLDER, DUCKDB = map(pathlib.Path, sys.argv[2:4])
TRACE = FOLDER / "straggler_AR.parquet"
META = FOLDER / "straggler_AR_meta.yaml"
for needed in (TRACE, DUCKDB / "libduckdb.so"):
    if not needed.exists():
        print(f"skipped: no {needed.name}")
        sys.exit(77)
ENV = os.environ | {"LD_LIBRARY_PATH": str(DUCKDB)}


def query(*arguments) -> subprocess.CompletedProcess:
    return subprocess.run([DLTAP, "query", *map(str, arguments)], text=True,
                          capture_output=True, check=False, env=ENV)


def replay(where: str = "true", columns: str = "*") -> dict:
    """Of the trace's rows for which `where` holds."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "run=none").mkdir()
        part = folder / "straggler_AR.parquet"
        shutil.copy(META, folder)
        made = query("--parquet", part, folder,
                     f"SELECT {columns} FROM '{TRACE}' WHERE {where}")
        assert made.returncode == 0, made.stderr
        done = query("--format", "json", "--replay", part)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)


class Published(unittest.TestCase):
    def test_the_answer_is_the_published_one(self):
        found = replay()
        self.assertEqual(found["steps"], 44)
        self.assertAlmostEqual(found["replayed_s"], 46.3364, delta=5e-4)
        self.assertAlmostEqual(found["ideal_s"], 23.4847, delta=5e-4)
        self.assertAlmostEqual(found["slowdown"], 1.97305, delta=5e-5)
        self.assertAlmostEqual(found["worker_share"], 1.00170, delta=5e-5)
        self.assertAlmostEqual(found["stage_shares"][-1], -0.00121,
                               delta=5e-5)
        self.assertEqual(found["mended_workers"], [0])
        for mine, theirs in zip(found["replicas"],
                                (1.97304, 1.01089, 1.01115, 1.01114)):
            self.assertAlmostEqual(mine["slowdown"], theirs, delta=5e-5)

    def test_text_says_what_json_says(self):
        text = query("--replay", TRACE).stdout
        for words in ("44 steps replayed", "46.336 s", "23.485 s", "1.973",
                      "1.002   rank 0"):
            self.assertIn(words, text)

    def test_an_operation_of_another_name_is_named(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "run=none").mkdir()
            part = folder / "x.parquet"
            query("--parquet", part, folder, "SELECT * REPLACE ('dance' AS "
                  f"optype) FROM '{TRACE}' LIMIT 5")
            done = query("--replay", part)
            self.assertEqual(done.returncode, 3)
            self.assertIn("dance", done.stderr)

    def test_another_file_is_refused(self):
        for path in (META, FOLDER / "none.parquet"):
            self.assertEqual(query("--replay", path).returncode, 3)

    def test_columns_that_follow_from_others_may_be_missing(self):
        whole = replay()
        for columns in ("mc, gmc", "mb_id", "rank"):
            found = replay(columns=f"* EXCLUDE ({columns})")
            if columns == "rank":
                self.assertEqual(found["mended_workers"], [0])
                for key in ("workers", "mended_workers"):
                    del found[key], whole[key]
            self.assertEqual(found, whole, columns)

    def test_garbage_that_is_collected_now_and_then_leaves_no_step_out(self):
        whole = replay()
        for kept in ("step % 3 = 0", "dp_rank = 1 AND stage = 2", "false"):
            found = replay(f"optype <> 'gc' OR {kept}")
            self.assertEqual((found["steps"], found["left_out"]), (44, 0))
            self.assertAlmostEqual(found["slowdown"], whole["slowdown"],
                                   delta=2e-4)

    def test_a_step_that_is_not_whole_is_left_out(self):
        found = replay("NOT (step = 16 AND optype = 'optimizer')")
        self.assertEqual((found["steps"], found["left_out"]), (43, 1))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
