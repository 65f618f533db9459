#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The generator of the GPU table: units, and what stops the build."""

import csv
import os
import sys
import tempfile
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), *[".."] * 3)
sys.path.insert(0, os.path.join(ROOT, "opmodel"))
import gen_gpu_table  # noqa: E402

TABLE = os.path.join(ROOT, "opmodel", "gpu_table.csv")


class GenGpuTableTest(unittest.TestCase):

    def setUp(self):
        with open(TABLE, newline="", encoding="utf-8") as source:
            self.rows = [row for row in csv.DictReader(source)
                         if row["name"] in ("t4", "mi210")]

    def generate(self):
        with tempfile.NamedTemporaryFile("w", suffix=".csv", newline="",
                                         encoding="utf-8") as table:
            writer = csv.DictWriter(table, list(self.rows[0]))
            writer.writeheader()
            writer.writerows(self.rows)
            table.flush()
            return gen_gpu_table.generate(table.name)

    def assert_refused(self, message):
        with self.assertRaisesRegex(gen_gpu_table.TableError, message):
            self.generate()

    def test_units_are_converted_to_si_and_bytes(self):
        text = self.generate()
        self.assertIn(".bandwidth_bytes_per_s = 320000000000.0,", text)
        self.assertIn(".l2_bytes = 4194304.0,", text)
        self.assertIn(".shared_bytes_per_sm = 65536,", text)
        self.assertIn('.product = "Tesla T4",', text)
        self.assertIn(".vendor = Vendor::kAmd,", text)
        self.assertNotIn("source", text)

    def test_says_that_it_is_generated(self):
        self.assertTrue(self.generate().startswith("// GENERATED from"))

    def test_repeated_name_is_refused(self):
        self.rows.append(self.rows[0])
        self.assert_refused("t4 is there twice|mi210 is there twice")

    def test_text_where_a_number_belongs_is_refused(self):
        self.rows[0]["sms"] = "forty"
        self.assert_refused(r"\.csv:2: sms is not a number: 'forty'")

    def test_value_in_the_wrong_unit_is_refused(self):
        self.rows[0]["bandwidth_gb_per_s"] = "320000000000"
        self.assert_refused("bandwidth_gb_per_s is 320000000000, expected")

    def test_row_without_source_is_refused(self):
        self.rows[0]["source"] = ""
        self.assert_refused("no source")

    def test_unknown_basis_is_refused(self):
        self.rows[0]["power_fp32_basis"] = "guessed"
        self.assert_refused("power_fp32_basis is 'guessed', expected one of")

    def test_unknown_vendor_is_refused(self):
        self.rows[0]["vendor"] = "Intel"
        self.assert_refused("vendor is 'Intel', expected")

    def test_unknown_column_is_refused(self):
        for row in self.rows:
            row["colour"] = "green"
        self.assert_refused("colour")


if __name__ == "__main__":
    unittest.main()
