# SPDX-License-Identifier: Apache-2.0
"""python_host.py MODE: an interpreter that uses the GPU through ctypes.

HOSTILE_CUDART names the runtime library.
"""

import atexit
import ctypes
import faulthandler
import gc
import multiprocessing
import os
import resource
import signal
import subprocess
import sys
import threading

cudart = ctypes.CDLL(os.environ["HOSTILE_CUDART"], use_errno=True)
memory = ctypes.c_void_p()


def work(count=10):
    error = cudart.cudaMalloc(ctypes.byref(memory), ctypes.c_size_t(256))
    for i in range(count):
        error = error or cudart.cudaMemset(memory, i, ctypes.c_size_t(256))
    return error or cudart.cudaDeviceSynchronize()


def plain():
    ctypes.set_errno(55)
    print("work", work(), "errno", ctypes.get_errno())
    print(sorted(os.listdir("/proc/self/fd"))[:3], gc.isenabled(),
          sys.getswitchinterval(), threading.active_count())


def threads():
    print(work())
    errors = []
    some = [threading.Thread(target=lambda: errors.append(work()))
            for _ in range(50)]
    for thread in some:
        thread.start()
    for thread in some:
        thread.join()
    print(errors, [t.name for t in threading.enumerate()])


def of_child(queue):
    queue.put(("child", cudart.cudaGetDevice(ctypes.byref(ctypes.c_int()))))


def processes(method):
    print(work())
    context = multiprocessing.get_context(method)
    queue = context.Queue()
    child = context.Process(target=of_child, args=(queue,))
    child.start()
    print(queue.get(), child.join(), child.exitcode)


def subprocesses():
    print(work())
    for close_fds in (True, False):
        done = subprocess.run(["ls", "/proc/self/fd"], capture_output=True,
                              text=True, close_fds=close_fds,
                              env={"PATH": os.environ["PATH"]})
        print(done.returncode, [fd for fd in done.stdout.split()
                                if int(fd) > 4])


def interrupted():
    print(work(), flush=True)
    os.kill(os.getpid(), signal.SIGINT)


def handler_runs():
    seen = []
    signal.signal(signal.SIGALRM, lambda *_: seen.append(work(1)))
    signal.setitimer(signal.ITIMER_REAL, 0.002, 0.002)
    while len(seen) < 50:
        work(3)
    signal.setitimer(signal.ITIMER_REAL, 0)
    print(set(seen), signal.getsignal(signal.SIGINT).__name__)


def fault():
    faulthandler.enable()
    print(work(), flush=True)
    ctypes.string_at(8)


def leaves_at_once():
    print(work(), flush=True)
    os._exit(17)


def exits_in_thread():
    print(work())
    thread = threading.Thread(target=sys.exit, args=(4,))
    thread.start()
    thread.join()
    sys.exit(18)


def at_exit():
    atexit.register(lambda: print("at exit", work()))
    threading.Thread(target=work, daemon=False).start()
    print(work())


def raises():
    print(work())
    raise ValueError("of the program")


def few_descriptors():
    resource.setrlimit(resource.RLIMIT_NOFILE, (20, 20))
    print(work())
    taken = []
    try:
        while True:
            taken.append(open("/dev/null"))
    except OSError as error:
        print(len(taken), error.errno)


def closes_all():
    print(work())
    os.closerange(3, 4096)
    print(work(), open("/dev/null").fileno())


def execs():
    print(work(), flush=True)
    os.execv(sys.executable, [sys.executable, __file__, "plain"])


def forks_in_thread():
    print(work(), flush=True)

    def body():
        child = os.fork()
        if child == 0:
            os._exit(cudart.cudaGetDevice(ctypes.byref(ctypes.c_int())))
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))

    for _ in range(5):
        thread = threading.Thread(target=body)
        thread.start()
        thread.join()


def sub_interpreters():
    try:
        import _xxsubinterpreters as interpreters
    except ImportError:
        print("none")
        return
    print(work())
    script = ("import ctypes, os\n"
              "cudart = ctypes.CDLL(os.environ['HOSTILE_CUDART'])\n"
              "print('inside', cudart.cudaDeviceSynchronize(), flush=True)")
    for _ in range(5):
        interpreter = interpreters.create()
        interpreters.run_string(interpreter, script)
        interpreters.destroy(interpreter)
    print(work())


def dumps_later():
    # A thread that no Python code knows of.
    faulthandler.dump_traceback_later(0.05, repeat=True, file=open(
        os.path.join(os.environ["HOSTILE_FOLDER"], "dumps"), "w",
        encoding="utf-8"))
    for _ in range(200):
        work(100)
    faulthandler.cancel_dump_traceback_later()
    print(work())


def of_pool(number):
    return number, cudart.cudaGetDevice(ctypes.byref(ctypes.c_int()))


def pool():
    print(work())
    with multiprocessing.Pool(3, maxtasksperchild=2) as workers:
        print(workers.map(of_pool, range(20), chunksize=1))
        workers.terminate()


def shared_blocks():
    from multiprocessing import shared_memory
    print(work())
    block = shared_memory.SharedMemory(create=True, size=4096)
    child = multiprocessing.Process(target=block.buf.__setitem__,
                                    args=(0, 7))
    child.start()
    child.join()
    print(child.exitcode, block.buf[0], work())
    block.close()
    block.unlink()


def traced_functions():
    seen = []
    sys.settrace(lambda frame, event, _: seen.append(event))
    sys.setprofile(lambda frame, event, _: None)
    print(work())
    sys.setprofile(None)
    sys.settrace(None)
    print(len(seen))


def loop_of_events():
    import asyncio

    async def one(number):
        for _ in range(5):
            await asyncio.sleep(0.001 * number)
            await asyncio.to_thread(work)
        child = await asyncio.create_subprocess_exec(
            "true", close_fds=True)
        return await child.wait()

    async def many():
        return await asyncio.gather(*(one(i) for i in range(5)))

    print(asyncio.run(many()), work())


def prepared_children():
    print(work())

    def prepare():
        resource.setrlimit(resource.RLIMIT_NOFILE, (10, 10))
        os.setsid()
        os.umask(0o77)

    for _ in range(10):
        done = subprocess.run([sys.executable, "-c", "print(1)"],
                              preexec_fn=prepare, capture_output=True)
        print(done.returncode, done.stdout, done.stderr)


MODES = {
    "plain": plain,
    "threads": threads,
    "fork": lambda: processes("fork"),
    "spawn": lambda: processes("spawn"),
    "forkserver": lambda: processes("forkserver"),
    "subprocesses": subprocesses,
    "interrupted": interrupted,
    "handler_runs": handler_runs,
    "fault": fault,
    "leaves_at_once": leaves_at_once,
    "exits_in_thread": exits_in_thread,
    "at_exit": at_exit,
    "raises": raises,
    "few_descriptors": few_descriptors,
    "closes_all": closes_all,
    "execs": execs,
    "forks_in_thread": forks_in_thread,
    "sub_interpreters": sub_interpreters,
    "dumps_later": dumps_later,
    "pool": pool,
    "shared_blocks": shared_blocks,
    "traced_functions": traced_functions,
    "loop_of_events": loop_of_events,
    "prepared_children": prepared_children,
}

if __name__ == "__main__":
    MODES[sys.argv[1]]()
