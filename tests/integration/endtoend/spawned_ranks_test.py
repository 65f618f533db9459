# SPDX-License-Identifier: Apache-2.0
"""Ranks that a program starts by itself are numbered by the communicator that
all of them have, for no variable of their environment tells who is who.

usage: spawned_ranks_test.py DUCKDB-FOLDER
"""
import json
import os
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import chain  # noqa: E402

DUCKDB = pathlib.Path(sys.argv.pop(1))
if not (DUCKDB / "libduckdb.so").exists():
    print("skipped: no libduckdb.so; scripts/setup.sh --tests fetches it")
    sys.exit(77)
PROGRAM = pathlib.Path(__file__).parent / "programs/spawned_ranks.py"
RANKS = 3
# Of torch.nn.parallel's launchers that start the ranks of a node: one task of
# SLURM, or one pod, has them all.
ENVIRONMENTS = ({}, {"SLURM_PROCID": "0", "SLURM_NTASKS": "1"},
                {"JOB_COMPLETION_INDEX": "1"})


@chain.needs_torch
class SpawnedRanksTest(unittest.TestCase):
    def test_each_has_its_place_in_the_communicator_of_all(self):
        for variables in ENVIRONMENTS:
            with self.subTest(variables), \
                    tempfile.TemporaryDirectory() as folder:
                self.check(pathlib.Path(folder), variables)

    def check(self, folder: pathlib.Path, variables: dict) -> None:
        done = chain.run(
            [chain.DLTAP, "run", "--no-report", "--gpu", f"sim:{chain.GPU}",
             "--gpus", RANKS, "-o", folder / "trace", "--pack",
             folder / "set", "--", sys.executable, PROGRAM, RANKS],
            os.environ | {"DLTAP_SIM_CLOCK": "real", "STORE": str(folder),
                          "LD_LIBRARY_PATH": str(DUCKDB), **variables})
        truth = {(int(pid), int(rank)) for pid, rank in
                 (line.split() for line in done.stdout.splitlines()
                  if line[:1].isdigit())}
        self.assertEqual(len(truth), RANKS, done.stdout)
        rows = json.loads(chain.run(
            [chain.DLTAP, "query", "--format", "json", folder / "set",
             "SELECT pid, rank, world_size, rank_from FROM runs"],
            os.environ | {"LD_LIBRARY_PATH": str(DUCKDB)}).stdout)
        self.assertEqual({(row["pid"], row["rank"]) for row in rows}, truth)
        self.assertEqual({(row["world_size"], row["rank_from"])
                          for row in rows}, {(RANKS, "communicator")})
        self.check_report(folder / "trace", truth)

    def check_report(self, trace: pathlib.Path, truth: set) -> None:
        """Those of the report of the traces themselves, all or one."""
        def said(*options) -> set:
            return {(int(process["process"].split(":")[1]), process["rank"])
                    for process in chain.report(trace, *options)["processes"]
                    if process["gpu_work"]}

        self.assertEqual(said(), truth)
        pid, rank = max(truth)
        self.assertEqual(said("--rank", rank), {(pid, rank)})


if __name__ == "__main__":
    unittest.main()
