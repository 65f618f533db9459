#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""own_toolkit_test.py CUDA-ROOT: a machine with a toolkit downloads nothing.

Lays CUDA-ROOT's files out as NVIDIA's installer would (CUPTI in extras/, cuDNN
and NCCL elsewhere), sets a clone up with it, configures and reads the headers.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

CUDA = pathlib.Path(sys.argv.pop(1)).resolve()
SOURCE = pathlib.Path(__file__).resolve().parents[3]
ELSEWHERE = {"cupti": ("cupti", "generated_"), "cudnn": ("cudnn",),
             "nccl": ("nccl",)}


class OwnToolkitTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="own_toolkit_test.")
        self.addCleanup(scratch.cleanup)
        self.scratch = pathlib.Path(scratch.name)
        self.toolkit = self.scratch / "cuda"
        self.folders = {"cupti": self.toolkit / "extras/CUPTI/include",
                        "cudnn": self.scratch / "cudnn/include",
                        "nccl": self.scratch / "nccl/include"}
        self.lay_out_toolkit()
        self.clone = self.scratch / "clone"
        self.clone.mkdir()
        for entry in SOURCE.iterdir():
            if entry.name not in (".git",) and \
                    not entry.name.startswith("build"):
                (self.clone / entry.name).symlink_to(entry)
        # A real folder: setup.sh and CMake find the clone by its path.
        (self.clone / "scripts").unlink()
        shutil.copytree(SOURCE / "scripts", self.clone / "scripts")

    def lay_out_toolkit(self):
        for folder in (*self.folders.values(), self.toolkit / "include"):
            folder.mkdir(parents=True)
        for folder in ("bin", "lib64", "nvvm"):
            (self.toolkit / folder).symlink_to(CUDA / folder)
        for header in (CUDA / "include").iterdir():
            place = self.toolkit / "include"
            for part, prefixes in ELSEWHERE.items():
                if header.name.startswith(prefixes):
                    place = self.folders[part]
            (place / header.name).symlink_to(header)

    def run_in_clone(self, *command, **environment):
        environment = dict(
            os.environ, DLTAP_TOOLS=str(self.scratch / "tools"),
            PIP_INDEX_URL="http://127.0.0.1:9/", **environment)
        return subprocess.run(list(map(str, command)), cwd=self.clone,
                              env=environment, text=True, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def set_up(self):
        done = self.run_in_clone(
            "scripts/setup.sh", "--no-packages", "--cuda-root", self.toolkit,
            "--python", sys.executable)
        self.assertEqual(done.returncode, 0, done.stdout)
        # Nothing but the packages of the report's page, which are no toolkit.
        made = [path.name for path in (self.scratch / "tools").iterdir()
                if not path.name.startswith(("web-", ".lock"))]
        self.assertEqual(made, [])

    def test_configures_and_generates_with_it(self):
        self.set_up()
        done = self.run_in_clone(
            "cmake", "--preset", "release",
            CUDNN_ROOT=self.scratch / "cudnn", NCCL_ROOT=self.scratch / "nccl")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn(f"Found DltapCuda: {self.toolkit}/include", done.stdout)
        commands = (self.clone / "build/build.ninja").read_text()
        for folder in self.folders.values():
            self.assertIn(str(folder), commands)
        self.assertNotIn(str(CUDA / "include"), commands)
        done = self.run_in_clone("cmake", "--build", "build", "--target",
                                 "dltap_specs_generate")
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_missing_headers_are_named(self):
        self.set_up()
        done = self.run_in_clone("cmake", "--preset", "release")
        self.assertNotEqual(done.returncode, 0)
        said = " ".join(done.stdout.split())
        self.assertIn("cudnn.h, nccl.h not found in", said)
        self.assertIn("set CUDNN_ROOT, NCCL_ROOT and CUSPARSELT_ROOT", said)


if __name__ == "__main__":
    unittest.main()
