#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`info`, `check` and `doctor` say the same as JSON and as text.

usage: info_json_test.py DLTAP GOLDEN [TRACES]
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/support"))
import report_schema  # noqa: E402

DLTAP, GOLDEN = sys.argv[1:3]
TRACES = sys.argv[3] if len(sys.argv) > 3 else ""
KINETO = {"schemaVersion": 1, "traceEvents": [
    {"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 1.0,
     "dur": 2.0, "args": {"device": 0, "stream": 7, "correlation": 1}}]}


def dltap(*args):
    return subprocess.run([DLTAP, *args], capture_output=True, text=True)


class InfoJsonTest(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        own = pathlib.Path(cls.folder.name)
        (own / "kineto.json").write_text(json.dumps(KINETO))
        cls.traces = [str(own / "kineto.json")]
        cls.traces += sorted(
            str(path) for path in pathlib.Path(GOLDEN).glob("trace_v*"))
        if TRACES:
            cls.traces += [str(path) for path in
                           sorted(pathlib.Path(TRACES).glob("*.json*"))[:2]]

    def document(self, command, *args):
        done = dltap(command, "--json", *args)
        document = json.loads(done.stdout)
        schema = json.loads(
            (ROOT / f"analyzer/cli/{command}.schema.json").read_text())
        report_schema.check(document, schema, where=command)
        return document, done.returncode

    def test_info(self):
        for trace in self.traces:
            with self.subTest(trace):
                document, code = self.document("info", trace)
                self.assertEqual(code, 0)
                text = dltap("info", trace).stdout
                counts = re.findall(
                    r"recorded +(\d+) calls of (\d+) threads, (\d+) kernels, "
                    r"(\d+) copies, (\d+) memsets, (\d+) ranges", text)
                self.assertEqual(
                    [tuple(str(process[key]) for key in
                           ("calls", "threads", "kernels", "copies", "memsets",
                            "ranges")) for process in document["processes"]],
                    counts)
                self.assertEqual(
                    re.findall(r"(?m)^process (\d+)", text),
                    [str(process["pid"]) for process in document["processes"]])
                devices = [device for process in document["processes"]
                           for device in process["devices"]]
                self.assertEqual(
                    re.findall(r"(?m)^  device +(\d+): (.*?)(?:,|$)", text),
                    [(str(d["id"]), d["name"] or "") for d in devices])

    def test_check(self):
        whole = set()
        for trace in self.traces:
            with self.subTest(trace):
                document, code = self.document("check", trace)
                self.assertEqual(code, 0 if document["whole"] else 1)
                text = dltap("check", trace)
                self.assertEqual(text.returncode, code)
                self.assertEqual(text.stdout.startswith("whole"),
                                 document["whole"])
                for process in document["processes"]:
                    for loss in process["losses"]:
                        self.assertIn(f"{loss['cause']}: {loss['count']} ",
                                      text.stdout)
                whole.add(document["whole"])
        self.assertEqual(whole, {True, False})

    def test_doctor(self):
        document, code = self.document("doctor", "--gpu", "sim:l4")
        self.assertEqual(code, 0 if document["complete"] else 1)
        lines = dltap("doctor", "--gpu", "sim:l4").stdout.splitlines()
        self.assertEqual([row["verdict"] for row in document["findings"]],
                         [line.split()[0] for line in lines[:-1]])

    def test_trace_that_cannot_be_read_gives_no_document(self):
        for command in ("info", "check"):
            done = dltap(command, "--json", os.devnull + "x")
            self.assertEqual((done.returncode, done.stdout), (3, ""))


if __name__ == "__main__":
    sys.argv[1:] = []
    unittest.main()
