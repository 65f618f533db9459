# SPDX-License-Identifier: Apache-2.0
"""Can a program tell that it is tapped?

Usage: hostile_programs_test.py BUILD LEVEL [PATTERN]

LEVEL: host or kernels; native or python: kernels, with launch sites.

Runs each case of cases.py bare and under the tap, both on the simulated
libraries, and compares stdout, stderr, exit status and signal: 0 differences.
The programs print what they can see of themselves, see programs/host_state.h.
"""

import concurrent.futures
import contextlib
import ctypes.util
import dataclasses
import difflib
import fnmatch
import itertools
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import cases

TIMEOUT_S = 30
SOURCE = pathlib.Path(__file__).resolve().parent
# Programs race with themselves and with others of the machine: what differs
# must do so each time. Many that differ once are no accident.
REPEATS = 2
MOST_ONCE = 8
AT_ONCE = 4
# Addresses, process numbers and folders that differ between any two runs.
CHANCE = re.compile(r"0x[0-9a-f]+|\bpid \d+|==\d+==|/tmp/[\w./-]*")


@dataclasses.dataclass(frozen=True)
class Outcome:
    status: object  # -N: signal N; "timeout"
    stdout: str
    stderr: str


class Runner:

    def __init__(self, build, level):
        self.build = pathlib.Path(build).resolve()
        sites = level in ("native", "python")
        self.level = "kernels" if sites else level
        self.sites = level if sites else "off"
        self.programs = self.build / "tests/integration/hostile/programs"
        self.simulated = self.build / "simgpu/cu13"
        self.tap = self.build / "lib/libdltap.so"

    def library(self, name):
        """Path of a library to preload; None: not on this machine."""
        if name in ("interposer", "false_clock", "audit"):
            return str(self.programs / f"{name}.so")
        pattern = {"jemalloc": "libjemalloc.so.2", "asan": "libasan.so",
                   "tcmalloc": "libtcmalloc_minimal.so.4",
                   "mimalloc": "libmimalloc.so.2"}[name]
        if name == "asan":
            done = subprocess.run(["gcc", f"-print-file-name={pattern}"],
                                  capture_output=True, text=True)
            path = pathlib.Path(done.stdout.strip())
            return str(path.resolve()) if path.is_absolute() else None
        for folder in ("/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib"):
            if (pathlib.Path(folder) / pattern).exists():
                return f"{folder}/{pattern}"
        return None

    def skip_reason(self, case):
        for name in case.before + case.behind:
            if self.library(name) is None:
                return f"{name} is not installed"
        if case.root and os.geteuid() != 0:
            return "needs root"
        return None

    def command(self, case):
        if case.program == "python":
            return [sys.executable, str(SOURCE / "programs/python_host.py"),
                    *case.arguments]
        return [str(self.programs / case.program), *case.arguments]

    def environment(self, case, folder, tapped):
        environment = {k: v for k, v in os.environ.items()
                       if not k.startswith("DLTAP_")}
        environment |= {
            "DLTAP_SIM_GPU": "h100-sxm", "DLTAP_SIM_CLOCK": "skip",
            "DLTAP_SIM_QUIET": "1", "DLTAP_LEVEL": self.level,
            "DLTAP_SITES": self.sites,
            "DLTAP_OUTPUT": str(folder / "dltap-out"),
            "HOSTILE_FOLDER": str(folder),
            "HOSTILE_CUDART": str(self.simulated / "libcudart.so.13"),
            "HOSTILE_CUDART_12":
                str(self.build / "simgpu/cu12/libcudart.so.12"),
            "HOSTILE_CUPTI": str(
                self.build / "tests/support/fake_vendor/libcupti.so.13"),
            "HOSTILE_PLUGIN": str(self.programs / "plugin.so"),
            "PYTHONDONTWRITEBYTECODE": "1",
            "ASAN_OPTIONS": "detect_leaks=0",
            "NVTX_INJECTION64_PATH":
                str(self.tap) if tapped else "/nonexistent",
        }
        if "asan" in case.before:  # its dlopen() knows no caller's RPATH
            environment["LD_LIBRARY_PATH"] = str(self.simulated)
        environment |= dict(case.variables)
        if case.audit:
            environment["LD_AUDIT"] = self.library(case.audit)
        preload = [self.library(name) for name in case.before]
        if tapped:
            preload.append(str(self.tap))
        preload += [self.library(name) for name in case.behind]
        environment.pop("LD_PRELOAD", None)
        if preload:
            environment["LD_PRELOAD"] = ":".join(preload)
        return environment

    def run(self, case, tapped):
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
            folder = pathlib.Path(name)
            folder.chmod(0o777)
            with prepared_output(case.output, folder / "dltap-out"):
                return finish(subprocess.Popen(
                    self.command(case), cwd=folder, text=True,
                    env=self.environment(case, folder, tapped),
                    stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE, errors="replace",
                    start_new_session=True))


