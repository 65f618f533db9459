# SPDX-License-Identifier: Apache-2.0
"""What libdltap.so may bring into a process that it is preloaded into.

Usage: library_gates_test.py LIBRARY VERSION_SCRIPT
"""

import re
import subprocess
import sys
import unittest

SCRIPT, LIBRARY = sys.argv.pop(), sys.argv.pop()

ALLOWED_NEEDED = {"libc.so.6", "ld-linux-x86-64.so.2"}
NEWEST_GLIBC = (2, 34)
# Relative relocations are paid by every process; 149 when this was written.
MOST_RELOCATIONS = 400
MOST_TLS_BYTES = 256
# A page that is written costs each process a fault and a copy: some 3 us.
MOST_PAGES_WRITTEN = 2
PAGE_BYTES = 4096
# Limits and mlockall() count variables that are never used, in every process.
MOST_VARIABLE_BYTES = 2 << 20


def output(*command):
    return subprocess.run(command, capture_output=True, text=True,
                          check=True).stdout


def symbols(which):
    return [line.split()[-1] for line in
            output("nm", "-D", which, LIBRARY).splitlines()]


class LibraryGatesTest(unittest.TestCase):

    def test_exports_are_those_of_the_specs(self):
        with open(SCRIPT) as script:
            wanted = set(re.findall(r"^    (\w+);$", script.read(), re.M))
        self.assertGreater(len(wanted), 1000)
        self.assertEqual(set(symbols("--defined-only")), wanted)

    def test_needs_nothing_but_the_c_library(self):
        needed = set(re.findall(r"NEEDED.*\[(.+)\]",
                                output("readelf", "-dW", LIBRARY)))
        self.assertLessEqual(needed, ALLOWED_NEEDED)

    def test_no_symbol_of_the_cxx_runtime(self):
        undefined = {s.split("@")[0] for s in symbols("--undefined-only")}
        runtime = {s for s in undefined
                   if s.startswith(("_Z", "__cxa_", "__gxx_", "_Unwind_"))}
        self.assertEqual(runtime, set())

    def test_glibc_of_debian_12_and_older_suffices(self):
        versions = {tuple(map(int, v.split("."))) for v in re.findall(
            r"@GLIBC_([0-9.]+)", "\n".join(symbols("--undefined-only")))}
        self.assertLessEqual(max(versions), NEWEST_GLIBC)

    def test_loads_without_text_relocations_or_unique_symbols(self):
        self.assertNotIn("TEXTREL", output("readelf", "-dW", LIBRARY))
        self.assertNotIn("UNIQUE", output("readelf", "-sW", LIBRARY))

    def test_thread_local_data_is_small_and_reached_without_a_call(self):
        # Loaded at start, so that its block is part of the first one; a
        # library that is loaded later has to find room in glibc's surplus.
        sizes = [int(size, 16) for size in re.findall(
            r"^ +TLS +\S+ \S+ \S+ \S+ (0x[0-9a-f]+)",
            output("readelf", "-lW", LIBRARY), re.M)]
        self.assertEqual(len(sizes), 1)
        self.assertLessEqual(sizes[0], MOST_TLS_BYTES)
        undefined = {s.split("@")[0] for s in symbols("--undefined-only")}
        self.assertNotIn("__tls_get_addr", undefined)
        self.assertNotRegex(output("readelf", "-rW", LIBRARY),
                            "R_X86_64_(DTPMOD|TLSDESC)")

    def test_every_function_is_bound_at_load(self):
        # The first call of a lazily bound function takes the loader's lock.
        flags = output("readelf", "-dW", LIBRARY)
        self.assertRegex(flags, r"\(FLAGS\).*BIND_NOW|\(BIND_NOW\)")
        self.assertRegex(flags, r"\(FLAGS_1\).*NOW")
        self.assertRegex(flags, r"\(FLAGS_1\).*NODELETE")

    def test_the_recorded_path_is_none_that_seldom_runs(self):
        # Where the compiler believes so, it puts both time stamps, and all
        # between them, into the wrapper's ".cold" part, for size: no inlining.
        stamps = {}
        for line in output("objdump", "-d", "--no-show-raw-insn",
                           LIBRARY).splitlines():
            if line.endswith(">:"):
                name = line[line.index("<") + 1:-2]
            elif "\trdtsc" in line:
                stamps[name] = stamps.get(name, 0) + 1
        wrappers = {name for name in re.findall(
            r" t (dltap_recorded_\w+)$", output("nm", LIBRARY), re.M)}
        self.assertGreater(len(wrappers), 300)
        few = {name for name in wrappers if stamps.get(name, 0) < 2}
        self.assertEqual(few, set())

    def test_few_relocations(self):
        relocations = output("readelf", "-rW", LIBRARY)
        self.assertLess(relocations.count("R_X86_64_RELATIVE"),
                        MOST_RELOCATIONS)

    def test_large_tables_are_no_variables(self):
        sizes = [int(size, 16) for size in re.findall(
            r"^ +LOAD +\S+ \S+ \S+ \S+ (0x[0-9a-f]+) RW",
            output("readelf", "-lW", LIBRARY), re.M)]
        self.assertEqual(len(sizes), 1)
        self.assertLessEqual(sizes[0], MOST_VARIABLE_BYTES)

    def test_loading_writes_few_pages(self):
        places = [int(place, 16) for place in re.findall(
            r"^([0-9a-f]{16})  \S+ R_X86_64_", output("readelf", "-rW", LIBRARY),
            re.M)]
        # Variables that the constructors set, see the tap's README.
        begin, size = re.search(
            r" dltap_at_load +PROGBITS +(\S+) \S+ (\S+)",
            output("readelf", "-SW", LIBRARY)).groups()
        begin, size = int(begin, 16), int(size, 16)
        self.assertGreater(size, 0)
        places += range(begin, begin + size, 8)
        pages = {place // PAGE_BYTES for place in places}
        self.assertLessEqual(len(pages), MOST_PAGES_WRITTEN)


if __name__ == "__main__":
    unittest.main(verbosity=2)
