# SPDX-License-Identifier: Apache-2.0
"""Runs work in a process forked from this one."""
import os
import sys
import traceback


def in_child(work) -> tuple[int, str]:
    """The child's pid, and what it died of; nothing if it lives."""
    reads, writes = os.pipe()
    pid = os.fork()
    if pid == 0:
        code = 0
        try:
            work()
        except BaseException:  # the parent tells
            os.write(writes, traceback.format_exc()[-4000:].encode())
            code = 1
        sys.exit(code)  # not os._exit: the last kernels are still to be told
    os.close(writes)
    with os.fdopen(reads) as pipe:
        message = pipe.read()
    status = os.waitpid(pid, 0)[1]
    return pid, message or (f"status {status}" if status else "")
