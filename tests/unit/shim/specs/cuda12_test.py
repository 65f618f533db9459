# SPDX-License-Identifier: Apache-2.0
"""What the generator makes of the lists of what CUDA 12 has otherwise, on a toy
library; and how the lists come out of two sets of headers."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[3]
sys.path.insert(0, str(ROOT / "shim/specs/generate"))
from entry_points import cuda12, headers, layouts, model  # noqa: E402

LIBRARY = """\
[library]
headers = ["toy.h"]
symbols = ["toy*"]
soname = { cuda13 = "libtoy.so.13", cuda12 = "libtoy.so.12" }
"""
COUNT_ALL = '["toy*"]\nrole = "count"\n'


def row(symbol, kind, prototype, same_as="", cbid=7):
    return cuda12.Difference("cudart", symbol, kind, same_as, cbid, prototype)


ADDED = row("toyMalloc_v2", "added",
            "toyStatus_t toyMalloc_v2(void ** memory, size_t size)",
            "toyMalloc")
CHANGED = row("toyBind", "changed",
              "toyStatus_t toyBind(toyStream_t stream, toyStream_t * bound)")


class GeneratedTest(unittest.TestCase):

    def generate(self, entries, *rows, structs=()):
        with tempfile.TemporaryDirectory() as folder:
            specs, out = pathlib.Path(folder, "specs"), pathlib.Path(
                folder, "out")
            (specs / "cu12").mkdir(parents=True)
            (specs / "exports.txt").write_text("")
            (specs / "cudart.toml").write_text(LIBRARY + entries)
            cuda12.write_functions(specs / "cu12" / cuda12.FUNCTIONS,
                                   list(rows))
            cuda12.write_structs(specs / "cu12" / cuda12.STRUCTS,
                                 list(structs))
            cuda12.write_versions(specs / "cu12" / cuda12.VERSIONS, [])
            run = subprocess.run(
                [sys.executable, "-B", ROOT / "shim/specs/generate/gen_entry_points.py",
                 "--include", HERE / "toy", "--specs", specs, "--out", out],
                capture_output=True, text=True)
            files = {str(p.relative_to(out)): p.read_text()
                     for p in out.rglob("*") if p.is_file()}
        return run, files

    def files(self, *rows, structs=()):
        run, files = self.generate(COUNT_ALL, *rows, structs=structs)
        self.assertEqual(run.stderr, "")
        return files

    def test_added_functions_are_wrapped_and_exported_by_12_alone(self):
        files = self.files(ADDED)
        self.assertIn("toyMalloc_v2,", files["entry_points.inc"])
        self.assertIn("toyMalloc_v2;", files["libdltap.lds"])
        self.assertIn("toyMalloc_v2;", files["simgpu/cuda12/cudart.lds"])
        self.assertNotIn("toyMalloc_v2", files["simgpu/cuda13/cudart.lds"])
        self.assertNotIn("toyMalloc_v2", files["simgpu_defaults_cudart.cc"])

    def test_removed_functions_are_missing_in_12(self):
        files = self.files(row("toyCopy", "removed", ""))
        self.assertNotIn("toyCopy;", files["simgpu/cuda12/cudart.lds"])
        self.assertIn("toyCopy;", files["simgpu/cuda13/cudart.lds"])

    def test_a_newer_name_serves_under_the_older_one(self):
        body = self.files(ADDED)["simgpu_cuda12_cudart.cc"]
        self.assertIn('CallAs as(This<"toyMalloc_v2">());\n'
                      "  return toyMalloc(memory, size);", body)

    def test_changed_functions_make_room_for_those_of_12(self):
        files = self.files(CHANGED)
        self.assertEqual(files["cuda12/cudart_renames.txt"],
                         "toyBind dltap13_toyBind\n")
        self.assertIn('cuda12_toyBind(toyStream_t stream, '
                      'toyStream_t * bound) __asm__("toyBind");',
                      files["cuda12/cudart.h"])

    def test_structures_are_converted_on_the_way(self):
        struct = cuda12.Struct("toyConfig", 12, 32, (
            cuda12.Field("grid.x", 4, 4, "uint32_t", 0),
            cuda12.Field("gone", 8, 4, "int32_t", None)))
        prototype = ("toyStatus_t toyLaunch_v2(const toyConfig * config, const "
                     "void * function, toyDim block, double scale)")
        files = self.files(row("toyLaunch_v2", "layout", prototype),
                           structs=[struct])
        self.assertIn("Converted<::toyConfig> config_13(config);",
                      files["simgpu_cuda12_cudart.cc"])
        self.assertIn("      {4, 0, 4},\n  };", files["cuda12/cudart.h"])

    def refused(self, entries, difference, *words):
        run, _ = self.generate(entries, difference)
        self.assertEqual(run.returncode, 1, run.stdout)
        for word in words:
            self.assertIn(word, run.stderr)

    def test_wrappers_must_pass_both_versions_arguments(self):
        self.refused(COUNT_ALL, row(
            "toyLaunch_v2", "changed", "toyStatus_t toyLaunch_v2(double x)"),
            "toyLaunch_v2", "integer registers")
        self.refused(COUNT_ALL, row(
            "toyBind", "changed", "toyStatus_t toyBind(toyStream_t stream, int "
            "* version, toyStream_t * bound, int a, int b, int c, int d)"),
            "toyBind", "integer registers")
        self.refused(COUNT_ALL, row(
            "toyGetName", "changed", "const char * toyGetName(size_t status)"),
            "toyGetName", "cut an argument")

    def test_what_a_hook_reads_must_not_move(self):
        entries = '[toyBind]\nrole = "state"\nhook = "X"\nhook_args = '
        self.refused(entries + '["stream"]\n', row(
            "toyBind", "changed", "toyStatus_t toyBind(int a, toyStream_t s)"),
            "'stream' lies elsewhere in CUDA 12")
        run, _ = self.generate(entries + '["stream"]\n', CHANGED)
        self.assertEqual(run.stderr, "")


class ListsTest(unittest.TestCase):

    def records(self, declarations):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "x.h").write_text(declarations)
            reader = headers.HeaderReader([pathlib.Path(folder)], "g++")
            return layouts.of_units(reader, (model.Unit(("x.h",)),))

    def test_layouts_differ_by_place_and_size_but_not_by_filling(self):
        old = self.records("struct A { int x; int reserved[3]; };"
                           "struct B { int x, gone, y; };"
                           "struct C { int x; };"
                           "struct D { union { int u; char c; }; int y; };")
        new = self.records("struct A { int x, used; int reserved[2]; };"
                           "struct B { int x, y; };"
                           "struct C { int x; int reserved[8]; };"
                           "struct D { union { int u; char c; }; int y; };")
        found = layouts.differing(old, new)
        self.assertEqual(sorted(found), ["B", "C"])
        self.assertEqual(
            [(f.path, f.offset, f.new_offset) for f in found["B"].fields],
            [("x", 0, 0), ("gone", 4, None), ("y", 8, 4)])

    def test_versions_are_taken_off_names(self):
        for name, plain in (("aV_v2", "aV"), ("a_v3_ptsz", "a_ptsz"),
                            ("a_view", "a_view")):
            self.assertEqual(cuda12.without_version(name), plain)

    def test_lists_are_read_as_written(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "functions.tsv")
            cuda12.write_functions(path, [ADDED, CHANGED])
            self.assertEqual(cuda12.read_functions(path), [ADDED, CHANGED])
            path.write_text("#\nhead\ncudart\tx\tadded\n")
            with self.assertRaisesRegex(model.SpecError, "functions.tsv:3"):
                cuda12.read_functions(path)


if __name__ == "__main__":
    unittest.main()
