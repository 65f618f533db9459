# SPDX-License-Identifier: Apache-2.0
"""A training job of many ranks, simulated: tensor, pipeline and data groups.

Times are true ones, in ns since the job began; `write.py` gives every host its
own clock. What is wrong with the job is known, and the questions must find it.
"""
import dataclasses

import numpy as np

FORWARD, BACKWARD, OPTIMIZER = "forward", "backward", "update"
MS = 1_000_000.0


@dataclasses.dataclass
class Fault:
    """kind: slow_gpu, slow_host (RANK's host), slow_link (all transfers that
    `rank` takes part in), long_data, long_stage (more layers on the stage of
    `rank`), extra_kernels (some of the blocks end with one more kernel), ends
    (`rank` has no work from that step on, and only takes part in collectives,
    in what it takes for its last step), dead, skip, size."""
    kind: str
    rank: int
    step: int = 0
    factor: float = 1.3


@dataclasses.dataclass
class Job:
    tensor: int = 2
    pipeline: int = 2
    data: int = 4
    steps: int = 12
    micro_batches: int = 4
    layers: int = 2
    seed: int = 0
    jitter: float = 0.01
    uneven: float = 0.0  # spread of sequence lengths, over replicas
    growth: float = 1.0  # of the lengths, from step to step
    ranks_per_host: int = 8
    offset_ns: float = 2e6
    drift: float = 20e-6
    faults: tuple[Fault, ...] = ()
    everyone: bool = True  # a collective of all ranks each step

    @property
    def ranks(self) -> int:
        return self.tensor * self.pipeline * self.data

    def rank_of(self, stage: int) -> np.ndarray:
        """[data, tensor] -> rank"""
        d, t = np.meshgrid(range(self.data), range(self.tensor),
                           indexing="ij")
        return (d * self.pipeline + stage) * self.tensor + t


@dataclasses.dataclass
class Block:
    """Compute of one stage's ranks: kernels that follow each other."""
    step: int
    direction: str
    ranks: np.ndarray
    begin: np.ndarray
    length: np.ndarray
    gap: np.ndarray  # the device waits for the host so long before
    flops: np.ndarray
    extra: np.ndarray  # how much of the length one more kernel takes


@dataclasses.dataclass
class Meeting:
    """One collective, or a send with its receive (kind send, then recv)."""
    step: int
    communicator: str
    kind: str
    members: np.ndarray
    begin: np.ndarray
    end: np.ndarray
    bytes: int
    lane: tuple[int, int] | None = None  # places of sender and receiver


