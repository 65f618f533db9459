# SPDX-License-Identifier: Apache-2.0
"""docs/models.md, made of the rows of docs/models.csv."""

import pathlib
import textwrap

from model_table.observations import (OBSERVATIONS, OWNERS, known_share,
                                 memory_shares, table_rows)
from model_table.workloads import GPUS, WORKLOADS

HEAD = """# The models that people ask about, on GPUs that they ask about

Made by `scripts/tabulate_models.py` from unmodified programs
(`tests/workloads/python`): do not edit. The rows are in `models.csv`.

**No GPU has measured any of this.** Each program ran on the simulated GPU in
virtual time: a kernel's duration is modelled (`opmodel/README.md` says how
well), a call of the host costs a fixed time, Python and the data loader cost
none. So *GPU busy* is an upper bound, and *CPU-dependent* a lower one. All is
training in FP32 as the framework does it by default: on A100 and H100
convolutions multiply in TF32. GPUs before sm_75 run the code of PyTorch for
CUDA 13 that was compiled for sm_75 (`--what-if`); a build for them chooses
other kernels.
"""


def _percent(value) -> str:
    return f"{100 * value:.1f}" if value not in ("", None) else "?"


def _top(shares: str, count: int = 3) -> str:
    pairs = [pair.split("=") for pair in shares.split()]
    pairs.sort(key=lambda pair: -float(pair[1]))
    return ", ".join(f"{name.upper()} {100 * float(share):.0f}"
                     for name, share in pairs[:count])


def _rate(per_s: float) -> str:
    return f"{per_s:,.0f}" if per_s >= 100 else f"{per_s:.3g}"


def _models(rows: list[dict]) -> list[str]:
    return list(dict.fromkeys(row["model"] for row in rows))


def _speed_table(rows: list[dict]) -> list[str]:
    lines = ["## Throughput", "",
             f"Units a second, and how many times {GPUS[0]}'s.", "",
             "| model | batch | unit | " + " | ".join(GPUS) + " |",
             "|---|---|---|" + "---|" * len(GPUS)]
    by_place = {(row["model"], row["gpu"]): row
                for gpu in GPUS for row in table_rows(rows, gpu)}
    for model in _models(rows):
        base = by_place.get((model, GPUS[0]))
        if base is None or base["per_s"] == "":
            continue
        cells = []
        for gpu in GPUS:
            row = by_place.get((model, gpu))
            cells.append("?" if row is None or row["per_s"] == "" else
                         f"{_rate(row['per_s'])} "
                         f"({row['per_s'] / base['per_s']:.1f})")
        lines.append(f"| {model} | {base['batch']} | {base['unit']} | "
                     + " | ".join(cells) + " |")
    return lines


def _where_table(rows: list[dict]) -> list[str]:
    lines = ["## Where the time goes", "",
             "| model | GPU | step ms | GPU busy % | CPU-dependent % | "
             "of peak % | classes, % of GPU time |",
             "|---|---|---|---|---|---|---|"]
    for model in _models(rows):
        for gpu in GPUS:
            for row in table_rows(rows, gpu):
                if row["model"] != model:
                    continue
                step = row["step_ms"]
                lines.append(
                    f"| {model} | {gpu} | {'?' if step == '' else step} | "
                    f"{_percent(row['gpu_busy'])} | "
                    f"{_percent(row['cpu_dependency'])} | "
                    f"{_percent(row['of_peak'])} | {_top(row['shares'])} |")
    return lines


def _memory_table(rows: list[dict]) -> list[str]:
    lines = ["## Memory by owner", "",
             *textwrap.wrap(
                 f"On {GPUS[0]}: what the allocator holds, how much of it is "
                 "known to be in use in a step, and whose that is. Not known: "
                 "operands of kernels whose calls tell none; what the "
                 "allocator keeps for later.", 118),
             "",
             "| model | batch | held MiB | known % | " + " | ".join(
                 owner.replace("_", " ") + " %" for owner in OWNERS) + " |",
             "|---|---|---|---|" + "---|" * len(OWNERS)]
    for row in table_rows(rows, GPUS[0]):
        shares = memory_shares(row)
        if shares is None:
            continue
        lines.append(f"| {row['model']} | {row['batch']} | "
                     f"{row['held_mib']:.0f} | {_percent(known_share(row))} | "
                     + " | ".join(_percent(shares[owner]) for owner in OWNERS)
                     + " |")
    return lines


def _wrapped(text: str) -> list[str]:
    """An entry of a list."""
    return textwrap.wrap(text, 118, subsequent_indent="   ",
                         break_long_words=False, break_on_hyphens=False)


def _observation_list(rows: list[dict]) -> list[str]:
    words = {True: "holds here", False: "**does not hold here**",
             None: "not decided here"}
    lines = ["## TBD's observations", "",
             "Zhu et al. 2018 (arXiv:1803.06905) measured; here it is the "
             "simulation that must show the same.", ""]
    is_whole = {(row["gpu"], row["kind"]) for row in rows} >= {
        (gpu, kind) for gpu in GPUS for kind in ("CNN", "RNN")}
    for number, (text, check) in enumerate(OBSERVATIONS, 1):
        verdict, figures = (check(rows) if is_whole else
                            (None, "runs are missing"))
        lines += _wrapped(f"{number}. {text}: {words[verdict]}. {figures}.")
    return lines


def _command(workload) -> str:
    script, *rest = workload.arguments(workload.batch)
    return " ".join([pathlib.PurePath(script).name, *rest])


def _workload_list(rows: list[dict]) -> list[str]:
    done = set(_models(rows))
    lines = ["## Programs", ""]
    for workload in WORKLOADS:
        lines += _wrapped(f"- **{workload.name}** ({workload.source}): "
                          f"`{_command(workload)}`"
                          + ("" if workload.name in done else "; not run"))
    return lines


def page(rows: list[dict]) -> str:
    parts = [HEAD.splitlines(), _speed_table(rows),
             ["![](images/models_cnn.svg)", "![](images/models_rnn.svg)"],
             _where_table(rows), _memory_table(rows), _observation_list(rows),
             _workload_list(rows)]
    return "\n\n".join("\n".join(part) for part in parts) + "\n"
