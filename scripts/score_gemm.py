#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""score_gemm.py DIR [--dltap EXE] [--split shown|held_out]: single operations.

Scores `dltap predict` against measured BF16 GEMMs, prefill attention and
collectives: DIR holds aic_gemm_bf16_us.csv.gz, aic_attention_prefill_bf16_us.
csv.gz and aic_nccl_us.csv.gz (aiconfigurator's tables, Apache-2.0). Prints
median error, bias, p90 and worst by GPU and size. 30 % of the shapes, by their
hash, are held out: nothing may be fitted to them. Takes seconds.
"""

import argparse
import csv
import gzip
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "scoreboard"))
import errors  # noqa: E402

HELD_OUT_PERCENT = 30
GPUS = {"a100_sxm": "a100-40-sxm", "l40s": "l40s", "h100_sxm": "h100-sxm",
        "h200_sxm": "h200-sxm", "b200_sxm": "b200", "gb200": "gb200"}
GEMM_STEPS = (0.1, 1, 10, 100)  # GFLOP
ATTENTION_STEPS = (1, 100)


def split_of(*shape):
    text = ",".join(str(part) for part in shape)
    number = int(hashlib.sha256(text.encode()).hexdigest(), 16)
    return "held_out" if number % 100 < HELD_OUT_PERCENT else "shown"


def read(path):
    with gzip.open(path, "rt", newline="") as source:
        return list(csv.DictReader(source))


def measured(row):
    """(GPU, microseconds) of each column of a row that names a GPU."""
    for name, gpu in GPUS.items():
        for column in (name, name + "_us"):
            if row.get(column):
                yield gpu, float(row[column])


def gemm_rows(folder):
    """Tokens m times weights of n x k: a column-major product of n by m."""
    for row in read(folder / "aic_gemm_bf16_us.csv.gz"):
        m, n, k = (int(row[c]) for c in "mnk")
        for gpu, us in measured(row):
            yield {"gpu": gpu, "us": us, "split": split_of(m, n, k),
                   "gflop": 2e-9 * m * n * k,
                   "op": {"op": "gemm", "precision": "bf16", "m": n, "n": m,
                          "k": k}}


def attention_rows(folder):
    """Causal, from the first token on; windows are left out.

    A serving engine's call is two kernels: the first one takes the products'
    queries, keys and values (all of width `moved`), turns them by their places
    and puts keys and values into their cache.
    """
    for row in read(folder / "aic_attention_prefill_bf16_us.csv.gz"):
        if float(row["window_size"] or 0) > 0 or int(row["step"]) > 0:
            continue
        batch, length, heads, kv_heads, size = (
            int(row[c]) for c in ("batch_size", "isl", "num_heads",
                                  "num_key_value_heads", "head_dim"))
        moved = size * (heads + 2 * kv_heads)
        for gpu, us in measured(row):
            yield {"gpu": gpu, "us": us,
                   "before": {"op": "relu", "precision": "bf16",
                              "b": batch * length, "h": moved},
                   "split": split_of(batch, length, heads, kv_heads, size),
                   "gflop": 2e-9 * batch * heads * length * length * size,
                   "op": {"op": "attention_forward", "precision": "bf16",
                          "b": batch, "heads": heads, "kv_heads": kv_heads,
                          "seq_q": length, "seq_kv": length,
                          "head_dim": size, "causal": 1}}


def predicted_us(dltap, gpu, ops):
    columns = sorted({name for op in ops for name in op})
    with tempfile.NamedTemporaryFile("w", suffix=".csv", newline="",
                                     delete=False) as out:
        writer = csv.DictWriter(out, columns)
        writer.writeheader()
        writer.writerows(ops)
    try:
        done = subprocess.run([dltap, "predict", "--ops", out.name, "--gpu",
                               gpu, "--json"], capture_output=True, text=True,
                              check=False)
    finally:
        os.unlink(out.name)
    if done.returncode != 0:
        sys.exit(f"score_gemm.py: {done.stderr.strip()}")
    return [row["device_ms"] * 1e3 for row in json.loads(done.stdout)["rows"]]


def size_of(row, steps):
    names = [f"below {steps[0]:g}"]
    names += [f"{low:g} to {high:g}" for low, high in zip(steps, steps[1:])]
    names.append(f"above {steps[-1]:g}")
    return f"{names[sum(row['gflop'] >= step for step in steps)]} GFLOP"


def score(title, rows, steps, dltap):
    print(f"\n### {title}\n\n{errors.HEADER}")
    for gpu in sorted({row["gpu"] for row in rows}):
        of_gpu = sorted((r for r in rows if r["gpu"] == gpu),
                        key=lambda r: r["gflop"])
        times = predicted_us(dltap, gpu, [row["op"] for row in of_gpu])
        if "before" in of_gpu[0]:
            before = predicted_us(dltap, gpu, [row["before"] for row in of_gpu])
            times = [sum(both) for both in zip(times, before)]
        pairs = [(t, row["us"]) for t, row in zip(times, of_gpu)]
        print(errors.line(f"**{gpu}**", pairs))
        groups = {}
        for pair, row in zip(pairs, of_gpu):
            groups.setdefault(size_of(row, steps), []).append(pair)
        for name, group in groups.items():
            print(errors.line(f"{gpu}, {name}", group))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--dltap", default=HERE.parent / "build/bin/dltap")
    parser.add_argument("--split", choices=["shown", "held_out"])
    args = parser.parse_args()
    for split in ("shown", "held_out"):
        if args.split not in (None, split):
            continue
        for title, make, steps in (
                ("GEMM", gemm_rows, GEMM_STEPS),
                ("prefill attention", attention_rows, ATTENTION_STEPS)):
            rows = [r for r in make(args.folder) if r["split"] == split]
            score(f"BF16 {title}, {split.replace('_', ' ')} rows", rows, steps,
                  args.dltap)


if __name__ == "__main__":
    main()
