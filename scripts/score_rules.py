#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Scores the rules of attribution against the frameworks' operators.

    score_rules.py [--dltap PROGRAM] [--json] TRACE...

Kineto files name the operator that launched each kernel; its class is the
truth. Of each kernel two guesses are scored, in GPU time: that of its name
alone, and that of all evidence (call, operator, regrouping). Prints the
confusion of each; folders stand for the traces in them. Files without
operators are listed, and score nothing.
"""

import argparse
import collections
import json
import pathlib
import subprocess
import sys

DLTAP = pathlib.Path(__file__).resolve().parents[1] / "build/bin/dltap"
NO_CLASS = "unattributed"


class Confusion:
    """GPU time in us by (truth, guess)."""

    def __init__(self):
        self.us = collections.Counter()

    def add(self, truth, guess, us):
        self.us[truth, guess] += us

    def total(self) -> float:
        return sum(self.us.values())

    def right(self) -> float:
        return sum(us for (truth, guess), us in self.us.items()
                   if truth == guess)

    def share(self) -> float | None:
        return self.right() / self.total() if self.us else None

    def by_class(self) -> dict:
        """Recall and precision of each class; null with nothing to divide."""
        classes = sorted({name for pair in self.us for name in pair})
        rows = {}
        for name in classes:
            hit = self.us[name, name]
            of_truth = sum(us for (t, _), us in self.us.items() if t == name)
            of_guess = sum(us for (_, g), us in self.us.items() if g == name)
            rows[name] = {"truth_us": of_truth, "guess_us": of_guess,
                          "recall": hit / of_truth if of_truth else None,
                          "precision": hit / of_guess if of_guess else None}
        return rows

    def wrong(self) -> list[dict]:
        pairs = [{"truth": truth, "guess": guess, "us": us}
                 for (truth, guess), us in self.us.items() if truth != guess]
        return sorted(pairs, key=lambda row: -row["us"])


def kernels_of(dltap, trace) -> list[dict]:
    done = subprocess.run([str(dltap), "export", "-o", "-", str(trace)],
                          capture_output=True, text=True)
    if done.returncode != 0:
        raise ValueError(done.stderr.strip())
    return [event for event in json.loads(done.stdout)["traceEvents"]
            if "dltap.class_by_name" in event.get("args", {})]


def score(kernels, by_name: Confusion, by_all: Confusion) -> dict:
    """Adds the kernels that have a truth; says how much time has none."""
    without = 0.0
    for event in kernels:
        args, us = event["args"], event["dur"]
        truth = args.get("dltap.class_by_operator")
        if truth is None:
            without += us
            continue
        by_name.add(truth, args["dltap.class_by_name"] or NO_CLASS, us)
        by_all.add(truth, args["dltap.class"], us)
    return {"kernels": len(kernels), "without_operator_us": without}


def traces_in(paths):
    for path in map(pathlib.Path, paths):
        yield from (sorted(p for p in path.iterdir() if p.is_file() and
                           ".json" in p.suffixes) if path.is_dir() else [path])


def percent(share) -> str:
    return "    ?" if share is None else f"{100 * share:5.1f}"


def table(title, confusion) -> list[str]:
    lines = [f"{title}: {percent(confusion.share()).strip()} % of "
             f"{confusion.total() / 1e3:.2f} ms right",
             f"  {'class':14} {'truth ms':>9} {'recall %':>9} {'precision %':>12}"]
    rows = sorted(confusion.by_class().items(),
                  key=lambda row: -row[1]["truth_us"])
    for name, row in rows:
        lines.append(f"  {name:14} {row['truth_us'] / 1e3:9.3f} "
                     f"{percent(row['recall']):>9} "
                     f"{percent(row['precision']):>12}")
    for row in confusion.wrong()[:15]:
        lines.append(f"    {row['truth']} taken for {row['guess']}: "
                     f"{row['us'] / 1e3:.3f} ms")
    return lines


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("traces", nargs="+")
    parser.add_argument("--dltap", default=DLTAP)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    by_name, by_all = Confusion(), Confusion()
    files, failed = {}, {}
    for trace in traces_in(options.traces):
        own = Confusion(), Confusion()
        try:
            kernels = kernels_of(options.dltap, trace)
        except ValueError as error:
            failed[str(trace)] = str(error)
            continue
        files[str(trace)] = score(kernels, *own) | {
            "by_name_right": own[0].share(), "by_all_right": own[1].share()}
        by_name.us.update(own[0].us)
        by_all.us.update(own[1].us)
    if options.json:
        print(json.dumps({
            "files": files, "failed": failed,
            **{key: {"right": confusion.share(), "us": confusion.total(),
                     "classes": confusion.by_class(),
                     "wrong": confusion.wrong()}
               for key, confusion in (("by_name", by_name),
                                      ("by_all", by_all))}}, indent=1))
    else:
        for name, row in files.items():
            print(f"{pathlib.Path(name).name}: {row['kernels']} kernels, right "
                  f"by name {percent(row['by_name_right']).strip()} %, by all "
                  f"{percent(row['by_all_right']).strip()} %, without operator "
                  f"{row['without_operator_us'] / 1e3:.3f} ms")
        for name, why in failed.items():
            print(f"{pathlib.Path(name).name}: {why}")
        print()
        print("\n".join(table("by name alone", by_name)), end="\n\n")
        print("\n".join(table("by all evidence", by_all)))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
