# SPDX-License-Identifier: Apache-2.0
"""A published trace of stragglers gives its published answer.

usage: published_replay_test.py REPLAY-OPERATIONS FOLDER
FOLDER holds straggler_NAME.parquet and straggler_NAME_meta.yaml; of AR the
authors (ByteDance-Seed/StragglerAnalysis) publish what the step was, what it
would be without stragglers, and that one worker is to blame.
"""
import json
import pathlib
import re
import subprocess
import sys
import unittest

try:
    import duckdb
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

PROGRAM, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])
TRACE = FOLDER / "straggler_AR.parquet"
if not TRACE.exists():
    print(f"skipped: no {TRACE.name}")
    sys.exit(77)
COLUMNS = ("dp_rank, stage, rank, step, optype, start_ts::DOUBLE, "
           "duration::DOUBLE, seq_id, coalesce(mc, 0), coalesce(gmc, 0)")


def replay(where: str = "true") -> dict:
    rows = duckdb.execute(f"SELECT {COLUMNS} FROM '{TRACE}' "
                          f"WHERE {where}").fetchall()
    text = "".join(",".join(map(str, row)) + "\n" for row in rows)
    meta = (FOLDER / "straggler_AR_meta.yaml").read_text()
    dsp = re.search(r"^dsp_size: (\d+)$", meta, re.M)[1]
    return json.loads(subprocess.run(
        [PROGRAM, dsp], input=text, text=True, check=True,
        capture_output=True).stdout)


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
            self.assertAlmostEqual(mine, theirs, delta=5e-5)

    def test_a_step_that_is_not_whole_is_left_out(self):
        found = replay("NOT (step = 16 AND optype = 'optimizer')")
        self.assertEqual((found["steps"], found["left_out"]), (43, 1))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
