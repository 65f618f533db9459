# SPDX-License-Identifier: Apache-2.0
"""What the simulated CUPTI delivers is what a GPU's delivered.

usage: cupti_facts_test.py DLTAP CUPTI_FACTS RESULTS

RESULTS has a folder for each GPU with the lines that cupti_facts printed there;
the last one counts for each order of switching CUPTI on. Not compared: times,
the numbers of buffers, calls that are made a few times (which of those at the
start are told of differs), and calls of the driver that the vendor's runtime
makes for itself (cuKernelGetName at each launch, with an external id's record).
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

DLTAP, CUPTI_FACTS, RESULTS = sys.argv[1:4]
NOT_COMPARED = ("launch", "launch_with_id", "driver_launch", "get_device",
                "last_error", "buffers")
FEW = 1000
KERNEL_GET_NAME = "driver 719"


def delivered(line: str) -> dict:
    facts = {key: value for key, value in json.loads(line).items()
             if key not in NOT_COMPARED}
    facts["records"] = {kind: count for kind, count in facts["records"].items()
                        if count >= FEW}
    return facts


def without_the_runtimes_own(seen: dict, expected: dict) -> None:
    if expected["records"].pop(KERNEL_GET_NAME, None) is not None:
        expected["records"].pop("external", None)
        seen["records"].pop("external", None)


def of_gpu(file: pathlib.Path) -> dict[tuple[str, str], dict]:
    lines = map(delivered, file.read_text().splitlines())
    return {(line["configuration"], line["when"]): line for line in lines}


def simulated(configuration: str, when: str) -> dict:
    with tempfile.TemporaryDirectory() as folder:
        command = [DLTAP, "run", "--no-report", "--gpu", "sim:h100-sxm", "-o",
                   folder + "/out", "--", CUPTI_FACTS, configuration, when]
        ended = subprocess.run(
            command, capture_output=True, text=True, timeout=120, check=True,
            env=os.environ | {"DLTAP_DISABLE": "1", "DLTAP_SIM_CLOCK": "skip"})
    return delivered(ended.stdout)


class CuptiFactsTest(unittest.TestCase):
    maxDiff = None

    def test_each_order_delivers_what_the_gpu_delivered(self):
        files = list(pathlib.Path(RESULTS).glob("*/cupti_facts.jsonl"))
        self.assertTrue(files)
        for file in files:
            for order, expected in of_gpu(file).items():
                with self.subTest(gpu=file.parent.name, order=order):
                    seen = simulated(*order)
                    without_the_runtimes_own(seen, expected)
                    known = {key: seen[key] for key in expected}
                    self.assertEqual(known, expected)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
