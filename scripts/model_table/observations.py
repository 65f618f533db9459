# SPDX-License-Identifier: Apache-2.0
"""TBD's observations (Zhu et al. 2018, arXiv:1803.06905), one by one.

Each function takes the table's rows and returns (verdict, figures): True:
holds here; False: does not; None: this table cannot say.
"""

from model_table.workloads import GPUS

BASE = GPUS[0]
CNN, RNN = "CNN", "RNN"
FLAT = 0.10  # throughput that grows by less with twice the batch is saturated
KNOWN = 0.4  # of memory, for a word on its owners
LOW = 0.5  # of the CNNs' mean: "low"

Verdict = tuple[bool | None, str]


def _at(rows: list[dict], **wanted) -> list[dict]:
    return [row for row in rows
            if all(row[key] == value for key, value in wanted.items())]


def table_rows(rows: list[dict], gpu: str) -> list[dict]:
    return [row for row in _at(rows, gpu=gpu) if not row["sweep"]]


def _mean(rows: list[dict], column: str) -> float | None:
    values = [row[column] for row in rows if row[column] != ""]
    return sum(values) / len(values) if values else None


def _sweeps(rows: list[dict]) -> dict[str, list[dict]]:
    """Runs of one model on the first GPU, by batch; those with several."""
    found: dict[str, list[dict]] = {}
    for row in _at(rows, gpu=BASE):
        if row["batch"] != "":
            found.setdefault(row["model"], []).append(row)
    return {model: sorted(runs, key=lambda row: row["batch"])
            for model, runs in found.items() if len(runs) > 1}


def _growth(runs: list[dict]) -> float:
    """Of throughput, by the last doubling of the batch."""
    before, last = runs[-2], runs[-1]
    doublings = last["batch"] / before["batch"] / 2
    return (last["per_s"] / before["per_s"]) / doublings - 1


def _ends(rows: list[dict], column: str, percent: bool = False) -> str:
    def number(value: float) -> str:
        return f"{100 * value:.0f} %" if percent else f"{value:.3g}"

    return "; ".join(
        f"{model}: {number(runs[0][column])} at batch {runs[0]['batch']}, "
        f"{number(runs[-1][column])} at {runs[-1]['batch']}"
        for model, runs in _sweeps(rows).items())


def _rises(rows: list[dict], column: str) -> bool:
    return all(runs[-1][column] > runs[0][column]
               for runs in _sweeps(rows).values())


def throughput_rises_with_the_batch(rows: list[dict]) -> Verdict:
    return _rises(rows, "per_s"), _ends(rows, "per_s") + " a second"


def rnns_are_not_saturated(rows: list[dict]) -> Verdict:
    growth = {model: (_growth(runs), runs[0]["kind"])
              for model, runs in _sweeps(rows).items()}
    text = "; ".join(f"{model} {100 * grown:+.0f} %"
                     for model, (grown, _) in growth.items())
    rnns = [grown for grown, kind in growth.values() if kind == RNN]
    return all(grown > FLAT for grown in rnns), \
        f"by the last doubling of the batch: {text}"


def frameworks_rank_differently(_rows: list[dict]) -> Verdict:
    return None, "the table has one framework for each model"


def batch_keeps_the_gpu_busy(rows: list[dict]) -> Verdict:
    return _rises(rows, "gpu_busy"), _ends(rows, "gpu_busy", percent=True)


def _kinds(rows: list[dict], column: str) -> tuple[float, float, str]:
    """The means over CNNs and over RNNs, and each model's value."""
    here = table_rows(rows, BASE)
    cnn = _mean(_at(here, kind=CNN), column)
    rnn = _mean(_at(here, kind=RNN), column)
    each = "; ".join(f"{row['model']} {100 * row[column]:.0f} %"
                     for row in here if row["kind"] in (CNN, RNN))
    return cnn, rnn, (f"mean of CNNs {100 * cnn:.0f} %, of RNNs "
                      f"{100 * rnn:.0f} %: {each}")


def rnns_use_the_gpu_less(rows: list[dict]) -> Verdict:
    cnn, rnn, text = _kinds(rows, "gpu_busy")
    return rnn < cnn - 0.05, text


def batch_raises_fp32_utilization(rows: list[dict]) -> Verdict:
    return _rises(rows, "of_peak"), _ends(rows, "of_peak", percent=True)