class Simulation:
    def __init__(self, job: Job):
        self.job = job
        self.random = np.random.default_rng(job.seed)
        self.now = np.zeros(job.ranks)
        self.blocks: list[Block] = []
        self.meetings: list[Meeting] = []
        self.bounds: list[tuple[np.ndarray, np.ndarray]] = []
        self.length_of = np.ones(job.data)
        for step in range(job.steps):
            self._step(step)

    def _factor(self, kind: str, step: int, ranks: np.ndarray) -> np.ndarray:
        factor = np.ones(ranks.shape)
        for fault in self.job.faults:
            if fault.kind != kind or step < fault.step:
                continue
            hit = ranks == fault.rank
            if kind == "long_stage":
                hit = self._stage_of(ranks) == self._stage_of(fault.rank)
            if kind == "slow_host":
                per = self.job.ranks_per_host
                hit = ranks // per == fault.rank // per
            elif kind == "long_data":
                replica = self.job.tensor * self.job.pipeline
                hit = ranks // replica == fault.rank // replica
            factor[hit] *= fault.factor
        return factor

    def _stage_of(self, ranks):
        return ranks // self.job.tensor % self.job.pipeline

    def _compute(self, step: int, stage: int, direction: str,
                 milliseconds: float) -> None:
        ranks = self.job.rank_of(stage)
        longer = (self.length_of[:, None] *
                  self._factor("long_data", step, ranks) *
                  self._factor("long_stage", step, ranks))
        if direction == OPTIMIZER:
            longer = np.ones(ranks.shape)
        noise = 1 + self.job.jitter * self.random.standard_normal(ranks.shape)
        length = (milliseconds * MS * noise * longer *
                  self._factor("slow_gpu", step, ranks))
        host = self._factor("slow_host", step, ranks)
        gap = 0.02 * MS * self.random.uniform(0.5, 1.5, ranks.shape)
        gap = gap + (host - 1) * milliseconds * MS
        if direction == FORWARD:
            extra = length * (self._factor("extra_kernels", step, ranks) - 1)
        else:
            extra = np.zeros(ranks.shape)
        length = length + extra
        for fault in self.job.faults:
            if fault.kind == "ends" and step >= fault.step:
                length[ranks == fault.rank] = gap[ranks == fault.rank] = 0
        begin = self.now[ranks] + gap
        self.blocks.append(Block(step, direction, ranks, begin, length, gap,
                                 milliseconds * 1e11 * longer, extra))
        self.now[ranks] = begin + length

    def _meet(self, step: int, communicator: str, kind: str,
              members: np.ndarray, size: int, milliseconds: float,
              lane: tuple[int, int] | None = None) -> None:
        slow = self._factor("slow_link", step, members).max()
        begin = self.now[members] + 2000 * self.random.uniform(
            0.5, 1.5, members.shape)
        noise = 1 + 0.03 * self.random.standard_normal()
        end = begin.max() + milliseconds * MS * slow * max(noise, 0.5)
        ends = end + 1000 * self.random.uniform(0, 1, members.shape)
        self.meetings.append(Meeting(step, communicator, kind, members, begin,
                                     ends, size, lane))
        self.now[members] = ends

    def _tensor_groups(self, step: int, stage: int) -> None:
        if self.job.tensor == 1:
            return
        for row, members in enumerate(self.job.rank_of(stage)):
            self._meet(step, f"tensor-{stage}-{row}", "all_reduce", members,
                       16 << 20, 0.2)

    def _pass_on(self, step: int, sender: int, receiver: int) -> None:
        """Activations or gradients, between the stages of each pipeline."""
        low = min(sender, receiver)
        ends = {s: self.job.rank_of(s).ravel() for s in (low, low + 1)}
        for source, target in zip(ends[sender], ends[receiver]):
            name = f"pipe-{source // (self.job.tensor * self.job.pipeline)}-" \
                   f"{source % self.job.tensor}"
            self._meet(step, name, "send", np.array([source, target]),
                       8 << 20, 0.1, (sender, receiver))

    def _step(self, step: int) -> None:
        job = self.job
        begin = self.now.copy()
        self.length_of = np.exp(job.uneven *
                                self.random.standard_normal(job.data))
        self.length_of *= job.growth ** step
        for _ in range(job.micro_batches):
            for stage in range(job.pipeline):
                if stage > 0:
                    self._pass_on(step, stage - 1, stage)
                for _ in range(job.layers):
                    self._compute(step, stage, FORWARD, 1.0)
                    self._tensor_groups(step, stage)
        for _ in range(job.micro_batches):
            for stage in reversed(range(job.pipeline)):
                if stage < job.pipeline - 1:
                    self._pass_on(step, stage + 1, stage)
                for _ in range(job.layers):
                    self._compute(step, stage, BACKWARD, 2.0)
                    self._tensor_groups(step, stage)
        self._update(step)
        self.bounds.append((begin, self.now.copy()))

    def _update(self, step: int) -> None:
        job = self.job
        for stage in range(job.pipeline):
            ranks = job.rank_of(stage)
            if job.data > 1:
                for column in range(job.tensor):
                    self._meet(step, f"data-{stage}-{column}", "all_reduce",
                               ranks[:, column], 200 << 20, 3.0)
        if job.everyone:
            self._meet(step, "world", "all_reduce", np.arange(job.ranks), 4,
                       0.05)
        for stage in range(job.pipeline):
            self._compute(step, stage, OPTIMIZER, 0.5)
