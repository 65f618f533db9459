# SPDX-License-Identifier: Apache-2.0
"""Two runs of one program on the virtual clock give the same canonical text."""

import itertools
import json
import os
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import chain  # noqa: E402


POLICY = """\
import torch
from torch import distributions, nn
torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 4)).cuda()
optimizer = torch.optim.Adam(policy.parameters())
states = torch.randn(40, 1, 8).cuda()
lengths = set()
for episode in range(4):
    kept = []
    for state in states:
        odds = distributions.Categorical(logits=policy(state))
        action = odds.sample()
        kept.append(odds.log_prob(action))
        if action.item() == 2:
            break
    optimizer.zero_grad()
    (-torch.stack(kept).mean()).backward()
    optimizer.step()
    lengths.add(len(kept))
assert len(lengths) > 1, lengths
"""


def canonical_dump(command, folder: str, gpus: int = 1,
                   **variables: str) -> str:
    trace = pathlib.Path(folder, "trace")
    chain.run_tapped(command, trace,
                     ["--sim-clock", "virtual", "--no-report",
                      "--gpus", str(gpus)], **variables)
    return chain.dltap("dump", "--canonical", trace).stdout


class VirtualClockTest(unittest.TestCase):

    def check(self, program: chain.Program, gpus: int = 1,
              **variables: str):
        command = getattr(program, "command", program)
        dumps = []
        for _ in range(2):
            with tempfile.TemporaryDirectory() as folder:
                dumps.append(canonical_dump(command, folder, gpus,
                                            **variables))
        first, second = (dump.splitlines() for dump in dumps)
        self.assertTrue(any(line.startswith("kernel ") for line in first))
        pairs = itertools.zip_longest(first, second)
        for number, (a, b) in enumerate(pairs, 1):
            self.assertEqual(a, b, f"{program}: line {number} differs")

    def test_one_stream(self):
        self.check(chain.cpp("lstm", steps=4))

    def test_graph(self):
        self.check(chain.cpp("cnn", "--capture", steps=4))

    def test_streams_events_copies_and_host_functions(self):
        self.check(chain.cpp("pipeline", steps=8))

    @chain.needs_torch
    def test_python_rnn(self):
        self.check(chain.script("train_lstm_lm.py", steps=4))

    @chain.needs_torch
    def test_python_cnn(self):
        self.check(chain.script("train_resnet.py", steps=2))

    @chain.needs_torch
    def test_plausible_values(self):
        # How long an episode is depends on what the policy draws.
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder, "policy.py")
            program.write_text(POLICY)
            self.check([sys.executable, program],
                       DLTAP_SIM_VALUES="plausible")

    @chain.needs_torch
    def test_two_ranks(self):
        # Steps 1 to 10 are those that DDP measures, by waiting for events.
        self.check([sys.executable, "-m", "torch.distributed.run",
                    "--standalone", "--nproc-per-node", "2",
                    chain.SCRIPTS / "train_ddp.py", "--steps", "13"], gpus=2)

    @chain.needs_torch
    def test_a_program_that_ends_ahead_of_its_work_loses_none(self):
        program = chain.script("train_resnet.py", steps=2)
        with tempfile.TemporaryDirectory() as folder:
            trace = pathlib.Path(folder, "trace")
            chain.run_tapped(program.command, trace,
                             ["--sim-clock", "virtual", "--no-report"])
            report = json.loads(chain.dltap("report", "--json", trace).stdout)
        trust = report["trust"]
        self.assertGreater(trust["recorded_launches"], 1000)
        self.assertEqual(trust["launches_without_kernel"], 0, trust)
        self.assertEqual(trust["lost_records"], 0, trust)

    def test_no_record_is_lost_where_the_collector_gets_no_cpu(self):
        """400,000 calls without a pause, on the one CPU that it needs, too."""
        program = (chain.BUILD / "tests/integration/endtoend/programs/long_run")
        cpu = str(min(os.sched_getaffinity(0)))
        with tempfile.TemporaryDirectory() as folder:
            trace = pathlib.Path(folder, "trace")
            chain.run_tapped(["taskset", "-c", cpu, program, "400"], trace,
                             ["--sim-clock", "virtual", "--no-report"])
            trust = chain.report(trace)["trust"]
        self.assertEqual(trust["recorded_launches"], 400_000)
        self.assertEqual(trust["lost_records"], 0, trust)

    def test_only_virtual_host_times_are_called_fixed_costs(self):
        program = chain.cpp("lstm", steps=4)
        for clock in ("virtual", "skip"):
            with tempfile.TemporaryDirectory() as folder:
                trace = pathlib.Path(folder, "trace")
                chain.run_tapped(program.command, trace,
                                 ["--sim-clock", clock, "--no-report"])
                report = chain.dltap("report", trace).stdout
            with self.subTest(clock=clock):
                self.assertEqual("host times are fixed costs" in report,
                                 clock == "virtual", report)


if __name__ == "__main__":
    unittest.main()