def rnns_use_fp32_less(rows: list[dict]) -> Verdict:
    cnn, rnn, text = _kinds(rows, "of_peak")
    return rnn < LOW * cnn, text


def long_kernels_with_low_use(rows: list[dict]) -> Verdict:
    cnns = _at(table_rows(rows, BASE), kind=CNN)
    found = "; ".join(f"{row['model']}: {row['long_and_low'] or 'none'}"
                      for row in cnns)
    return all(row["long_and_low"] for row in cnns), \
        f"classes of such kernels: {found}"


def cpus_are_used_little(_rows: list[dict]) -> Verdict:
    return None, "the host's times are fixed costs here, not measured"


def faster_gpus_are_used_less(rows: list[dict]) -> Verdict:
    slow, fast = BASE, "titan-xp"
    mean = {gpu: {column: _mean(table_rows(rows, gpu), column)
                  for column in ("gpu_busy", "of_peak")}
            for gpu in (slow, fast)}
    text = "; ".join(
        f"{gpu}: busy {100 * value['gpu_busy']:.1f} %, of the FP32 peak "
        f"{100 * value['of_peak']:.1f} %" for gpu, value in mean.items())
    return all(mean[fast][column] < mean[slow][column]
               for column in mean[slow]), text


OWNERS = ("weights", "gradients", "feature_maps", "workspace", "dynamic")


def memory_shares(row: dict) -> dict[str, float] | None:
    """Of what is known to be in use in a step."""
    mib = {owner: row.get(f"{owner}_mib", "") for owner in OWNERS}
    if any(value == "" for value in mib.values()):
        return None
    total = sum(mib.values())
    return {owner: value / total for owner, value in mib.items()}


def known_share(row: dict) -> float:
    """Known to be in use, of what the allocator holds."""
    return sum(row[f"{owner}_mib"] for owner in OWNERS) / row["held_mib"]


def feature_maps_dominate_memory(rows: list[dict]) -> Verdict:
    here = {row["model"]: memory_shares(row) for row in table_rows(rows, BASE)
            if memory_shares(row) and known_share(row) > KNOWN}
    text = "; ".join(f"{model} {100 * shares['feature_maps']:.0f} %"
                     for model, shares in here.items())
    largest = [max(shares, key=shares.get) for shares in here.values()]
    is_known = len(here) > len(table_rows(rows, BASE)) / 2
    return (largest.count("feature_maps") > len(largest) / 2 if is_known
            else None,
            "of what is known to be in use in a step, where that is more than "
            f"{100 * KNOWN:.0f} % of what is held: {text}")


def full_memory_may_not_pay(rows: list[dict]) -> Verdict:
    growth = {model: _growth(runs) for model, runs in _sweeps(rows).items()
              if runs[0]["kind"] == CNN}
    text = "; ".join(f"{model} {100 * grown:+.0f} %"
                     for model, grown in growth.items())
    return any(grown < FLAT for grown in growth.values()), \
        f"throughput by the last doubling of the batch: {text}"


def networks_must_be_fast(_rows: list[dict]) -> Verdict:
    return None, ("one GPU here; `dltap predict --scaling TRACE` gives the "
                  "step on 2 to 64 over a link")


OBSERVATIONS = (
    ("Throughput rises with the mini-batch", throughput_rises_with_the_batch),
    ("RNNs' throughput is not saturated where the batch ends",
     rnns_are_not_saturated),
    ("Frameworks rank differently by application", frameworks_rank_differently),
    ("The batch must be large to keep the GPU busy", batch_keeps_the_gpu_busy),
    ("The GPU is used less by LSTM models", rnns_use_the_gpu_less),
    ("The batch must be large for FP32 utilization",
     batch_raises_fp32_utilization),
    ("RNNs have low FP32 utilization", rnns_use_fp32_less),
    ("Long kernels with low FP32 utilization, in tuned CNNs too",
     long_kernels_with_low_use),
    ("CPUs are used little", cpus_are_used_little),
    ("A faster GPU is used less", faster_gpus_are_used_less),
    ("Feature maps dominate memory", feature_maps_dominate_memory),
    ("Filling the memory by the batch may not pay", full_memory_may_not_pay),
    ("Networks between GPUs must be fast", networks_must_be_fast),
)
