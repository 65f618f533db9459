# SPDX-License-Identifier: Apache-2.0
"""The tap and torch.profiler tell the same of the same programs.

The programs of programs.py run twice on the simulated GPU: tapped, and bare
under torch.profiler (CUPTI serves one client). Kernel by kernel, in the order
of their start, both traces must give the same class and direction; by class,
at most one point of the GPU time may differ, and attention and convolutions
must reach the same TFLOP/s. Own traces have evidence that the
profiler's lack, and the reverse: a difference is a bug in one of them. So is
a kernel that only one of them takes for a trial.

    differential_test.py GROUP [--python PYTHON] [--only PROGRAM...] [--keep DIR]

GROUP is one of programs.py: gate, more, code.
"""

import argparse
import collections
import concurrent.futures
import dataclasses
import difflib
import json
import pathlib
import subprocess
import sys
import tempfile
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "endtoend"))
import chain  # noqa: E402

RUN = HERE / "run_programs.py"
chain.TIMEOUT_S = 900  # on a machine with other work
KNOWN = HERE / "known_differences.toml"
POINTS = 1.0  # of the GPU time, by class
# Programs whose layers are not alike, and why; all others' must be.
OTHER_LAYERS = {
    "mixture_of_experts": "elementwise work beside a softmax, without numbers",
    "batched_experts": "the same",
    "dilated_convolutions": "elementwise work beside a norm of weights",
    "target_network": "two rows of elementwise work, one without gradients",
    "style_transfer": "a clamp and the gradient of another",
    "contrastive_views": "elementwise work of several operations in a row",
    "gradient_penalty": "gradients of gradients",
    "informed_by_physics": "elementwise work in gradients of gradients",
    "paused_critic": "the same",
    "paused_averages": "gradients of norms and divisions in a row",
    "normed_cells": "sums of gradients of weights that are used again",
    "growing_images": "gradients of losses of two batches in a row",
    "detection_head": "elementwise work of several operations in a row",
    "segmentation": "a softmax over a strided dimension and products beside it",
    "distances": "the gradient of a product's distances is elementwise work",
    "optimal_transport": "elementwise work of several operations in a row",
    "capsules": "a softmax's gradient is multiplied in by another kernel",
    "spatial_transformer": "fills for the gradient of a sampled grid",
    "spectral_judge": "iterations over weights, without gradients",
    "gradients_of_samples": "gradients of a batch of models",
    "linear_systems": "elementwise work between factorizations",
    "graphed_body": "a replay has no operators, so no sizes and no nodes",
    "graph_product": "a sparse gradient's rows, by index",
    "sparse_matrix": "operands of sparse products are not followed",
    "attentive_decoder": "only addresses tell a layer that is used again",
    "short_attentive_decoder": "the same",
    "relative_positions": "copies between the gradients of an attention"}
# Addresses of weights tell the tap that a layer is used several times; the
# profiler has a layer for each. Equal ones together are alike.
SHARED_WEIGHTS = {"policy_gradient", "cross_attention_latents",
                  "cached_decoding",
                  "low_rank_adapter", "twins",
                  "neural_differential_equation", "lstm_cells",
                  "normed_recurrence"}
# Classes whose TFLOP/s both know, and how far these may be apart: elementwise
# work that one operator does beside its kernels counts on one side alone.
RATED = ("attention", "conv")
RATE_PERCENT = 6.0
# The rate is over the time of what has FLOPs: here gathers of positions, which
# are as long as products, have them by one of the two alone.
OTHER_RATES = {"relative_positions"}
LAYER_SHARE = 0.01  # of the GPU time may be at another layer
SKIPPED = 77


@dataclasses.dataclass(frozen=True)
class Kernel:
    name: str
    layer_class: str
    direction: str  # all kinds of backward are one: the profiler has no others
    ns: float
    evidence: str
    is_trial: bool = False

    @property
    def what(self) -> str:
        trial = " autotune" if self.is_trial else ""
        return f"{self.layer_class} {self.direction}{trial}"

    def __str__(self) -> str:
        return f"{self.what} ({self.evidence})"


