#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs programs of this folder one after the other, PyTorch imported once.

    run_each.py optimizer:--bug optimizer attention:--bug ...

Each runs in a process of its own, forked before anything touched the GPU;
standard output has a line with its words and its process id.
"""
import os
import pathlib
import runpy
import sys
import traceback

import torch  # noqa: F401 (imported once, for all)

HERE = pathlib.Path(__file__).resolve().parent


def run(words: list[str]) -> int:
    sys.argv = [str(HERE / f"{words[0]}.py"), *words[1:]]
    try:
        runpy.run_path(sys.argv[0], run_name="__main__")
    except BaseException:  # the child ends here whatever comes
        traceback.print_exc()
        return 1
    return 0


def main() -> int:
    failed = 0
    for text in sys.argv[1:]:
        child = os.fork()
        if child == 0:
            return run(text.split(":"))
        print(text, child, flush=True)
        failed |= os.waitpid(child, 0)[1]
    return int(failed != 0)


if __name__ == "__main__":
    sys.exit(main())
