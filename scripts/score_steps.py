#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""score_steps.py [STEPS.csv ...]: whole simulated steps against published ones.

Builds each configuration of the files (scripts/scoreboard/steps.csv without
any), runs it on the simulated GPU in virtual time and prints the errors as
Markdown tables. Needs build/simgpu/cu13 and the environment that `setup.sh
--scoreboard` makes.
"""

import argparse
import csv
import hashlib
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "scoreboard"))
import errors  # noqa: E402
import plot  # noqa: E402
import simulated  # noqa: E402
import toolchain  # noqa: E402

STEPS = simulated.HERE / "steps.csv"
RESULTS = ["modelled_ms", "peak_bytes", "error", "wall_s"]


def options():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", default=[STEPS])
    parser.add_argument("--libraries", help="the simulated GPU",
                        default=simulated.ROOT / "build/simgpu/cu13")
    parser.add_argument("--python", default=toolchain.chosen("DLTAP_SCOREBOARD_PYTHON"))
    parser.add_argument("--only", default="", help="regular expression; "
                        "MODEL MODE LAYOUT GPU PRECISION BUILDER must match")
    parser.add_argument("--split", choices=["shown", "held_out"])
    parser.add_argument("--most", type=int, help="at most so many, picked by "
                        "their hash")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--timeout", type=float, default=120, metavar="S")
    parser.add_argument("--out", metavar="CSV", help="writes rows and results")
    parser.add_argument("--plot", metavar="SVG")
    parser.add_argument("--predicted", nargs="*", default=[], metavar="CSV",
                        help="does not run anything: scores files with the "
                        "columns of the truth and modelled_ms, of this or of "
                        "any other predictor, side by side")
    return parser.parse_args()


def words_of(row):
    return " ".join(row[name] for name in
                    ("model", "mode", "layout", "gpu", "precision", "builder"))


def chosen(files, args):
    rows = []
    for path in files:
        with open(path, newline="", encoding="utf-8") as source:
            rows += csv.DictReader(source)
    rows = [row for row in rows if re.search(args.only, words_of(row)) and
            args.split in (None, row["split"])]
    if args.most is not None:
        rows.sort(key=lambda r: hashlib.sha256(str(r).encode()).hexdigest())
        rows = rows[:args.most]
    return rows


def family_of(row):
    """resnet50 -> resnet; convnext_tiny -> convnext."""
    name = row["model"].lower().removeprefix("tf_")
    return re.match(r"[a-z]+", name).group()


GROUPS = {
    "GPU": lambda row: row["gpu"],
    "mode, precision and layout": lambda row: f"{row['mode']} "
                                              f"{row['precision']} "
                                              f"{row['layout']}",
    "family": family_of,
}


def print_scores(name, rows):
    known = [(float(row["modelled_ms"]), float(row["step_ms"]), row)
             for row in rows if row.get("modelled_ms")]
    print(f"\n## {name}\n")
    for row in rows:
        if row.get("error"):
            print(f"- {row['model']} {row['mode']} {row['layout']} on "
                  f"{row['gpu']}: {row['error']}")
    if not known:
        print("No configuration ran.")
        return known
    print(errors.table(known, lambda row: row["split"].replace("_", " ")))
    for group, key in GROUPS.items():
        print(f"\nBy {group}:\n")
        print(errors.table(sorted(known, key=lambda r: key(r[2])), key))
    return known


def tell(row, result):
    if "error" in result:
        print(f"{words_of(row)}: {result['error']}", file=sys.stderr)
        return
    error = (result["step_ms"] / float(row["step_ms"]) - 1) * 100
    print(f"{words_of(row)}: measured {row['step_ms']} ms, modelled "
          f"{result['step_ms']:.1f} ms ({error:+.0f} %), {result['wall_s']} s",
          file=sys.stderr)


def run_chosen(args):
    if not args.python:
        sys.exit("score_steps.py: no environment; scripts/setup.sh "
                 "--scoreboard makes one")
    results = []
    for row, result in simulated.run_all(chosen(args.files, args), args.python,
                                         args.libraries, args.jobs,
                                         args.timeout, tell):
        results.append({**row, "modelled_ms": result.get("step_ms", ""),
                        "peak_bytes": result.get("peak_bytes", ""),
                        "error": result.get("error", ""),
                        "wall_s": result.get("wall_s", "")})
    return results


def write_csv(path, rows):
    with open(path, "w", newline="", encoding="utf-8") as out:
        writer = csv.DictWriter(out, [n for n in rows[0] if n not in RESULTS] +
                                RESULTS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def main():
    args = options()
    if args.predicted:
        for path in args.predicted:
            print_scores(pathlib.Path(path).stem, chosen([path], args))
        return
    rows = run_chosen(args)
    if not rows:
        sys.exit("score_steps.py: no such configuration")
    known = print_scores("dltap, simulated", rows)
    if args.out:
        write_csv(args.out, rows)
    if args.plot and known:
        pathlib.Path(args.plot).write_text(
            plot.svg(known, lambda row: f"{row['gpu']} {row['mode']}"),
            encoding="utf-8")


if __name__ == "__main__":
    main()
