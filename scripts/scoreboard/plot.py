# SPDX-License-Identifier: Apache-2.0
"""Modelled against measured times as an SVG: both axes logarithmic."""

import html
import math

SIZE, MARGIN = 560, 60
COLOURS = ("#2166ac", "#b2182b", "#1b7837", "#762a83", "#e08214", "#555555")


def ticks(low, high):
    return [10 ** power for power in range(math.ceil(math.log10(low)),
                                           math.floor(math.log10(high)) + 1)]


def svg(rows, key):
    """rows: [(modelled, measured, row)] in ms; key(row) names the colour."""
    times = [t for modelled, measured, _ in rows for t in (modelled, measured)]
    low, high = min(times) * 0.8, max(times) * 1.25
    inner = SIZE - 2 * MARGIN

    def at(value):
        return inner * math.log(value / low) / math.log(high / low)

    def x(value):
        return MARGIN + at(value)

    def y(value):
        return SIZE - MARGIN - at(value)

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {SIZE} '
           f'{SIZE}" font-family="sans-serif" font-size="12">',
           f'<rect width="{SIZE}" height="{SIZE}" fill="white"/>']
    for factor, dash in ((1, ""), (1.25, "4"), (0.8, "4")):
        begin, end = max(low, low / factor), min(high, high / factor)
        out.append(f'<line x1="{x(begin):.1f}" y1="{y(begin * factor):.1f}" '
                   f'x2="{x(end):.1f}" y2="{y(end * factor):.1f}" '
                   f'stroke="#999" stroke-dasharray="{dash}"/>')
    for tick in ticks(low, high):
        out.append(f'<text x="{x(tick):.1f}" y="{SIZE - MARGIN + 18}" '
                   f'text-anchor="middle">{tick:g}</text>')
        out.append(f'<text x="{MARGIN - 8}" y="{y(tick) + 4:.1f}" '
                   f'text-anchor="end">{tick:g}</text>')
    names = sorted({key(row) for _, _, row in rows})
    for modelled, measured, row in rows:
        colour = COLOURS[names.index(key(row)) % len(COLOURS)]
        hollow = row.get("split") == "held_out"
        title = html.escape(f"{row.get('model', '')}: measured {measured:.1f}, "
                            f"modelled {modelled:.1f} ms")
        out.append(f'<circle cx="{x(measured):.1f}" cy="{y(modelled):.1f}" '
                   f'r="4" stroke="{colour}" fill="'
                   f'{"none" if hollow else colour}"><title>{title}</title>'
                   '</circle>')
    for i, name in enumerate(names):
        colour = COLOURS[i % len(COLOURS)]
        out.append(f'<text x="{MARGIN + 10}" y="{MARGIN + 16 * i}" fill="'
                   f'{colour}">{html.escape(name)}</text>')
    out += [f'<text x="{SIZE / 2}" y="{SIZE - 14}" text-anchor="middle">'
            'measured, ms (hollow: held out)</text>',
            f'<text transform="translate(16 {SIZE / 2}) rotate(-90)" '
            'text-anchor="middle">modelled, ms</text>', "</svg>\n"]
    return "\n".join(out)
