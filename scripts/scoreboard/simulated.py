# SPDX-License-Identifier: Apache-2.0
"""Runs configurations of the scoreboard on the simulated GPU."""

import concurrent.futures
import contextlib
import json
import os
import pathlib
import select
import signal
import subprocess
import threading
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


class Server:
    """A process that runs one row after another on a GPU."""

    def __init__(self, python, libraries, gpu):
        self.gpu = gpu
        self.process = subprocess.Popen(
            [python, HERE / "run_step.py"], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            env=environment(libraries, gpu), start_new_session=True)

    def ask(self, row, timeout_s):
        """The row's result, or {"error": ...}; the process may be gone then."""
        line = b""
        try:
            self.process.stdin.write((json.dumps(row) + "\n").encode())
            self.process.stdin.flush()
            stdout = self.process.stdout
            if not select.select([stdout], [], [], timeout_s)[0]:
                self.close()
                return {"error": f"no step within {timeout_s} s"}
            line = stdout.readline()
            return json.loads(line)
        except (OSError, json.JSONDecodeError):
            self.close()
            return {"error": f"no result: {line[:100]!r}"}

    def runs(self):
        return self.process.poll() is None

    def close(self):
        """With the fork that it may be waiting for."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.process.stdout.close()
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()


class Servers:
    """One for each thread, of the GPU that it was asked for last."""

    def __init__(self, python, libraries):
        self.python, self.libraries = python, libraries
        self.by_thread = {}

    def run(self, row, timeout_s):
        """The row's result: run_step.py's, or {"error": ...}; with wall_s."""
        begin = time.monotonic()
        thread = threading.get_ident()
        server = self.by_thread.get(thread)
        if server is None or server.gpu != row["gpu"] or not server.runs():
            if server is not None:
                server.close()
            server = Server(self.python, self.libraries, row["gpu"])
            self.by_thread[thread] = server
        result = server.ask(row, timeout_s)
        result["wall_s"] = round(time.monotonic() - begin, 1)
        return result

    def close(self):
        for server in self.by_thread.values():
            server.close()


def run_all(rows, python, libraries, jobs, timeout_s, tell):
    servers = Servers(python, libraries)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        in_order = sorted(range(len(rows)), key=lambda i: rows[i]["gpu"])
        futures = {i: pool.submit(servers.run, rows[i], timeout_s)
                   for i in in_order}
        try:
            for i, row in enumerate(rows):
                yield row, futures[i].result()
                tell(row, futures[i].result())
        finally:
            for future in futures.values():
                future.cancel()
            servers.close()
