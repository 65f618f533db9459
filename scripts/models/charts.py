# SPDX-License-Identifier: Apache-2.0
"""Two charts: how throughput grows from GPU to GPU, for CNNs and for RNNs."""

import pathlib

from models.observations import table_rows
from models.workloads import GPUS


def _speedups(rows: list[dict], kind: str) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for gpu in GPUS:
        for row in table_rows(rows, gpu):
            if row["kind"] == kind and row["per_s"] != "":
                found.setdefault(row["model"], []).append(row["per_s"])
    return {model: [value / values[0] for value in values]
            for model, values in found.items() if len(values) == len(GPUS)}


def draw(rows: list[dict], folder: pathlib.Path) -> None:
    """Writes models_cnn.svg and models_rnn.svg; needs matplotlib."""
    import matplotlib
    matplotlib.use("svg")
    from matplotlib import pyplot
    matplotlib.rcParams["svg.hashsalt"] = "dltap"  # the same file each time

    charts = {kind: _speedups(rows, kind) for kind in ("CNN", "RNN")}
    top = max((max(values) for chart in charts.values()
               for values in chart.values()), default=1)
    for kind, chart in charts.items():
        figure, axes = pyplot.subplots(figsize=(7, 3.5), layout="constrained")
        for model, values in chart.items():
            axes.plot(GPUS, values, marker="o", label=model)
        axes.set_ylim(0, 1.05 * top)
        axes.set_ylabel(f"throughput / {GPUS[0]}'s")
        axes.set_title(f"{kind}s: modelled training throughput")
        axes.grid(axis="y", alpha=0.3)
        axes.legend(fontsize="small")
        figure.savefig(folder / f"models_{kind.lower()}.svg",
                       metadata={"Date": None})
        pyplot.close(figure)