def finish(child):
    try:
        stdout, stderr = child.communicate(timeout=TIMEOUT_S)
        status = child.returncode
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, 9)
        stdout, stderr = child.communicate()
        status = "timeout"
    return Outcome(status, CHANCE.sub("?", stdout), CHANCE.sub("?", stderr))


@contextlib.contextmanager
def prepared_output(kind, path):
    """The place that DLTAP_OUTPUT names, spoilt in that way."""
    if kind == "a_file":
        path.write_text("x")
    if kind == "no_files":  # a folder in which nothing can be made
        path.symlink_to("/proc/self")
    if kind == "read_only":
        path.mkdir()
        subprocess.run(["chattr", "+i", str(path)], stderr=subprocess.DEVNULL)
    if kind in ("full", "tiny"):
        path.mkdir()
        size = {"full": "4k", "tiny": "1m"}[kind]
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs",
                        str(path)], check=True)
    try:
        yield
    finally:
        if kind == "read_only":
            subprocess.run(["chattr", "-i", str(path)],
                           stderr=subprocess.DEVNULL)
        if kind in ("full", "tiny"):
            subprocess.run(["umount", "-l", str(path)])


def differences(case, bare, tapped):
    stderr = tapped.stderr
    if case.may_speak:
        stderr = "".join(line for line in stderr.splitlines(True)
                         if not line.startswith("dltap: "))
    if bare.status != tapped.status:
        yield f"status {bare.status} bare, {tapped.status} tapped"
    for what, one, other in (("stdout", bare.stdout, tapped.stdout),
                             ("stderr", bare.stderr, stderr)):
        if one == other:
            continue
        a, b = one.splitlines(), other.splitlines()
        yield f"{what}: {len(a)} lines bare, {len(b)} tapped"
        apart = difflib.unified_diff(a, b, "bare", "tapped", n=0)
        for line in itertools.islice(apart, 12):
            yield f"  {line[:200].rstrip()}"


def is_known(table, case, level):
    """The reason why it differs at that level; None: it must not."""
    reason, levels = table.get(case.name, (None, ()))
    return reason if level in levels else None


def found_in(runner, case):
    return list(differences(case, runner.run(case, tapped=False),
                            runner.run(case, tapped=True)))


def judge(runner, case):
    """The verdict in a word, and what there is to say; case by case, alone."""
    expected = is_known(cases.EXPECTED_FAILURES, case, runner.level)
    sometimes = is_known(cases.SOMETIMES, case, runner.level)
    found = found_in(runner, case)
    if found and (expected or sometimes):
        return "expected", [expected or sometimes]
    if expected and any(found_in(runner, case) for _ in range(REPEATS)):
        return "expected", [expected]
    if expected:
        return "FAILED", ["no longer differs: take it from "
                          "EXPECTED_FAILURES"]
    if found and not all(found_in(runner, case) for _ in range(REPEATS)):
        return "once", found
    return ("FAILED" if found else "same"), found


def glance(runner, case):
    """The verdict, if one look beside other cases is enough for it."""
    reason = runner.skip_reason(case)
    if reason is not None:
        return "skipped", [reason]
    expected = is_known(cases.EXPECTED_FAILURES, case, runner.level)
    if found_in(runner, case):
        return ("expected", [expected]) if expected else None
    return None if expected else ("same", [])


def verdicts(runner, chosen):
    """Most cases sleep most of the time: at first a few run side by side."""
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        glances = list(pool.map(lambda case: glance(runner, case), chosen))
    for case, seen in zip(chosen, glances):
        yield case, *(seen or judge(runner, case))


def main():
    runner = Runner(sys.argv[1], sys.argv[2])
    pattern = sys.argv[3] if len(sys.argv) > 3 else "*"
    chosen = [case for case in cases.all_cases()
              if fnmatch.fnmatch(case.name, pattern)]
    count = {"same": 0, "once": 0, "FAILED": 0, "expected": 0, "skipped": 0}
    for case, verdict, lines in verdicts(runner, chosen):
        count[verdict] += 1
        if verdict == "same":
            continue
        print(f"{verdict:8}  {case.name[:100]}")
        print("".join(f"    {line}\n" for line in lines), end="", flush=True)
    print(", ".join(f"{n} {word}" for word, n in count.items()))
    return 1 if count["FAILED"] or count["once"] > MOST_ONCE else 0


if __name__ == "__main__":
    sys.exit(main())
