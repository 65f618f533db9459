# SPDX-License-Identifier: Apache-2.0
"""`dltap query DATASET missing` where processes were killed: who was waited
for. Needs numpy and pyarrow."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/support/dataset"))
try:
    import asking
    import write
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

ENDED = 6  # collectives that all left


def write_rank(folder: pathlib.Path, rank: int, called: int,
               open_call: str | None, **facts: object) -> None:
    """Its host asked for so many collectives and was then killed."""
    begin = [write.EPOCH + nth * 1_000_000 for nth in range(called)]
    write.write_table(folder, "one", rank, "collectives", {
        "process": f"node:{rank}", "device": 0, "communicator": "world",
        "ranks": 4, "communicator_rank": rank, "kind": "all_reduce",
        "bytes": 1024, "nth": list(range(called)), "begin_ns": begin,
        "end_ns": [b + 50_000 if nth < ENDED else None
                   for nth, b in enumerate(begin)]}, called)
    write.write_table(folder, "one", rank, "runs", {
        "process": f"node:{rank}", "host": "node", "world_size": 4,
        "begin_ns": write.EPOCH, "end_ns": begin[-1], "complete": False,
        "open_call": open_call, "lost": 0, "format": "dltap"} | facts, 1)


class CutShort(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.addCleanup(self._folder.cleanup)
        self.path = pathlib.Path(self._folder.name)

    def missing(self, *ranks: tuple[int, str | None]) -> set[tuple]:
        for rank, (called, open_call) in enumerate(ranks):
            write_rank(self.path, rank, called, open_call)
        rows = asking.Dataset(self.path).ask("missing")
        return {(r["finding"], r["nth"], r["rank"]) for r in rows}

    def test_who_stopped_in_no_call_is_a_guess(self):
        """All had called the one that hangs: their hosts ran ahead."""
        hung = (12, "cudaEventSynchronize")
        self.assertIn(("perhaps waited for", ENDED, 2),
                      self.missing(hung, hung, (10, None), hung))
        report = json.loads(subprocess.run(
            [os.environ["DLTAP"], "report", "--json", self.path], check=True,
            capture_output=True).stdout)
        self.assertRegex(report["verdict"][0], "perhaps they wait for rank 2")

    def test_none_is_guessed_where_ranks_stopped_alike(self):
        for ranks in (((12, None), (12, None), (10, None), (12, None)),
                      ((12, "x"), (12, "x"), (12, None), (12, "x")),
                      ((12, "x"), (9, "x"), (10, None), (12, "x"))):
            with self.subTest(ranks):
                self.assertNotIn("perhaps waited for", {
                    finding for finding, _, _ in self.missing(*ranks)})

    def test_who_was_killed_in_the_call_had_come(self):
        rows = self.missing((ENDED, "ncclAllReduce"), (ENDED + 1, None),
                            (ENDED, None), (ENDED + 1, None))
        self.assertIn(("never came: others wait", ENDED, 2), rows)
        self.assertNotIn(("never came: others wait", ENDED, 0), rows)

    def test_recording_that_stopped_earlier_on_one_rank_is_no_rank_too_few(
            self):
        for facts in ({"recorded_until_ns": write.EPOCH + 9}, {"lost": 3}):
            with self.subTest(facts):
                for rank, called in enumerate((6, 4, 6, 5)):
                    write_rank(self.path, rank, called, None, complete=True,
                               **facts)
                rows = asking.Dataset(self.path).ask("missing")
                self.assertEqual({(r["finding"], r["rank"]) for r in rows},
                                 {("trace is cut short", 1),
                                  ("trace is cut short", 3)})


if __name__ == "__main__":
    unittest.main()
