# SPDX-License-Identifier: Apache-2.0
"""simgpu/coverage.py: names folded, lists wrapped, totals right."""

import sys
import unittest

sys.path.insert(0, "simgpu")
import coverage  # noqa: E402


class CoverageTest(unittest.TestCase):

    def test_variants_of_a_function_are_one_entry(self):
        self.assertEqual(
            coverage.fold(["cuMemAlloc_v2", "cuMemAlloc", "cublasSgemm_v2_64",
                           "cuMemFree_v2", "cuMemcpyAsync_ptsz"]),
            ["cuMemAlloc{,_v2}", "cuMemFree_v2", "cuMemcpyAsync_ptsz",
             "cublasSgemm_v2_64"])

    def test_every_function_is_listed_once(self):
        names = [f"cuGraphNode{i}Get" for i in range(99)]
        words = coverage.list_of(names).replace("- ", "").split()
        self.assertEqual(sorted(words), sorted(names))

    def test_symbols_are_read_with_their_section(self):
        rows = ("0000000000010aa0 g    DF .text\t00000000000001b5  "
                "libcuda.so.1 cuInit\n"
                "0000000000000b20  w   DF simgpu_defaults\t"
                "0000000000000018 cuX\n"
                "0000000000000000      DF *UND*\t0000000000000000  "
                "(GLIBC_2.2.5) free\n"
                "0000000000000b30 l     F simgpu_defaults\t"
                "0000000000000018              simgpu_body_cuY\n")
        self.assertEqual([s[1:] for s in coverage.SYMBOL.findall(rows)],
                         [(".text", "cuInit"), ("simgpu_defaults", "cuX"),
                          ("*UND*", "free"),
                          ("simgpu_defaults", "simgpu_body_cuY")])

    def setUp(self):
        self.libraries = [coverage.Library("libx.so.1", ["cuA", "cuB"], ["cuC"]),
                          coverage.Library("liby.so.1", [], ["cuD"])]

    def test_page_adds_up_and_names_no_function(self):
        text = coverage.page(self.libraries)
        self.assertIn("| libx.so.1 | 3 | 2 | 1 |\n", text)
        self.assertIn("| all | 4 | 2 | 2 |\n", text)
        self.assertNotIn("cuA", text)

    def test_listing_names_every_function(self):
        text = coverage.listing(self.libraries)
        self.assertIn("## libx.so.1\nImplemented (2):\n\n- cuA cuB\n", text)
        self.assertIn("## liby.so.1\nDefault (1):\n\n- cuD\n", text)


if __name__ == "__main__":
    unittest.main()