@dataclasses.dataclass
class Difference:
    kernel: str
    tap: Kernel
    profiler: Kernel
    count: int = 0
    tap_ns: float = 0


def kernels_of(trace) -> list[Kernel]:
    """Of a trace with one process, in the order of their start."""
    events = chain.exported_activities(trace)
    return [Kernel(event["name"], args["class"],
                   "backward" if args["direction"].startswith("backward")
                   else args["direction"], event["dur"], args["class_from"],
                   args.get("autotune", False))
            for event in events for args in [event["args"]]]


def share_by_class(kernels) -> collections.Counter:
    total = sum(kernel.ns for kernel in kernels)
    shares = collections.Counter()
    for kernel in kernels:
        shares[kernel.layer_class] += 100 * kernel.ns / total
    return shares


def layers_of(trace) -> list[tuple]:
    """Class, forward, backward and recompute ns, operation of each layer."""
    report = json.loads(chain.dltap("report", "--json", "--steps", "1..2",
                                    trace).stdout)
    return [(row["class"], row["step_mean"]["forward_ns"],
             row["step_mean"]["backward_ns"],
             row["step_mean"]["recompute_ns"], row["operation"])
            for row in report["layers"] if row["row"] == "layer"]


def equal_together(layers) -> list[tuple]:
    """Products by their sizes, the rest by class."""
    together = {}
    for name, *ns, operation in layers:
        key = (name, operation if name in ("conv", "gemm", "rnn") else "")
        sums = together.setdefault(key, [0] * len(ns))
        together[key] = [a + b for a, b in zip(sums, ns)]
    return [(name, *ns, operation)
            for (name, operation), ns in sorted(together.items())]


def layer_complaints(tap, profiler) -> list[str]:
    """Both must have the same layers; little time may be at another one."""
    names = [[row[0] for row in rows] for rows in (tap, profiler)]
    if names[0] != names[1]:
        return [f"layers: {len(tap)} tapped, {len(profiler)} by the profiler",
                *(f"  {line}" for line in difflib.unified_diff(
                    *names, "tap", "profiler", lineterm="", n=1))]
    moved = sum(abs(one[i] - other[i]) for one, other in zip(tap, profiler)
                for i in (1, 2, 3)) / 2
    total = sum(sum(row[1:4]) for row in tap)
    if moved <= LAYER_SHARE * total:
        return []
    return [f"layers: {100 * moved / total:.1f} % of the time is at another"]


def layers_unlike(name, traces) -> list[str]:
    if name in OTHER_LAYERS or name in names_of("code"):
        return []
    both = [layers_of(trace) for trace in traces]
    if name in SHARED_WEIGHTS:
        both = [equal_together(layers) for layers in both]
    return layer_complaints(*both)


def rates_of(trace) -> dict[str, float]:
    """TFLOP/s by class, over the whole run."""
    report = json.loads(chain.dltap("report", "--json", "--window", "all",
                                    trace).stdout)
    return {row["class"]: row["tflops"] for row in report["classes"]
            if row["class"] in RATED and row["tflops"]}


def rates_unlike(traces) -> list[str]:
    tap, profiler = (rates_of(trace) for trace in traces)
    return [f"{name}: {tap[name]:.4g} TFLOP/s tapped, {profiler[name]:.4g} by "
            "the profiler" for name in tap.keys() & profiler.keys()
            if abs(tap[name] / profiler[name] - 1) > RATE_PERCENT / 100]


