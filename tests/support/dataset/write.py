# SPDX-License-Identifier: Apache-2.0
"""Writes a simulated job as a data set, as docs/dataset.md describes it."""
import pathlib
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] /
                       "scripts"))
import dataset_query as dq  # noqa: E402
from job import OPTIMIZER, Simulation  # noqa: E402

EPOCH = 1_760_000_000_000_000_000
ARROW = {"text": pa.string(), "bigint": pa.int64(), "double": pa.float64(),
         "boolean": pa.bool_()}
# Share of a block's time: what a layer runs.
KERNELS = (("sgemm_128x128", "gemm", 0.5), ("flash_fwd", "attention", 0.3),
           ("layer_norm", "normalization", 0.1), ("gelu", "pointwise", 0.1))
ADAM = (("multi_tensor_apply", "optimizer", 1.0),)


class Clocks:
    """Of hosts: time that a host writes = EPOCH + true + offset + drift."""

    def __init__(self, simulation: Simulation):
        job = simulation.job
        random = np.random.default_rng(job.seed + 1)
        hosts = -(-job.ranks // job.ranks_per_host)
        self.host_of = np.arange(job.ranks) // job.ranks_per_host
        self.offset = random.uniform(-1, 1, hosts) * job.offset_ns
        self.drift = random.uniform(-1, 1, hosts) * job.drift
        # By host: from this true time on it is so much later.
        self.set: dict[int, tuple[float, float]] = {}

    def read(self, rank: int, true_ns: np.ndarray) -> np.ndarray:
        host = self.host_of[rank]
        since, by = self.set.get(host, (np.inf, 0.0))
        return EPOCH + np.rint(true_ns * (1 + self.drift[host]) +
                               self.offset[host] +
                               by * (true_ns >= since)).astype(np.int64)


class RankRows:
    """The events of one rank, each with its place in what several share."""

    def __init__(self):
        self.blocks: list[tuple] = []
        self.meetings: list[tuple] = []


def rows_by_rank(simulation: Simulation) -> list[RankRows]:
    rows = [RankRows() for _ in range(simulation.job.ranks)]
    for block in simulation.blocks:
        for place, rank in enumerate(block.ranks.ravel()):
            rows[rank].blocks.append((block, place))
    for meeting in simulation.meetings:
        for place, rank in enumerate(meeting.members):
            rows[rank].meetings.append((meeting, place))
    return rows


def write_table(folder: pathlib.Path, run: str, rank: int, table: str,
                columns: dict, rows: int) -> None:
    types = dq.TABLES[table]
    arrays = []
    for name, kind in types.items():
        value = columns.get(name)
        if value is None or np.ndim(value) == 0:
            value = [value] * rows
        arrays.append(pa.array(value, ARROW[kind]))
    path = folder / f"run={run}" / f"table={table}" / f"rank={rank}"
    path.mkdir(parents=True, exist_ok=True)
    schema = pa.schema([pa.field(n, ARROW[k]) for n, k in types.items()],
                       metadata={"dltap.schema_version": "1",
                                 "dltap.table": table,
                                 "dltap.simulated": "1"})
    pq.write_table(pa.Table.from_arrays(arrays, schema=schema),
                   path / "part-0.parquet", compression="zstd")


class Writer:
    def __init__(self, simulation: Simulation, folder: pathlib.Path,
                 run: str = "one", device_name: str = "H100",
                 with_kernels: bool = False, name_of: str = "{}",
                 without: tuple[int, ...] = (), empty: tuple[int, ...] = (),
                 kernel_rows: int = 0,
                 renumber: dict[int, tuple[int, int]] | None = None,
                 halved: tuple[int, ...] = (), pairs: bool = False,
                 split: bool = False,
                 set_clocks: dict[int, tuple[float, float]] | None = None):
        self.simulation, self.folder, self.run = simulation, folder, run
        self.device_name, self.with_kernels = device_name, with_kernels
        self.name_of = name_of  # of kernels: hostile ones
        self.kernel_rows = kernel_rows  # at least; each is written as often
        # By rank: from this step on its numbers are so much higher.
        self.renumber = renumber or {}
        self.halved = halved  # ranks with two kernels for each of the others
        self.pairs = pairs  # a communicator for each two stages
        self.split = split  # communicators were split off another
        self.clocks = Clocks(simulation)
        self.clocks.set = set_clocks or {}
        self.faults = {f.kind: f for f in simulation.job.faults}
        for rank, rows in enumerate(rows_by_rank(simulation)):
            if rank not in without:
                self._rank(rank, rows, rank in empty)

    def _put(self, rank: int, table: str, columns: dict, rows: int) -> None:
        host = self.clocks.host_of[rank]
        columns = {"process": f"node{host}:{1000 + rank}", "device": 0,
                   **columns}
        if rank in self.renumber and "step" in columns:
            first, more = self.renumber[rank]
            columns["step"] = [None if s is None else
                               int(s) + more * (s >= first)
                               for s in list(columns["step"])]
        write_table(self.folder, self.run, rank, table, columns, rows)

    def _last_step(self, rank: int) -> int:
        """Steps of which something is seen."""
        dead = self.faults.get("dead")
        return self.simulation.job.steps if dead is None else dead.step

    def _work_ends(self, rank: int) -> int:
        return min((f.step for f in self.simulation.job.faults
                    if f.kind == "ends" and f.rank == rank),
                   default=self.simulation.job.steps)

    def _rank(self, rank: int, rows: RankRows, empty: bool) -> None:
        last = 0 if empty else self._last_step(rank)
        rows.blocks = [b for b in rows.blocks
                       if b[0].step < min(last, self._work_ends(rank))]
        if not empty:
            self._collectives(rank, rows, last)
            kernels = self._kernels(rank, rows)
            self._classes(rank, kernels, rows, last)
            self._durations(rank, kernels)
            self._steps(rank, rows, kernels, last)
        self._facts(rank, last)

    def _collectives(self, rank: int, rows: RankRows, last: int) -> None:
        count: dict[tuple, int] = {}
        out: dict[str, list] = {c: [] for c in dq.TABLES["collectives"]}
        for meeting, place in rows.meetings:
            kind, peer = meeting.kind, None
            own = place
            if meeting.lane:
                kind = "recv" if place else "send"
                own, peer = meeting.lane[place], meeting.lane[1 - place]
                if self.pairs:
                    own, peer = (int(own > peer), int(peer > own))
            if meeting.step > last or self._skips(rank, meeting):
                continue
            begin, end = self.clocks.read(
                rank, np.array([meeting.begin[place], meeting.end[place]]))
            if meeting.step == last:
                # The first of the step in which a rank died: nobody ends it.
                dead = self.faults["dead"].rank
                if meeting.communicator in self.hung(dead):
                    if rank == dead:
                        continue
                    end = None
                else:
                    continue
            name = meeting.communicator
            if self.pairs and meeting.lane:
                name += f"-{min(meeting.lane)}"
            key = (name, kind, peer)
            size = meeting.bytes * (2 if self._resizes(rank, meeting) else 1)
            row = {"device": 0, "communicator": name,
                   "ranks": None if self.split else self._size(meeting),
                   "communicator_rank": None if self.split else own,
                   "kind": kind, "dtype": "bf16", "bytes": size,
                   "elements_in": size // 2, "elements_out": size // 2,
                   "peer": peer, "nth": count.get(key, 0), "begin_ns": begin,
                   "end_ns": end,
                   "step": min(meeting.step, self._work_ends(rank) - 1),
                   "name": f"ncclDevKernel_{kind}"}
            count[key] = count.get(key, 0) + 1
            for column in out:
                out[column].append(row.get(column))
            if end is None:
                break
        del out["process"], out["device"]
        self._put(rank, "collectives", out, len(out["nth"]))

    def hung(self, dead: int) -> set[str]:
        first = next(m for m in self.simulation.meetings
                     if m.step == self.faults["dead"].step and
                     (m.members == dead).any())
        return {first.communicator}

    def _size(self, meeting) -> int:
        if meeting.lane and not self.pairs:
            return self.simulation.job.pipeline
        return len(meeting.members)

    def _skips(self, rank: int, meeting) -> bool:
        fault = self.faults.get("skip")
        return (fault is not None and fault.rank == rank and
                fault.step == meeting.step and
                meeting.communicator.startswith("data"))

    def _resizes(self, rank: int, meeting) -> bool:
        fault = self.faults.get("size")
        return (fault is not None and fault.rank == rank and
                fault.step == meeting.step and
                meeting.communicator.startswith("data"))

    def _kernels(self, rank: int, rows: RankRows) -> dict[str, np.ndarray]:
        """Of compute only, as columns; lengths in true time."""
        out: dict[str, list] = {c: [] for c in (
            "step", "direction", "name", "class", "begin", "length", "flops")}
        for block, place in rows.blocks:
            begin = block.begin.ravel()[place]
            extra = block.extra.ravel()[place]
            length = block.length.ravel()[place] - extra
            parts = ADAM if block.direction == OPTIMIZER else KERNELS
            if rank in self.halved:
                parts = [(name, cls, share / 2) for name, cls, share in parts
                         for _ in range(2)]
            if extra > 0:
                parts = [*parts, ("clamp", "pointwise", extra / length)]
            for name, cls, share in parts:
                for column, value in zip(out, (
                        block.step, block.direction, name, cls, begin,
                        length * share, block.flops.ravel()[place] * share *
                        (name != "clamp"))):
                    out[column].append(value)
                begin += length * share
        columns = {c: np.array(v) for c, v in out.items()}
        if self.with_kernels:
            self._write_kernels(rank, columns)
        return columns

    def _write_kernels(self, rank: int, columns: dict) -> None:
        times = -(-self.kernel_rows // len(columns["begin"])) or 1
        columns = {k: np.repeat(v, times) for k, v in columns.items()}
        if times > 1:
            random = np.random.default_rng(rank)
            columns["length"] = columns["length"] / times * random.uniform(
                0.5, 1.5, len(columns["begin"]))
            columns["begin"] = columns["begin"] + np.cumsum(columns["length"])
        begin = self.clocks.read(rank, columns["begin"])
        self._put(rank, "kernels", {
            "stream": 7, "begin_ns": begin, "kind": "kernel",
            "end_ns": begin + columns["length"].astype(np.int64),
            "name": [self.name_of.format(n) for n in columns["name"]],
            "class": columns["class"], "direction": columns["direction"],
            "class_from": "kernel_name", "joined_by": "correlation",
            "autotune": False, "step": columns["step"],
            "flops": columns["flops"]}, len(begin))

    def _grouped(self, columns: dict, keys: list[str]):
        table = pa.table({k: columns[k] for k in keys} |
                         {"ns": columns["length"].astype(np.int64),
                          "flops": columns["flops"]})
        return table.group_by(keys).aggregate(
            [("ns", "count"), ("ns", "sum"), ("ns", "min"), ("ns", "max"),
             ("flops", "sum")])

    def _classes(self, rank: int, kernels: dict, rows: RankRows,
                 last: int) -> None:
        g = self._grouped(kernels, ["step", "class", "direction"])
        comm = np.zeros(last)
        count = np.zeros(last, np.int64)
        for m, place in rows.meetings:
            if m.step < last:
                comm[m.step] += m.end[place] - m.begin[place]
                count[m.step] += 1
        steps = np.arange(last)

        def both(name: str, tail) -> list:
            return g[name].to_pylist() + list(tail)
        self._put(rank, "classes", {
            "step": both("step", steps),
            "class": both("class", ["comm"] * last),
            "direction": both("direction", [None] * last),
            "kernels": both("ns_count", count),
            "gpu_ns": both("ns_sum", comm.astype(np.int64)),
            "min_ns": both("ns_min", [0] * last),
            "max_ns": both("ns_max", comm.astype(np.int64)),
            "flops": both("flops_sum", [None] * last)}, g.num_rows + last)

    def _durations(self, rank: int, kernels: dict) -> None:
        with np.errstate(divide="ignore"):
            kernels["bucket"] = np.floor(
                4 * np.log2(np.maximum(kernels["length"].astype(np.int64),
                                       1))).astype(np.int64)
        keys = ["class", "direction", "name", "bucket"]
        g = self._grouped(kernels, keys)
        names = [self.name_of.format(n) for n in g["name"].to_pylist()]
        self._put(rank, "durations", {
            **{k: g[k] for k in keys}, "name": names,
            "kernels": g["ns_count"], "gpu_ns": g["ns_sum"],
            "min_ns": g["ns_min"], "max_ns": g["ns_max"]}, g.num_rows)

    def _steps(self, rank: int, rows: RankRows, kernels: dict,
               last: int) -> None:
        last = min(last, self._work_ends(rank))
        compute, gap, comm = (np.zeros(last) for _ in range(3))
        for b, place in rows.blocks:
            compute[b.step] += b.length.ravel()[place]
            gap[b.step] += b.gap.ravel()[place]
        for m, place in rows.meetings:
            if m.step < self._last_step(rank):
                comm[min(m.step, last - 1)] += m.end[place] - m.begin[place]
        bounds = self.simulation.bounds[:last]
        if last == self._work_ends(rank):  # the last step is all that follows
            bounds[-1] = (bounds[-1][0], self.simulation.bounds[-1][1])
        begin = self.clocks.read(rank, np.array([b[rank] for b, _ in bounds]))
        end = self.clocks.read(rank, np.array([e[rank] for _, e in bounds]))
        compute = compute.astype(np.int64)
        # Compute hides what runs beside it.
        comm = np.minimum(comm.astype(np.int64),
                          end - begin - compute - gap.astype(np.int64))
        idle = end - begin - compute - comm
        host = np.minimum(gap.astype(np.int64), idle)
        causes = dict.fromkeys(
            "wait_ns input_ns library_ns preempted_ns blocked_ns unknown_ns "
            "profiler_ns dependency_ns".split(), 0)
        count = np.bincount(kernels["step"], minlength=last)
        self._put(rank, "steps", {
            "step": np.arange(last), "use": "used", "begin_ns": begin,
            "end_ns": end, "host_begin_ns": begin, "host_end_ns": end,
            "compute_ns": compute, "comm_exposed_ns": comm,
            "copy_exposed_ns": 0, "idle_ns": idle, "not_observed_ns": 0,
            "kernels": count, "gpu_ns": compute + comm, **causes,
            "framework_ns": host, "launch_ns": 0,
            "latency_ns": idle - host}, last)

    def _facts(self, rank: int, last: int) -> None:
        job = self.simulation.job
        host = int(self.clocks.host_of[rank])
        self._put(rank, "devices", {
            "name": [self.device_name], "uuid": f"GPU-{rank}", "sms": 132,
            "memory_bytes": 80 << 30, "simulated": True,
            "peak_memory_bytes": (20 << 30) + rank * (1 << 20),
            "link_bytes_per_s": 450e9}, 1)
        self._put(rank, "looks", {
            "seen_in": ["between_calls", "between_calls"],
            "place": [self.name_of.format("train.py:7 main"), None],
            "looks": [30 + rank, 10]}, 2)
        bounds = self.simulation.bounds[:last]
        times = [None, None]
        if bounds:
            times = self.clocks.read(
                rank, np.array([bounds[0][0][rank], bounds[-1][1][rank]]))
        self._put(rank, "runs", {
            "host": [f"node{host}"], "pid": 1000 + rank, "program": "python",
            "command": "python train.py", "world_size": job.ranks,
            "rank_from": "environment", "clock": "unix",
            "begin_ns": [times[0]], "end_ns": [times[1]], "complete": True,
            "format": "dltap", "level": "full", "simulated": True, "lost": 0,
            "dltap_version": "1.0"}, 1)


def write(simulation: Simulation, folder: pathlib.Path, **options) -> Writer:
    return Writer(simulation, folder, **options)
