# SPDX-License-Identifier: Apache-2.0
"""Does a framework run on the simulated libraries, and does the tap see all of
its calls?

Usage: calls_test.py [OPTION ...] NAME PYTHON SCRIPT [ARGUMENT ...]

Runs SCRIPT twice under `dltap run`: without and with the tap preloaded. Both
must succeed. Then calls counted by the simulated libraries must equal calls
seen by the tap, function by function; call_counts.py says what else is told
apart. Prints a table, and writes it to DLTAP_TEST_BUILD/frameworks/NAME.json.
Skipped where PYTHON is `-` (none) or lacks --needs MODULE.
"""

import argparse
import collections
import dataclasses
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import call_counts  # noqa: E402

SKIPPED = 77
NO_PYTHON = "-"
SOURCE = pathlib.Path(__file__).resolve().parents[3]
BUILD = pathlib.Path(os.environ.get("DLTAP_TEST_BUILD", SOURCE / "build"))
DLTAP = BUILD / "bin" / "dltap"
TAP = "libdltap.so"
# A shell that takes the tap, which comes first, off the lists.
WITHOUT_TAP = ["/bin/sh", "-c", "unset NVTX_INJECTION64_PATH; "
               'LD_PRELOAD=${LD_PRELOAD#*:} exec "$@"', "sh"]
VERDICTS = {
    "equal": "the tap saw every call",
    "own": "and the tap's own calls came on top",
    "by_address": "route not tapped yet: address from cuGetProcAddress",
    "no_session": "in processes without a trace: no work, or by address only",
    "unwrapped": "left out by the specs",
    "different": "WRONG",
}


def parse_arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gpu", default="h100-sxm")
    parser.add_argument("--gpus", default="1")
    parser.add_argument("--clock", default="skip")
    parser.add_argument("--needs", default="sys", help="a Python module")
    parser.add_argument("--at-least", type=int, default=10, metavar="N",
                        help="functions that must be called")
    parser.add_argument("--by-address", type=int, default=0, metavar="N",
                        help="functions that must come by address")
    parser.add_argument("--calls", action="append", default=[],
                        metavar="FUNCTION", help="which must be called")
    parser.add_argument("--never", action="append", default=[],
                        metavar="FUNCTION", help="which must not be called")
    parser.add_argument("--set", action="append", default=[],
                        metavar="NAME=VALUE", help="environment of the script")
    parser.add_argument("name")
    parser.add_argument("python")
    parser.add_argument("script")
    parser.add_argument("rest", nargs=argparse.REMAINDER)
    return parser.parse_args()


def run(options, folder, with_tap):
    """Counts of the simulated libraries, in processes that wrote a trace and in
    those that did not; traces are in folder/trace."""
    folder.mkdir()
    home = folder / "home"
    (home / ".cache").mkdir(parents=True)  # some only write where it is
    environment = dict(
        os.environ, HOME=str(home), TMPDIR=str(folder),
        PYTHONPATH=str(pathlib.Path(__file__).parent / "support"),
        DLTAP_SIM_COUNTS=str(folder / "counts.%p"))
    environment.pop("XDG_CACHE_HOME", None)
    environment.update(pair.split("=", 1) for pair in options.set)
    if with_tap:
        environment.update(LD_DEBUG="bindings",
                           LD_DEBUG_OUTPUT=str(folder / "bindings"))
    done = subprocess.run(
        [DLTAP, "run", "--gpu", f"sim:{options.gpu}", "--gpus", options.gpus,
         "--sim-clock", options.clock, "--level", "host", "--no-report",
         "-o", folder / "trace", "--",
         *([] if with_tap else WITHOUT_TAP), options.python, "-B",
         options.script, *options.rest],
        env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{options.script} {'with' if with_tap else 'without'} the "
                 f"tap ended with {done.returncode}:\n{done.stdout[-4000:]}\n"
                 f"{done.stderr[-4000:]}")
    if left := sorted(path for path in home.rglob("*") if path.is_file()):
        sys.exit(f"files were left in the home folder: {left[:5]}")
    traced = {path.stem.split("-")[-3]  # host-id-PID-time-number
              for path in (folder / "trace").glob("*.dltap")}
    counts = {path.suffix[1:]: path for path in folder.glob("counts.*")}
    return (call_counts.read_simulated(path for pid, path in counts.items()
                                       if pid in traced),
            call_counts.read_simulated(path for pid, path in counts.items()
                                       if pid not in traced))