class Comparison:
    """What two traces of one program say."""

    def __init__(self, tap: list[Kernel], profiler: list[Kernel]):
        self.sizes = len(tap), len(profiler)
        self.differences = {}
        self.only_in_one = []
        runs = difflib.SequenceMatcher(None, [k.name for k in tap],
                                       [k.name for k in profiler], False)
        for kind, i, i_end, j, j_end in runs.get_opcodes():
            if kind == "equal":
                self._compare(tap[i:i_end], profiler[j:j_end])
                continue
            self.only_in_one += [("tap", k.name) for k in tap[i:i_end]
                                 if not k.is_trial]
            self.only_in_one += [("profiler", k.name)
                                 for k in profiler[j:j_end] if not k.is_trial]
        # How often a kernel is tried is by how long it really took.
        tap, profiler = ([kernel for kernel in kernels if not kernel.is_trial]
                         for kernels in (tap, profiler))
        self.shares = share_by_class(tap), share_by_class(profiler)
        self.total_ns = sum(kernel.ns for kernel in tap)

    @property
    def points(self) -> dict:
        """The classes whose shares are too far apart, with both."""
        ours, theirs = self.shares
        return {name: (ours[name], theirs[name])
                for name in sorted(ours | theirs)
                if abs(ours[name] - theirs[name]) > POINTS}

    def forgive(self, key) -> None:
        """Takes a difference out, and its time from the tap's class to the
        profiler's."""
        known = self.differences.pop(key)
        share = 100 * known.tap_ns / self.total_ns
        self.shares[0][known.tap.layer_class] -= share
        self.shares[0][known.profiler.layer_class] += share

    def _compare(self, tap, profiler):
        for one, other in zip(tap, profiler):
            if one.what == other.what:
                continue
            key = one.name, str(one), str(other)
            found = self.differences.setdefault(
                key, Difference(one.name, one, other))
            found.count += 1
            found.tap_ns += 0 if one.is_trial else one.ns

    def is_alike(self) -> bool:
        return not (self.differences or self.only_in_one or self.points)

    def text(self) -> str:
        lines = [f"{self.sizes[0]} activities tapped, {self.sizes[1]} by the "
                 "profiler"]
        for name, (ours, theirs) in self.points.items():
            lines.append(f"  {name}: {ours:.1f} % tapped, {theirs:.1f} % by "
                         "the profiler")
        for difference in sorted(self.differences.values(),
                                 key=lambda d: -d.count):
            lines.append(f"  {difference.count} x {difference.kernel[:160]}\n"
                         f"      tap:      {difference.tap}\n"
                         f"      profiler: {difference.profiler}")
        lines += [f"  only in the {where}: {name[:120]}"
                  for where, name in self.only_in_one[:20]]
        return "\n".join(lines)


def known_differences() -> dict[str, list[dict]]:
    known = collections.defaultdict(list)
    if KNOWN.exists():
        for row in tomllib.loads(KNOWN.read_text()).get("difference", []):
            known[row["program"]].append(row)
    return known


def is_known(difference: Difference, row: dict) -> bool:
    return (difference.kernel.startswith(row["kernel"]) and
            difference.tap.what == row["tap"] and
            difference.profiler.what == row["profiler"])


def without_known(comparison: Comparison, rows: list[dict]) -> list[str]:
    """Takes what is known out; rows that match nothing are complaints."""
    complaints = []
    for row in rows:
        matched = [key for key, difference in comparison.differences.items()
                   if is_known(difference, row)]
        if not matched:
            complaints.append(f"known_differences.toml: no longer so: {row}")
        for key in matched:
            comparison.forgive(key)
    return complaints


def run_both(python, folder: pathlib.Path, names) -> None:
    """Leaves folder/tap and folder/profiler."""
    for place in ("tap", "profiler"):
        (folder / place).mkdir()
    command = [python, RUN]
    # What `dltap run` sets for Triton and the bare run must be told; what one
    # run compiled, the other would find.
    variables = {"DLTAP_SIM_CLOCK": "real",
                 "TORCHINDUCTOR_COMPILE_THREADS": "1",
                 "TORCHINDUCTOR_DETERMINISTIC": "1"}  # no trials
    caches = {"TRITON_LIBCUDA_PATH": str(chain.SIMGPU),
              "TRITON_CACHE_DIR": str(folder / "triton"),
              "TORCHINDUCTOR_CACHE_DIR": str(folder / "inductor")}
    with concurrent.futures.ThreadPoolExecutor() as pool:
        runs = [pool.submit(chain.run_tapped,
                            [*command, folder / "tap", *names],
                            folder / "trace", **variables),
                pool.submit(chain.run_bare,
                            [*command, folder / "profiler", *names,
                             "--profile"], **variables, **caches)]
        for run in runs:
            run.result()


