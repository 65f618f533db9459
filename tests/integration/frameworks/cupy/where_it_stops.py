# SPDX-License-Identifier: Apache-2.0
"""CuPy: imports, and stops at its first call of the runtime. Its wheel holds the
vendor's static cudart, which asks the driver for a table that no header
describes (see simgpu/LIMITS.md)."""

import checks
import cupy


@checks.check
def the_first_runtime_call_fails():
    try:
        devices = cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError as error:
        assert "cudaErrorSymbolNotFound" in str(error), error
    else:
        raise AssertionError(f"CuPy found {devices} devices: test it properly")


checks.run_all()
