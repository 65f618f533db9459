# SPDX-License-Identifier: Apache-2.0
"""What the scoreboards say of modelled and measured times."""

import collections
import statistics

HEADER = "| | rows | median error | bias | p90 | worst |\n|---|---|---|---|---|---|"


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def summary(pairs):
    """[(modelled, measured)] -> errors in percent; bias is the median."""
    errors = [(modelled / measured - 1) * 100 for modelled, measured in pairs]
    sizes = [abs(error) for error in errors]
    return {"rows": len(errors), "median": statistics.median(sizes),
            "bias": statistics.median(errors), "p90": percentile(sizes, 0.9),
            "worst": max(errors, key=abs)}


def line(name, pairs):
    s = summary(pairs)
    return (f"| {name} | {s['rows']} | {s['median']:.1f} % | {s['bias']:+.1f} "
            f"% | {s['p90']:.0f} % | {s['worst']:+.0f} % |")


def table(rows, key):
    """rows: [(modelled, measured, row)]; one line for each value of key(row).

    Groups stand in the order of their first row.
    """
    groups = collections.OrderedDict()
    for modelled, measured, row in rows:
        groups.setdefault(key(row), []).append((modelled, measured))
    return "\n".join([HEADER, *(line(*group) for group in groups.items())])
