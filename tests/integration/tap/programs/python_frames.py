# SPDX-License-Identifier: Apache-2.0
"""Threads that submit work and then are where is known, and say where.

Usage: python_frames.py SIMGPU_DIR WHAT

Prints JSON: by name of a function, how long (s) it ran and the frames that
Python shows inside it, innermost first: function, file and line.
"""
import ctypes
import json
import os
import sys
import threading
import time

SECONDS = 0.8
seen = {}


def load(folder):
    cudart = ctypes.CDLL(os.path.join(folder, "libcudart.so.13"))
    pointer = ctypes.c_void_p()
    assert cudart.cudaMalloc(ctypes.byref(pointer), 64) == 0
    return lambda: cudart.cudaMemset(pointer, 0, 64)


def note(began, further_lines):
    """Of the caller, which goes on so many lines after the one it is at."""
    frame = sys._getframe(1)
    frames = []
    line = frame.f_lineno + further_lines
    while frame is not None:
        frames.append([frame.f_code.co_name, frame.f_code.co_filename, line])
        frame = frame.f_back
        line = frame.f_lineno if frame is not None else 0
    seen[frames[0][0]] = [began, frames]


def end(name):
    seen[name][0] = time.perf_counter() - seen[name][0]


def sleeps():
    note(time.perf_counter(), 1)
    time.sleep(SECONDS)
    end("sleeps")


def waits():
    never = threading.Event()
    note(time.perf_counter(), 1)
    never.wait(3 * SECONDS)  # looked at less and less often
    end("waits")


def small(number):
    return number * number


def computes(seconds=SECONDS):
    began = time.perf_counter()
    note(began, 1)
    while time.perf_counter() < began + seconds:
        small(7)
    end("computes")


def yields():
    note(time.perf_counter(), 1)
    time.sleep(SECONDS)
    end("yields")
    yield 1


def draws():
    return list(yields())


def descends(depth):
    if depth > 0:
        return descends(depth - 1)
    return sleeps()


def is_replaced(work):
    """Functions one after the other, each in the place of the last."""
    def base():
        work()
        time.sleep(SECONDS / 4)

    for i in range(10):
        name = f"generation_{i}"
        more = ({"co_qualname": name} if sys.version_info >= (3, 11) else {})
        code = base.__code__.replace(co_name=name, co_filename=f"/{name}.py",
                                     **more)
        function = type(base)(code, globals(), name, None, base.__closure__)
        del code
        function()
        del function


def kill_readers():
    """A filter that ends the process for reading or tracing another one, and
    for what writes no trace."""
    libc = ctypes.CDLL(None, use_errno=True)
    allow, kill = 0x7FFF0000, 0x80000000
    # process_vm_*, ptrace, kcmp, perf_event_open, writev, pwritev
    calls = (310, 311, 101, 312, 298, 20, 296)
    words = [(0x20, 0, 0, 0)]
    for i, call in enumerate(calls):
        words.append((0x15, len(calls) - i, 0, call))
    words += [(0x06, 0, 0, allow), (0x06, 0, 0, kill)]

    class Filter(ctypes.Structure):
        _fields_ = [("code", ctypes.c_ushort), ("jt", ctypes.c_ubyte),
                    ("jf", ctypes.c_ubyte), ("k", ctypes.c_uint)]

    class Program(ctypes.Structure):
        _fields_ = [("len", ctypes.c_ushort), ("filter", ctypes.c_void_p)]

    filters = (Filter * len(words))(*words)
    program = Program(len(words), ctypes.addressof(filters))
    assert libc.prctl(38, 1, 0, 0, 0) == 0
    # SECCOMP_SET_MODE_FILTER with SECCOMP_FILTER_FLAG_TSYNC: all threads.
    assert libc.syscall(317, 1, 1, ctypes.byref(program)) == 0


def in_thread(work, function):
    def run():
        work()
        function()
        work()
    thread = threading.Thread(target=run)
    thread.start()
    return thread


def are_alike(work):
    """Two threads whose numbers end in the same ten bits."""
    def naps():
        began = time.perf_counter()
        while time.perf_counter() < began + 2 * SECONDS:
            work()
            time.sleep(0.01)

    def other():
        nonlocal found
        found = (threading.get_native_id() - os.getpid()) % 1024 == 0
        if found:
            naps()

    work()
    found = False
    while not found:
        thread = threading.Thread(target=other)
        thread.start()
        time.sleep(0.001)
        if not found:
            thread.join()
    naps()
    thread.join()


def main(folder, what):
    if what == "forked":  # CUDA is not to be had on both sides of a fork
        child = os.fork()
        if child != 0:
            assert os.waitpid(child, 0)[1] == 0
            sys.exit()
    work = load(folder)
    if what == "filtered":
        kill_readers()
    if what == "closed":
        work()
        time.sleep(0.3)  # until all is open
        os.closerange(3, 4096)
    if what == "replaced":
        work()
        is_replaced(work)
        return
    if what == "alike":
        are_alike(work)
        return
    if what == "threads":
        # Each is looked at half as often as one alone.
        for thread in [in_thread(work, waits),
                       in_thread(work, lambda: computes(3 * SECONDS))]:
            thread.join()
        return
    for function in (sleeps, computes, draws):
        work()
        function()
    if what == "deep":
        work()
        descends(300)
    work()


main(sys.argv[1], sys.argv[2])
print(json.dumps(seen))
