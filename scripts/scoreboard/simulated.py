# SPDX-License-Identifier: Apache-2.0
"""Runs configurations of the scoreboard on the simulated GPU."""

import concurrent.futures
import json
import os
import pathlib
import subprocess
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent


# Of boards that were measured with more memory than the table's.
MEMORY_GB = {"v100-sxm": "32"}


def environment(libraries, gpu):
    """Preloads what `libraries` (build/simgpu/cu13) holds; virtual time."""
    folder = pathlib.Path(libraries)
    first = folder / "libdltapsim.so"
    others = sorted(p for p in folder.glob("lib*.so*") if p != first)
    settings = {"LD_PRELOAD": " ".join(map(str, [first, *others])),
                "DLTAP_SIM_GPU": gpu, "DLTAP_SIM_CLOCK": "virtual",
                "DLTAP_SIM_WHAT_IF": "1", "DLTAP_SIM_QUIET": "1",
                "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"}
    if gpu in MEMORY_GB:
        settings["DLTAP_SIM_MEMORY_GB"] = MEMORY_GB[gpu]
    return {**os.environ, **settings}


def run(row, python, libraries, timeout_s):
    """The row's result: run_step.py's, or {"error": ...}; with wall_s."""
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "row.json"
        path.write_text(json.dumps(row), encoding="utf-8")
        try:
            done = subprocess.run(
                [python, HERE / "run_step.py", path], capture_output=True,
                text=True, timeout=timeout_s, check=False,
                env=environment(libraries, row["gpu"]))
        except subprocess.TimeoutExpired:
            return {"error": f"no step within {timeout_s} s"}
    try:
        result = json.loads(done.stdout.strip().splitlines()[-1])
    except (IndexError, json.JSONDecodeError):
        last = done.stderr.strip().splitlines()[-1:] or ["no output"]
        result = {"error": last[0][:200]}
    result["wall_s"] = round(time.monotonic() - begin, 1)
    return result


def run_all(rows, python, libraries, jobs, timeout_s, tell):
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        futures = [pool.submit(run, row, python, libraries, timeout_s)
                   for row in rows]
        for row, future in zip(rows, futures):
            yield row, future.result()
            tell(row, future.result())
