# SPDX-License-Identifier: Apache-2.0
"""Does torchrun train on two simulated GPUs where NVIDIA's wheels are installed?

Usage: vendor_wheels_test.py DUMMY_FOLDER PYTHON

PyTorch's libraries search the wheels' folders (DT_RPATH) before
LD_LIBRARY_PATH. Here libraries that abort, or that have no functions, lie there:
`dltap run` must win over them, in each process that torchrun starts. PyTorch
also opens what lies there by path, though it does not use it: that is named.
PyTorch is not copied: a folder of links stands for its package. Skipped where
PYTHON has no torch.
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[3]
BUILD = pathlib.Path(os.environ.get("DLTAP_TEST_BUILD", SOURCE / "build"))
DUMMIES = pathlib.Path()
TORCH = pathlib.Path()
PYTHON = ""


def link_entries(source, target):
    target.mkdir(parents=True)
    for path in source.iterdir():
        (target / path.name).symlink_to(path)


class VendorWheelsTest(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        site = self.folder / "site"
        # Real folders where $ORIGIN/../.. must end in `site`.
        link_entries(TORCH, site / "torch")
        (site / "torch" / "lib").unlink()
        link_entries(TORCH / "lib", site / "torch" / "lib")
        for wheel in ("cu13", "cudnn", "nccl"):
            link_entries(DUMMIES, site / "nvidia" / wheel / "lib")
        self.environment = dict(os.environ, PYTHONPATH=str(site),
                                DLTAP_SIM_CLOCK="real")

    def run_python(self, *command, **variables):
        return subprocess.run(command, env=self.environment | variables,
                              capture_output=True, text=True)

    def test_wheels_win_over_the_library_path(self):
        done = self.run_python(
            PYTHON, "-B", "-c", "import torch; torch.ones(1).cuda()",
            DLTAP_SIM_GPU="h100-sxm",
            LD_LIBRARY_PATH=str(BUILD / "simgpu" / "cu13"))
        self.assertLess(done.returncode, 0, done.stderr)

    def test_dltap_run_wins_over_wheels_in_every_rank(self):
        script = SOURCE / "tests" / "workloads" / "python" / "train_ddp.py"
        done = self.run_python(
            BUILD / "bin" / "dltap", "run", "--gpu", "sim:h100-sxm", "--gpus",
            "2", "-o", self.folder / "trace", "--", PYTHON, "-B", "-m",
            "torch.distributed.run", "--standalone", "--nproc-per-node", "2",
            script, "--steps", "4", DUMMY_MAY_BE_LOADED="1")
        self.assertEqual(done.returncode, 0, done.stderr[-3000:])
        self.assertIn("2 processes", done.stderr)
        named = [line for line in done.stderr.splitlines()
                 if "not simulated" in line]
        self.assertGreaterEqual(len(named), 2, done.stderr)
        wheel = self.folder / "site" / "nvidia" / "cu13" / "lib"
        self.assertIn(str(wheel / "libcublasLt.so.13"), named[0])
        self.assertNotIn("simgpu/cu13", named[0])


def folder_of_torch():
    found = subprocess.run(
        [PYTHON, "-c", "import importlib.util as u; "
         "s = u.find_spec('torch'); print(s.origin if s else '')"],
        capture_output=True, text=True, check=True).stdout.strip()
    return pathlib.Path(found).parent if found else None


if __name__ == "__main__":
    PYTHON = sys.argv.pop(2)
    DUMMIES = pathlib.Path(sys.argv.pop(1))
    TORCH = folder_of_torch()
    if TORCH is None:
        print("skipped: no torch for", PYTHON)
        sys.exit(77)
    unittest.main()
