# SPDX-License-Identifier: Apache-2.0
"""kill -9 of the C++ cnn at random moments: every trace opens, nothing is lost.

The program prints a line every ten steps. A call of a step that was printed had
returned, so its record is in the trace, or it was dropped since the ring was
full (the collector got no processor in time), and is counted.
"""

import concurrent.futures
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import chain  # noqa: E402

ROUNDS = int(os.environ.get("TEST_KILL_ROUNDS", "200"))
LONGEST_S = 0.4


def kill_once(moment_s: float) -> str:
    """Empty, or what is wrong with the trace of the killed program."""
    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(folder, "trace")
        output = pathlib.Path(folder, "output")
        environment = chain.simulated_environment(
            DLTAP_SIM_GPU=chain.GPU, DLTAP_SIM_QUIET="1",
            DLTAP_CLOCK="cupti", DLTAP_OUTPUT=str(trace),
            LD_PRELOAD=":".join([str(chain.BUILD / "lib" / "libdltap.so"),
                                 *chain.simulated_libraries()]))
        with output.open("w") as stdout:
            child = subprocess.Popen(
                [chain.WORKLOADS / "cnn", "--steps", "1000000", "--batch",
                 "2"], env=environment, stdout=stdout)
            time.sleep(moment_s)
            child.send_signal(signal.SIGKILL)
            if child.wait() != -signal.SIGKILL:
                return f"ended by itself: {child.returncode}"
        return what_is_wrong(trace, output.read_text())


def what_is_wrong(trace: pathlib.Path, printed: str) -> str:
    steps = [int(line.split()[1]) for line in printed.splitlines()
             if line.startswith("step ") and line.count(" ") == 3]
    done = max(steps, default=0)
    if not trace.exists() or not os.listdir(trace):
        return f"no trace after {done} steps" if done else ""
    seen = chain.dltap("dump", trace, check=False)
    if seen.returncode != 0:
        # Killed between the making of the file and its first write.
        at_once = done == 0 and "the file is empty" in seen.stderr
        return "" if at_once else f"dump: {seen.stderr}"
    check = chain.dltap("check", trace, check=False)
    if "corrupt" in check.stdout + check.stderr:
        return f"check: {check.stdout}{check.stderr}"
    calls = seen.stdout.count(" cudnnConvolutionForward ")
    dropped = re.search(r"^loss ring_full (\d+)", seen.stdout, re.M)
    dropped = int(dropped[1]) if dropped else 0
    if calls + dropped < 3 * done:
        return (f"{calls} convolutions of {3 * done} in {done} printed steps, "
                f"{dropped} calls counted as dropped")
    return ""


class KillTest(unittest.TestCase):
    def test_no_committed_record_is_lost(self):
        moments = random.Random(1)
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            results = list(pool.map(
                kill_once, (moments.uniform(0.0, LONGEST_S)
                            for _ in range(ROUNDS))))
        self.assertEqual([text for text in results if text], [])


if __name__ == "__main__":
    unittest.main()
