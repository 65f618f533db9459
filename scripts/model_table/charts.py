# SPDX-License-Identifier: Apache-2.0
"""Two charts, SVG: throughput from GPU to GPU, of CNNs and of RNNs."""

import html
import pathlib

from model_table.observations import table_rows
from model_table.workloads import GPUS

WIDTH, HEIGHT, MARGIN, LEGEND = 760, 380, 50, 190
COLOURS = ("#2166ac", "#b2182b", "#1b7837", "#762a83", "#e08214", "#555555",
           "#1f9e9e", "#c51b7d")


def speedups(rows: list[dict], kind: str) -> dict[str, list[float]]:
    """Throughput over the first GPU's, by GPU; models that have all of them."""
    found: dict[str, list[float]] = {}
    for gpu in GPUS:
        for row in table_rows(rows, gpu):
            if row["kind"] == kind and row["per_s"] != "":
                found.setdefault(row["model"], []).append(row["per_s"])
    return {model: [value / values[0] for value in values]
            for model, values in found.items() if len(values) == len(GPUS)}


def _text(x: float, y: float, text: str, anchor: str = "middle") -> str:
    return (f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}">'
            f"{html.escape(text)}</text>")


def svg(kind: str, chart: dict[str, list[float]], top: float) -> str:
    bottom, right = HEIGHT - MARGIN, WIDTH - LEGEND

    def x(gpu: int) -> float:
        return MARGIN + 30 + gpu * (right - MARGIN - 60) / (len(GPUS) - 1)

    def y(value: float) -> float:
        return bottom - (bottom - MARGIN) * value / top

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} '
           f'{HEIGHT}" font-family="sans-serif" font-size="12">',
           f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
           _text(right / 2, 24, f"{kind}s: modelled training throughput, "
                                f"{GPUS[0]} = 1")]
    for tick in range(0, int(top) + 1, max(1, round(top / 6))):
        out += [f'<line x1="{MARGIN}" x2="{right}" y1="{y(tick):.1f}" '
                f'y2="{y(tick):.1f}" stroke="#ddd"/>',
                _text(MARGIN - 8, y(tick) + 4, str(tick), "end")]
    out += [_text(x(i), bottom + 20, gpu) for i, gpu in enumerate(GPUS)]
    for place, (model, values) in enumerate(chart.items()):
        colour = COLOURS[place % len(COLOURS)]
        points = [f"{x(i):.1f},{y(value):.1f}"
                  for i, value in enumerate(values)]
        out.append(f'<polyline points="{" ".join(points)}" fill="none" '
                   f'stroke="{colour}" stroke-width="2"/>')
        out += [f'<circle cx="{at.split(",")[0]}" cy="{at.split(",")[1]}" '
                f'r="3" fill="{colour}"/>' for at in points]
        at = MARGIN + 20 * place
        out += [f'<rect x="{right + 10}" y="{at - 9}" width="10" height="10" '
                f'fill="{colour}"/>', _text(right + 26, at, model, "start")]
    return "\n".join([*out, "</svg>\n"])


def draw(rows: list[dict], folder: pathlib.Path) -> None:
    """Writes models_cnn.svg and models_rnn.svg, on one scale."""
    charts = {kind: speedups(rows, kind) for kind in ("CNN", "RNN")}
    top = max((value for chart in charts.values()
               for values in chart.values() for value in values), default=1)
    folder.mkdir(exist_ok=True)
    for kind, chart in charts.items():
        (folder / f"models_{kind.lower()}.svg").write_text(
            svg(kind, chart, 1.05 * top), encoding="utf-8")
