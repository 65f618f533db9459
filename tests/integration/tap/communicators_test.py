# SPDX-License-Identifier: Apache-2.0
"""Is a communicator that does not block recorded like one that does?

Usage: communicators_test.py DLTAP LIBDLTAP SIMGPU_DIR

NCCL then answers that the call is under way, which is no failure.
"""

import ctypes
import os
import re
import subprocess
import sys
import tempfile
import time
import unittest

UNDEFINED = -2**31
IN_PROGRESS = 7


class UniqueId(ctypes.Structure):
    _fields_ = [("bytes", ctypes.c_char * 128)]


class Config(ctypes.Structure):
    """ncclConfig_t of NCCL 2.28."""
    _fields_ = [("size", ctypes.c_size_t), ("magic", ctypes.c_uint),
                ("version", ctypes.c_uint), ("blocking", ctypes.c_int),
                ("ctas", ctypes.c_int * 3), ("net", ctypes.c_void_p),
                ("share", ctypes.c_int * 2), ("name", ctypes.c_void_p),
                ("rest", ctypes.c_int * 6)]


def communicate():
    """Prints the results of the calls of two ranks."""
    runtime = ctypes.CDLL("libcudart.so.13")
    nccl = ctypes.CDLL("libnccl.so.2")
    memory = ctypes.c_void_p()
    runtime.cudaMalloc(ctypes.byref(memory), ctypes.c_size_t(4096))
    unique = UniqueId()
    version = ctypes.c_int()
    nccl.ncclGetUniqueId(ctypes.byref(unique))
    nccl.ncclGetVersion(ctypes.byref(version))
    config = Config(ctypes.sizeof(Config), 0xcafebeef, version.value, 0)
    for numbers in config.ctas, config.share, config.rest:
        numbers[:] = [UNDEFINED] * len(numbers)
    comms = []
    for ranks, rank in (0, 0), (2, 0), (2, 1):  # none has no ranks at all
        runtime.cudaSetDevice(rank)
        comms.append(ctypes.c_void_p())
        result = nccl.ncclCommInitRankConfig(ctypes.byref(comms[-1]), ranks,
                                             unique, rank,
                                             ctypes.byref(config))
        print(result if rank == 0 else result in (0, IN_PROGRESS))
    for comm in comms[1:]:
        state = ctypes.c_int(IN_PROGRESS)
        while state.value == IN_PROGRESS:
            nccl.ncclCommGetAsyncError(comm, ctypes.byref(state))
            time.sleep(0.001)
        print(state.value, bool(comm.value))


class CommunicatorsTest(unittest.TestCase):

    def test_under_way_is_no_failure(self):
        with tempfile.TemporaryDirectory() as folder:
            driver = os.path.join(SIMGPU, "libcuda.so.1")
            bare = self.run_with(driver, folder)
            self.assertIn(str(IN_PROGRESS), bare.split())
            self.assertEqual(self.run_with(f"{TAP}:{driver}", folder), bare)
            dump = subprocess.run([DLTAP, "dump", folder], text=True,
                                  check=True, stdout=subprocess.PIPE).stdout
        failed, *made = re.findall(r"^call .* ncclCommInitRankConfig .*$", dump,
                                   re.M)
        self.assertIn("failed", failed)
        self.assertEqual(len(made), 2)
        for call in made:
            self.assertNotIn("failed", call)
            self.assertRegex(call, r" comm=0x[1-9a-f]")
        self.assertEqual(len(set(re.findall(r"clique=[1-9]\d*",
                                            " ".join(made)))), 1)

    def run_with(self, preload, folder):
        environment = dict(os.environ, LD_PRELOAD=preload,
                           DLTAP_SIM_GPU="h100-sxm", DLTAP_SIM_GPUS="2", LD_LIBRARY_PATH=SIMGPU,
                           DLTAP_OUTPUT=folder, DLTAP_LOG="off")
        return subprocess.run([sys.executable, __file__, "communicate"],
                              text=True, env=environment, check=True,
                              stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL).stdout


if __name__ == "__main__":
    if sys.argv[1] == "communicate":
        communicate()
    else:
        DLTAP, TAP, SIMGPU = sys.argv[1:4]
        unittest.main(argv=sys.argv[:1])
