# SPDX-License-Identifier: Apache-2.0
"""`dltap query --replay DATASET`: what a step would be without its stragglers
is what it is in the same job without the fault. Needs numpy and pyarrow."""
import json
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/support/dataset"))
try:
    import asking
    import job
    import numpy as np
    import write
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)
from job import Fault  # noqa: E402

SHAPES = ({"tensor": 1, "pipeline": 1, "data": 8}, {"data": 4},
          {"tensor": 1, "pipeline": 4, "data": 3})


def step_ms(simulation: job.Simulation) -> float:
    """The truth: mean over steps, median over ranks."""
    return float(np.mean([np.median(end - begin)
                          for begin, end in simulation.bounds])) / 1e6


def replayed(*settings: str, **options) -> tuple[dict, float]:
    """The answer, and how long a step truly was."""
    with tempfile.TemporaryDirectory() as folder:
        simulation = job.Simulation(job.Job(**options))
        write.write(simulation, pathlib.Path(folder), with_kernels=True)
        answer = json.loads(asking.run("--format", "json", "--replay", folder,
                                       *settings))
        return answer, step_ms(simulation)


class Counterfactual(unittest.TestCase):
    def check(self, fault: Fault, **options) -> dict:
        faulty, length = replayed(faults=(fault,), **options)
        _, healthy = replayed(**options)
        # The replay of what was recorded is what was recorded.
        self.assertLess(abs(faulty["replayed_ns"] / 1e6 / length - 1), 0.01)
        # Jitter goes, too: a little below the job without the fault.
        self.assertLess(faulty["ideal_ns"] / 1e6, healthy * 1.01)
        self.assertGreater(faulty["ideal_ns"] / 1e6, healthy * 0.97)
        return faulty

    def test_of_a_slow_device(self):
        for seed, shape in enumerate(SHAPES):
            for factor, step in ((1.2, 0), (2.0, 6)):
                with self.subTest(shape=shape, factor=factor, step=step):
                    found = self.check(Fault("slow_gpu", 5, step, factor),
                                       seed=seed, **shape)
                    self.assertEqual(found["mended_ranks"], [5])
                    self.assertEqual(found["ranks"][0]["rank"], 5)
                    self.assertGreater(found["mended_share"], 0.9)
                    self.assertLess(found["ranks"][1]["share"], 0.1)
                    self.assertLess(found["transfer_share"], 0.1)

    def test_of_a_slow_link(self):
        """In fewer than half of the steps: the median is what is usual."""
        for seed, shape in enumerate(SHAPES):
            with self.subTest(shape=shape):
                found = self.check(Fault("slow_link", 5, 8, 3.0), seed=seed,
                                   **shape)
                self.assertGreater(found["transfer_share"], 0.9)
                self.assertLess(found["own_share"], 0.1)
                most = found["by_transfers"][0]["share"]
                self.assertIn(5, [rank["rank"]
                                  for rank in found["by_transfers"]
                                  if rank["share"] > 0.95 * most])

    def test_of_a_slow_host(self):
        found = self.check(Fault("slow_host", 5, 0, 1.5), tensor=1, pipeline=1,
                           data=8, ranks_per_host=1)
        self.assertEqual(found["mended_ranks"], [5])
        self.assertGreater(found["mended_share"], 0.9)

    def test_of_a_slow_stage(self):
        """Two of three replicas are fast: the stage that is slow is named."""
        found = self.check(Fault("slow_gpu", 1, 0, 1.5), tensor=1, pipeline=4,
                           data=3)
        worst = max(found["roles"], key=lambda role: role["share"])
        self.assertIn(1, worst["ranks"])
        self.assertGreater(worst["share"], 0.9)


class FewPeers(unittest.TestCase):
    def test_of_two_ranks_and_of_half_of_them(self):
        for ranks in (2, 8):
            slow = tuple(Fault("slow_gpu", rank, 0, 1.5)
                         for rank in range(ranks // 2))
            shape = {"tensor": 1, "pipeline": 1, "data": ranks}
            with self.subTest(ranks=ranks):
                found, _ = replayed(faults=slow, **shape)
                _, healthy = replayed(**shape)
                self.assertLess(abs(found["ideal_ns"] / 1e6 / healthy - 1),
                                0.01)

    def test_who_has_none_is_said(self):
        """Each stage once: its own steps, most of them slow, are usual."""
        with tempfile.TemporaryDirectory() as folder:
            write.write(job.Simulation(job.Job(
                tensor=1, pipeline=2, data=1,
                faults=(Fault("slow_gpu", 1, 4, 1.5),))),
                pathlib.Path(folder), with_kernels=True)
            text = asking.run("--replay", folder)
            self.assertIn("2 of 2 devices do what no other does", text)
            self.assertIn("nothing is seen to straggle", text)
            answer = json.loads(asking.run("--format", "json", "--replay",
                                           folder))
            self.assertIsNone(answer["own_share"])
            self.assertIsNone(answer["ranks"][0]["share"])


class BesideWork(job.Simulation):
    """One of three transfers of a size is always slower than the others."""

    def _update(self, step: int) -> None:
        for length in (3.0, 6.0, 3.0):
            self._meet(step, "data", "all_reduce", np.arange(8), 64 << 20,
                       length)


class Healthy(unittest.TestCase):
    def test_transfers_have_their_place_in_the_step(self):
        with tempfile.TemporaryDirectory() as folder:
            write.write(BesideWork(job.Job(tensor=1, pipeline=1, data=8)),
                        pathlib.Path(folder), with_kernels=True)
            self.assertIn("nothing straggles", asking.run("--replay", folder))

    def test_nothing_straggles(self):
        for seed, shape in enumerate(SHAPES * 2):
            with self.subTest(shape=shape, seed=seed):
                found, length = replayed(seed=seed, **shape)
                self.assertLess(found["slowdown"], 1.03)
                self.assertLess(abs(found["replayed_ns"] / 1e6 / length - 1),
                                0.01)

    def test_steps_are_chosen(self):
        fault = Fault("slow_gpu", 5, 6, 2.0)
        early, _ = replayed("--set", "to_step=4", faults=(fault,))
        late, _ = replayed("--set", "from_step=7", faults=(fault,))
        self.assertEqual((early["steps"], late["steps"]), (5, 5))
        self.assertLess(early["slowdown"], 1.03)
        self.assertGreater(late["slowdown"], 1.3)


class Refused(unittest.TestCase):
    def test_with_a_reason(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder)
            for run in ("one", "two"):
                write.write(job.Simulation(job.Job(steps=3)), path, run=run,
                            with_kernels=True)
            for arguments, words in (
                    ((folder,), "--set run=NAME chooses one of one, two"),
                    ((folder, "--set", "top=3"), "run, from_step and to_step"),
                    ((folder, "--set", "run=three"), "no used steps"),
                    ((folder + "/none",), "no such file or folder"),
                    ((folder, "--engine", "duckdb"), "is for questions"),
                    ((folder, "--parquet", folder + "/x"), "is for questions"),
                    ((folder, folder), "DATASET is for questions"),
                    ((folder, "--format", "csv"), "as table or json")):
                with self.subTest(words), self.assertRaisesRegex(
                        AssertionError, words):
                    asking.run("--replay", *arguments)
            asking.run("--replay", folder, "--set", "run=two")


if __name__ == "__main__":
    unittest.main()
