# SPDX-License-Identifier: Apache-2.0
"""Does a driver function found by its address lead to its own wrapper?

Usage: addresses_test.py DLTAP LIBDLTAP SIMGPU_DIR

Asks the simulated runtime and driver for driver functions, by versions and flags of all
kinds, bare and under the tap. The tap may change whose code it is, never which
function; what it leaves alone is counted as lost.
"""

import ctypes
import itertools
import os
import re
import subprocess
import sys
import tempfile
import unittest

NAMES = ("cuMemAlloc cuMemAlloc_v2 cuMemMap cuMemGetInfo cuMemcpyHtoDAsync "
         "cuStreamWriteValue32 cuLaunchKernel cuLaunchKernelEx cuCtxCreate "
         "cuGraphInstantiate cuGraphAddKernelNode cuGetProcAddress cuInit "
         "cuTensorMapEncodeTiled cuNoSuchThing cudaMalloc ncclSend").split()
VERSIONS = 0, 2000, 3020, 4000, 7000, 10000, 11040, 12000, 12080, 13000, 99999
FLAGS = range(5)
UNTOUCHED = 0x77


class Found(ctypes.Structure):
    _fields_ = [("file", ctypes.c_char_p), ("base", ctypes.c_void_p),
                ("symbol", ctypes.c_char_p), ("address", ctypes.c_void_p)]


def ask():
    """Prints the answer to each question, and whose code it is."""
    process = ctypes.CDLL(None)
    runtime = ctypes.CDLL("libcudart.so.13")
    driver = ctypes.CDLL("libcuda.so.1")
    runtime.cudaFree(None)
    device = ctypes.c_void_p()
    runtime.cudaMalloc(ctypes.byref(device), ctypes.c_size_t(64))

    def show(question, function, *arguments):
        address = ctypes.c_void_p(UNTOUCHED)
        status = function(arguments[0], ctypes.byref(address), *arguments[1:])
        found = Found()
        if address.value not in (None, UNTOUCHED):
            process.dladdr(address, ctypes.byref(found))
        print(question, status, address.value == UNTOUCHED,
              (found.symbol or b"none").decode(),
              os.path.basename((found.file or b"none").decode()))

    for name, flags in itertools.product(NAMES, FLAGS):
        text = name.encode()
        wide = ctypes.c_ulonglong(flags)
        for variant in "", "_ptsz":
            show(f"{name}{variant}:{flags}",
                 runtime["cudaGetDriverEntryPoint" + variant], text, wide, None)
            for version in VERSIONS:
                show(f"{name}{variant}:{flags}:{version}",
                     runtime["cudaGetDriverEntryPointByVersion" + variant],
                     text, version, wide, None)
        for version in VERSIONS:
            show(f"{name}:driver:{flags}:{version}", driver.cuGetProcAddress,
                 text, version, wide)
            show(f"{name}:driver2:{flags}:{version}",
                 driver.cuGetProcAddress_v2, text, version, wide, None)
    for arguments in ((None, ctypes.byref(device)), (b"cuMemMap", None)):
        print(runtime.cudaGetDriverEntryPoint(*arguments, ctypes.c_ulonglong(0),
                                              None))


class AddressesTest(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        driver = os.path.join(SIMGPU, "libcuda.so.1")
        cls.bare = cls.answers(driver)
        cls.tapped = cls.answers(f"{TAP}:{driver}")

    @classmethod
    def answers(cls, preload):
        environment = dict(os.environ, LD_PRELOAD=preload,
                           DLTAP_SIM_GPU="h100-sxm", LD_LIBRARY_PATH=SIMGPU,
                           DLTAP_OUTPUT=cls.folder.name, DLTAP_LOG="off")
        done = subprocess.run([sys.executable, __file__, "ask"], text=True,
                              env=environment, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, check=True)
        return [line.rpartition(" ") for line in done.stdout.splitlines()]

    def test_the_same_function_answers(self):
        self.assertEqual([row[0] for row in self.tapped],
                         [row[0] for row in self.bare])

    def test_every_version_that_has_a_wrapper_gets_it(self):
        wrapped = {row[0].split()[3] for row in self.tapped
                   if row[2] == os.path.basename(TAP)}
        self.assertLessEqual(
            {"cuMemAlloc_v2", "cuMemMap", "cuMemGetInfo_v2",
             "cuMemcpyHtoDAsync_v2", "cuMemcpyHtoDAsync_v2_ptsz",
             "cuLaunchKernel", "cuLaunchKernel_ptsz", "cuCtxCreate_v4",
             "cuStreamWriteValue32_v2", "cuGraphInstantiateWithFlags",
             "cuGraphAddKernelNode_v2"}, wrapped)

    def test_the_others_are_counted(self):
        real = [row for row in self.tapped if row[2] == "libcuda.so.1"]
        names = {row[0].split()[3] for row in real}
        # Versions of functions that have wrappers, but not for them.
        left = {"cuMemAlloc", "cuMemGetInfo", "cuMemcpyHtoDAsync"}
        self.assertLessEqual(left, names)
        dump = subprocess.run([DLTAP, "dump", self.folder.name], text=True,
                              check=True, stdout=subprocess.PIPE).stdout
        lost = re.findall(r"^loss unwrapped_route (\d+)", dump, re.M)
        self.assertEqual(sum(map(int, lost)),
                         sum(row[0].split()[3] in left for row in real))


if __name__ == "__main__":
    if sys.argv[1] == "ask":
        ask()
    else:
        DLTAP, TAP, SIMGPU = sys.argv[1:4]
        unittest.main(argv=sys.argv[:1])
