# SPDX-License-Identifier: Apache-2.0
"""pyarrow, pandas and DuckDB read the tables that dltap exports.

usage: see readers.py
"""
import os
import re

from readers import (ONE_DEVICE, OTHERS, README, SOURCE, Case, main, name_of,
                     needs_duckdb, present, recorded, report)


class Same:
    """A value that equals the CSV text of it."""

    def __init__(self, value):
        self.value = value

    def __eq__(self, text):
        if isinstance(self.value, float):
            return float(text) == self.value
        return str(self.value) == text

    def __repr__(self):
        return repr(self.value)


@needs_duckdb
class ParquetTest(Case):
    def test_pyarrow_reads_what_csv_says(self):
        import pyarrow.parquet
        for trace in present(ONE_DEVICE[:2] + OTHERS):
            with self.subTest(trace=name_of(trace)):
                folder = self.export(trace, "parquet", name_of(trace))
                for name, rows in self.tables(trace).items():
                    table = pyarrow.parquet.read_table(
                        folder / f"{name}.parquet")
                    metadata = table.schema.metadata
                    self.assertEqual(metadata[b"dltap.schema_version"], b"1")
                    self.assertEqual(metadata[b"dltap.table"], name.encode())
                    self.assertEqual(
                        [self.as_csv(row) for row in table.to_pylist()], rows)
                    for field in table.schema:
                        if field.name.endswith("_ns"):
                            self.assertEqual(field.type, pyarrow.int64())

    @staticmethod
    def as_csv(row) -> dict:
        def text(value):
            if value is None:
                return ""
            if isinstance(value, bool):
                return str(value).lower()
            return value if isinstance(value, str) else value

        return {key: Same(text(value)) for key, value in row.items()}

    def test_texts_are_dictionary_encoded(self):
        import pyarrow.parquet
        trace = ONE_DEVICE[1]
        if not trace.exists():
            self.skipTest("no folder of real traces; set DLTAP_SHARED")
        folder = self.export(trace, "parquet", "p")
        group = pyarrow.parquet.ParquetFile(
            folder / "kernels.parquet").metadata.row_group(0)
        encodings = {group.column(i).path_in_schema: group.column(i).encodings
                     for i in range(group.num_columns)}
        self.assertTrue(any("DICTIONARY" in one for one in encodings["name"]))

    def test_classes_are_those_of_the_report(self):
        import duckdb
        for trace in present(ONE_DEVICE):
            with self.subTest(trace=name_of(trace)):
                folder = self.export(trace, "parquet", name_of(trace))
                found = dict(duckdb.sql(
                    "SELECT class, gpu_ns FROM "
                    f"'{folder}/classes.parquet'").fetchall())
                self.assertEqual(found, {
                    row["class"]: row["gpu_ns"]
                    for row in report(trace)["classes"]})

    def test_gaps_sum_to_the_idle_time(self):
        import pandas
        for trace in present(ONE_DEVICE) + recorded():
            with self.subTest(trace=name_of(trace)):
                folder = self.export(trace, "parquet", name_of(trace))
                gaps = pandas.read_parquet(folder / "gaps.parquet")
                spans = (gaps.end_ns - gaps.begin_ns).sum()
                causes = [name for name in gaps.columns
                          if name.endswith("_ns") and name not in
                          ("begin_ns", "end_ns")]
                self.assertEqual(gaps[causes].sum().sum(), spans)
                self.assertEqual(spans, report(trace)["devices"][0]["idle_ns"])

    def test_the_readmes_lines_run(self):
        import duckdb
        self.export(ONE_DEVICE[0], "parquet", "trace")
        text = README.read_text()
        sql = re.search(r'duckdb -c "(.*)"', text)[1]
        python = re.search(r'python3 -c "(.*)"', text)[1]
        here = os.getcwd()
        os.chdir(self.folder)
        try:
            self.assertTrue(duckdb.sql(sql).fetchall())
            exec(python, {})  # pylint: disable=exec-used
        finally:
            os.chdir(here)


class ReadmeTest(Case):
    def test_the_lines_for_csv_run(self):
        import duckdb
        self.export(ONE_DEVICE[0], "csv", "run1-tables")
        text = (SOURCE / "README.md").read_text()
        sql = re.search(r'duckdb -c "(.*)"', text)[1]
        python = re.search(r'python3 -c "(import pandas.*)"', text)[1]
        here = os.getcwd()
        os.chdir(self.folder)
        try:
            self.assertTrue(duckdb.sql(sql).fetchall())
            exec(python, {})  # pylint: disable=exec-used
        finally:
            os.chdir(here)


if __name__ == "__main__":
    main()