def seen_by_tap(trace):
    if not list(trace.glob("*.dltap")):
        return {}
    with subprocess.Popen([DLTAP, "dump", trace], stdout=subprocess.PIPE,
                          text=True) as dump:
        seen = call_counts.read_seen(dump.stdout)
    if dump.returncode != 0:
        sys.exit(f"dltap dump {trace} ended with {dump.returncode}")
    return seen


def measure(options, folder):
    _, bare = run(options, folder / "bare", with_tap=False)
    tapped, silent = run(options, folder / "tapped", with_tap=True)
    roles = call_counts.read_roles(BUILD / "generated")
    rows = call_counts.compare(
        tapped, call_counts.without(bare, silent),
        seen_by_tap(folder / "tapped" / "trace"), roles,
        call_counts.called_by_tap(SOURCE))
    rows += call_counts.untraced(silent, roles,
                                 call_counts.read_work(BUILD / "generated"))
    routes = call_counts.read_routes(
        (folder / "tapped").glob("bindings.*"), TAP)
    for row in rows:
        row.route = "+".join(sorted(routes[row.symbol])) or "none"
    return bare, rows


def print_table(name, rows):
    print(f"{name}: {len({row.symbol for row in rows})} functions, "
          f"{sum(row.simulated for row in rows)} calls")
    for verdict, meaning in VERDICTS.items():
        chosen = [row for row in rows if row.verdict == verdict]
        if not chosen:
            continue
        print(f"  {verdict:10} {len(chosen):4} functions "
              f"{sum(row.simulated for row in chosen):9} counted "
              f"{sum(row.seen for row in chosen):9} seen   {meaning}")
        routes = collections.Counter()
        for row in chosen:
            routes[row.route] += row.seen
        if verdict == "equal":
            print("             by " + ", ".join(
                f"{route}: {seen}" for route, seen in sorted(routes.items())))
            continue
        for row in chosen:
            print(f"             {row.symbol}: {row.simulated} counted, "
                  f"{row.seen} seen")


def installed_mb(python):
    """Of the environment, files that other folders link counted too."""
    packages = pathlib.Path(python).parents[1] / "lib"
    return sum(path.stat().st_size for path in packages.rglob("*")
               if path.is_file()) >> 20


def keep(name, python, bare, rows):
    folder = BUILD / "frameworks"
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.json").write_text(json.dumps({
        "installed_mb": installed_mb(python),
        "functions": {symbol: dataclasses.asdict(function)
                      for symbol, function in bare.items()},
        "rows": [dataclasses.asdict(row) for row in rows]}, indent=1))


def has_module(python, module):
    return subprocess.run(
        [python, "-c", "import importlib.util, sys; "
         f"sys.exit(not importlib.util.find_spec({module!r}))"]).returncode == 0


def is_enough(options, rows):
    by_address = sum(row.verdict == "by_address" for row in rows)
    functions = len({row.symbol for row in rows})
    print(f"{functions} functions, at least {options.at_least} expected; "
          f"{by_address} by address, at least {options.by_address} expected")
    called = {row.symbol for row in rows if row.simulated > 0}
    not_called = sorted(set(options.calls) - called)
    wrongly_called = sorted(set(options.never) & called)
    if not_called or wrongly_called:
        print(f"not called: {not_called}, wrongly called: {wrongly_called}")
    return (functions >= options.at_least and
            by_address >= options.by_address and
            not not_called and not wrongly_called)


def main():
    options = parse_arguments()
    if (options.python == NO_PYTHON or
            not has_module(options.python, options.needs)):
        print(f"skipped: no Python with {options.needs}; "
              "scripts/setup.sh --frameworks makes it")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        bare, rows = measure(options, pathlib.Path(folder))
    print_table(options.name, rows)
    keep(options.name, options.python, bare, rows)
    right = all(row.verdict != "different" for row in rows)
    return 0 if is_enough(options, rows) and right else 1


if __name__ == "__main__":
    sys.exit(main())
