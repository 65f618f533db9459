# SPDX-License-Identifier: Apache-2.0
"""dltap export --format chrome of a real trace is a well-formed trace.

usage: chrome_export_test.py DLTAP TRACES
"""

import collections
import json
import os
import subprocess
import sys
import unittest

DLTAP, TRACES = sys.argv[1:3]
TRACE = os.path.join(TRACES, "kineto_alexnet.json.gz")


@unittest.skipUnless(os.path.exists(TRACE),
                     "no folder of real traces; set DLTAP_SHARED")
class ChromeExportTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        out = subprocess.run(
            [DLTAP, "export", "--format", "chrome", "-o", "-", TRACE],
            check=True, stdout=subprocess.PIPE).stdout
        cls.events = json.loads(out)["traceEvents"]

    def test_flows_have_one_start_and_one_end(self):
        starts, ends = (
            collections.Counter(e["id"] for e in self.events if e["ph"] == ph)
            for ph in "sf")
        self.assertGreater(len(starts), 0)
        self.assertEqual(starts, ends)
        self.assertEqual(set(starts.values()), {1})

    def test_spans_have_times(self):
        spans = [e for e in self.events if e["ph"] == "X"]
        self.assertGreater(len(spans), 0)
        for span in spans:
            self.assertGreaterEqual(span["ts"], 0)
            self.assertGreaterEqual(span["dur"], 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
