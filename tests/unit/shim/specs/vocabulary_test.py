# SPDX-License-Identifier: Apache-2.0
"""Is vocabulary.toml right, and the only place that has its lists?

Usage: vocabulary_test.py VENDOR_INCLUDE_DIR
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import tomllib
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[4]
SPECS = ROOT / "shim/specs"
GENERATOR = SPECS / "generate/gen_vocabulary.py"
TEXT = (SPECS / "vocabulary.toml").read_text()

sys.path.insert(0, str(SPECS / "generate"))
from entry_points import model, vocabulary  # noqa: E402

# Where the vendors define what [vendor_dtype] repeats.
HEADERS = {"cuda": "library_types.h", "cudnn": "cudnn_graph.h",
           "nccl": "nccl.h", "cublas_compute": "cublas_api.h"}
PRODUCT = ("shim", "opmodel", "simgpu", "analyzer", "tests", "scripts")
include_dir = pathlib.Path()


def numbers(table):
    return {word: value["number"] if isinstance(value, dict) else value
            for word, value in table.items()}


class FileTest(unittest.TestCase):

    def assert_error(self, old, new, *words):
        self.assertEqual(TEXT.count(old), 1, old)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "vocabulary.toml")
            path.write_text(TEXT.replace(old, new))
            with self.assertRaises(model.SpecError) as caught:
                vocabulary.load(path)
        for word in ("vocabulary.toml", *words):
            self.assertIn(word, str(caught.exception))

    def test_a_number_is_given_once_and_none_is_left_out(self):
        self.assert_error("nccl = 6\n", "nccl = 5\n", "[library]")
        self.assert_error("lstm = 3\n", "lstm = 7\n", "[rnn_cell]")
        self.assert_error("stream = 3\n", "stream = 2\n", "[meaning]",
                          "stream", "handle")

    def test_the_word_with_the_wrong_number_is_named(self):
        self.assert_error("cufft = 14\n", "cufft = 41\n", "cufft", "41", "14")
        self.assert_error("cufft = 14\n", "cufft = \"14\"\n", "cufft")
        self.assert_error("graph_launch = { number = 2, work",
                          "graph_launch = { work", "graph_launch")

    def test_a_key_that_nobody_reads_is_refused(self):
        self.assert_error("graph_launch = { number = 2, work",
                          "graph_launch = { number = 2, wrok",
                          "[kind]", "graph_launch", "wrok")
        self.assert_error("[rnn_cell]", "[rnn_cel]", "rnn_cell", "rnn_cel")

    def test_a_class_of_an_operation_is_a_word_of_the_classes(self):
        self.assert_error('conv_forward = { number = 2, class = "conv"',
                          'conv_forward = { number = 2, class = "cnov"',
                          "[op_kind]", "conv_forward", "cnov", "[layer_class]")

    def test_a_word_is_written_once(self):
        self.assert_error("nccl = 6\n", "nccl = 6\nnccl = 6\n")

    def test_numbers_of_dimensions_are_kept_free_among_meanings(self):
        self.assert_error("stream = 3\n", "stream = 64\n", "stream")
        self.assert_error("variant_pack = 152\n", "variant_pack = 300\n",
                          "variant_pack")

    def test_types_of_vendors_are_known(self):
        self.assert_error('CUDA_R_8U = [8, "u8"]', 'CUDA_R_8U = [8, "u9"]',
                          "CUDA_R_8U", "u9")

    def test_numbers_of_vendors_are_those_of_their_headers(self):
        for vendor, rows in vocabulary.VOCABULARY.vendor_dtypes.items():
            header = (include_dir / HEADERS[vendor]).read_text()
            for spelling, (number, _) in rows.items():
                found = re.search(rf"\b{spelling}\b[^=,\n]*=\s*(\d+)", header)
                self.assertIsNotNone(found, spelling)
                self.assertEqual(int(found[1]), number, spelling)


class HeaderTest(unittest.TestCase):

    def test_enumerators_are_the_words(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "vocabulary.h")
            subprocess.run([sys.executable, "-B", GENERATOR, path], check=True)
            header = path.read_text()
        enums = dict(re.findall(r"enum class (\w+) : \w+ {(.*?)};", header,
                                re.S))
        for name, table in tomllib.loads(TEXT).items():
            if name in ("route", "meaning", "vendor_dtype"):
                continue
            enum = {"dtype": "DType"}.get(name, "".join(
                part.capitalize() for part in name.split("_")))
            made = dict(re.findall(r"k(\w+) = (\d+),", enums[enum]))
            self.assertEqual(
                {name.lower(): int(number) for name, number in made.items()},
                {word.replace("_", ""): number
                 for word, number in numbers(table).items()}, name)


class UseTest(unittest.TestCase):

    def test_schema_of_the_report_has_the_classes(self):
        schema = (ROOT / "analyzer/reports/report.schema.json").read_text()
        found = []

        def visit(node):
            if isinstance(node, dict):
                if "unattributed" in node.get("enum", []):
                    found.append(node["enum"])
                node = list(node.values())
            for child in node if isinstance(node, list) else []:
                visit(child)

        visit(json.loads(schema))
        self.assertTrue(found)
        for classes in found:
            self.assertEqual(tuple(classes), vocabulary.CLASSES)

    def test_no_code_has_a_second_list(self):
        """More than half the words of a list, quoted in one file, is one."""
        lists = {name: set(vocabulary.VOCABULARY.names(name))
                 for name, words in vocabulary.VOCABULARY.lists.items()
                 if len(words) > 7}
        self.assertGreater(len(lists), 5)
        for top in PRODUCT:
            for path in sorted((ROOT / top).rglob("*")):
                if path.suffix not in (".h", ".cc", ".c", ".py"):
                    continue
                quoted = set(re.findall(r'"([a-z0-9_]+)"', path.read_text()))
                for name, words in lists.items():
                    self.assertLessEqual(
                        len(quoted & words), len(words) / 2,
                        f"{path.relative_to(ROOT)} repeats [{name}]: take it "
                        f"from vocabulary.toml")


if __name__ == "__main__":
    include_dir = pathlib.Path(sys.argv.pop(1))
    unittest.main()