def traces_of(folder: pathlib.Path, name: str) -> tuple:
    pids = json.loads((folder / "tap" / "pids.json").read_text())
    trace, = (folder / "trace").glob(f"*-{pids[name]}-*.dltap")
    return trace, folder / "profiler" / f"{name}.json"


def what_is_lost(folder: pathlib.Path, name: str) -> dict:
    pids = json.loads((folder / "tap" / "pids.json").read_text())
    if not any((folder / "trace").glob(f"*-{pids[name]}-*.dltap")):
        return {}  # the program failed, which is told elsewhere
    trust = chain.report(traces_of(folder, name)[0])["trust"]
    lost = {**trust["lost"],
            "launches without kernel": trust["launches_without_kernel"]}
    return {kind: count for kind, count in lost.items() if count}


def run_lossy_again(python, folder: pathlib.Path, names) -> dict:
    """Where each program's traces are. A machine with too much other work
    opens a trace late; that one says so itself, and is not compared."""
    folders = dict.fromkeys(names, folder)
    for name in names:
        if lost := what_is_lost(folder, name):
            print(f"again {name}: {lost}")
            folders[name] = folder / f"again_{name}"
            folders[name].mkdir()
            run_both(python, folders[name], [name])
    return folders


def compare(folder: pathlib.Path, name: str) -> Comparison:
    return Comparison(*(kernels_of(trace)
                        for trace in traces_of(folder, name)))


def has_torch(python) -> bool:
    return bool(python) and python != "-" and subprocess.run(
        [python, "-c", "import importlib.util as u, sys;"
         "sys.exit(u.find_spec('torch') is None)"]).returncode == 0


def names_of(group) -> list[str]:
    """The programs' names, without the interpreter that has torch."""
    lines = [line for name in ("programs.py", "layers.py", "applications.py",
                               "architectures.py", "corners.py",
                               "neighbours.py", "paused.py",
                               "paused_threads.py", "solvers.py",
                               "tutorials.py", "variants.py")
             for line in (HERE / name).read_text().splitlines()]
    return [line.split("(")[0].removeprefix("def ")
            for before, line in zip(lines, lines[1:])
            if before == f"@program({group!r})".replace("'", '"')]


def check(folders: dict) -> int:
    """The number of programs that came out differently; prints them."""
    known = known_differences()
    bad = 0
    for name, folder in folders.items():
        failed = [json.loads((folder / place / "failed.json").read_text())
                  .get(name) for place in ("tap", "profiler")]
        if any(failed):
            bad += 1
            print(f"== {name} failed:\n{failed[0] or failed[1]}")
            continue
        comparison = compare(folder, name)
        complaints = without_known(comparison, known[name])
        complaints += layers_unlike(name, traces_of(folder, name))
        if name not in OTHER_RATES:
            complaints += rates_unlike(traces_of(folder, name))
        if comparison.is_alike() and not complaints:
            print(f"ok {name}: {comparison.sizes[0]} activities")
            continue
        bad += 1
        print(f"== {name}: {comparison.text()}", *complaints, sep="\n")
    return bad


def run_oracle(description, programs, run, check) -> int:
    """The main program of a test that runs `programs` in ways of its own."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--only", nargs="*", default=[])
    options = parser.parse_args()
    if not has_torch(options.python):
        print("skipped: no Python with torch")
        return SKIPPED
    names = [name for name in programs
             if not options.only or name in options.only]
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        run(options.python, folder, names)
        bad = check(folder, names)
    return 1 if bad or not names else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("group", choices=["gate", "more", "code"])
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--keep", type=pathlib.Path,
                        help="an empty folder that the traces stay in")
    options = parser.parse_args()
    if not has_torch(options.python):
        print("skipped: no Python with torch")
        return SKIPPED
    names = [name for name in names_of(options.group)
             if not options.only or name in options.only]
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        run_both(options.python, folder, names)
        bad = check(run_lossy_again(options.python, folder, names))
    print(f"{len(names) - bad} of {len(names)} programs alike")
    return 1 if bad or not names else 0


if __name__ == "__main__":
    sys.exit(main())
