#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds dltap predict to its accuracy on published measurements.

usage: predict_accuracy_test.py DLTAP

Needs the folder data/measured in $DLTAP_SHARED (or in ../shared); says so and
ends with 77, which ctest takes as skipped, where it is missing. The limits are
the project's targets for the median error over the NVIDIA GPUs in FP32, not
today's figures: a change of the model may trade one shape for another, but not
leave them. They hold twice: with the table's ratios, and for each GPU with the
ratios that the rule gives from the other GPUs.
"""

import collections
import os
import statistics
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.insert(0, os.path.join(ROOT, "opmodel", "calibration"))
import calibrate_opmodel  # noqa: E402

# Operations by the start of their names -> largest median error in percent.
LIMITS = {"linear": 12, "bmm": 12, "gemm": 12, "elementwise": 8, "conv": 15,
          "rnn": 20, "layer_norm": 20, "softmax": 20}
SKIPPED = 77


def within_limits(results, title):
    """Prints each operation's median error; True if all are in their limits."""
    errors = collections.defaultdict(list)
    for gpu, precision, group, measured, modelled, _ in results:
        if precision == "fp32" and gpu != "vega-fe":
            for name in LIMITS:
                if group.startswith(name):
                    errors[name].append(abs(modelled / measured - 1) * 100)
    print(title)
    within = True
    for name, limit in LIMITS.items():
        median = statistics.median(errors[name])
        verdict = "ok" if median <= limit else "above its limit"
        within &= median <= limit
        print(f"{name:12} {len(errors[name]):6} rows  median error "
              f"{median:5.1f} %  limit {limit} %  {verdict}")
    return within


def main():
    shared = os.environ.get("DLTAP_SHARED", os.path.join(ROOT, "..", "shared"))
    data = os.path.join(shared, "data", "measured")
    if not os.path.isdir(data):
        print(f"skipped: no published measurements in {data}; set DLTAP_SHARED")
        return SKIPPED
    table = calibrate_opmodel.load_table()
    fitted, _ = calibrate_opmodel.collect(sys.argv[1], data, table)
    held_out, _ = calibrate_opmodel.collect(
        sys.argv[1], data, table,
        lambda gpu: calibrate_opmodel.ratios_without(table, gpu))
    within = [within_limits(fitted, "with the table's ratios"),
              within_limits(held_out, "with the other GPUs' ratios")]
    return 0 if all(within) else 1


if __name__ == "__main__":
    sys.exit(main())
