# SPDX-License-Identifier: Apache-2.0
"""All checks of one process in one process: importing them enters them."""

import sys

import decisions  # noqa: F401
import operators  # noqa: F401
import plumbing  # noqa: F401
import profiler  # noqa: F401
import streams  # noqa: F401
import training  # noqa: F401
import values  # noqa: F401
from checks import run_all

if __name__ == "__main__":
    sys.exit(run_all())
