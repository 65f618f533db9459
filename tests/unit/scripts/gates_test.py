#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The gates catch what they are there for, and nothing else."""
import contextlib
import io
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "scripts"))

import check_arrows  # noqa: E402
import check_numbers  # noqa: E402
import check_sizes  # noqa: E402
import check_text  # noqa: E402


class Tree:
    """A scratch source tree."""

    def __init__(self, test: unittest.TestCase):
        scratch = tempfile.TemporaryDirectory(prefix="gates_test.")
        test.addCleanup(scratch.cleanup)
        self.root = pathlib.Path(scratch.name)

    def add(self, path: str, *lines: str) -> None:
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text("\n".join(lines) + "\n")


class ArrowsTest(unittest.TestCase):
    def setUp(self):
        self.tree = Tree(self)

    def errors(self, path, include):
        self.tree.add(path, "// comment", f"#include {include}")
        return check_arrows.check(self.tree.root)

    def test_tap_and_simulation_know_nothing_of_each_other(self):
        self.assertEqual(
            self.errors("shim/tap/entry/traced.h",
                        '"simgpu/base/clock.h"'),
            ["shim/tap/entry/traced.h:2: no arrow shim/tap/entry -> "
             "simgpu/base"])
        self.assertEqual(
            len(self.errors("simgpu/cudart/memory.cc",
                            '"shim/tap/runtime/clock.h"')), 2)

    def test_analyzer_includes_nothing_of_the_shim_but_its_data(self):
        self.assertTrue(self.errors("analyzer/metrics/idle/gaps.cc",
                                    '"shim/tap/runtime/clock.h"'))

    def test_analyzer_may_read_the_trace_format(self):
        self.assertFalse(self.errors("analyzer/reader/decoder.cc",
                                     '"shim/trace/records.h"'))

    def test_arrows_point_one_way(self):
        self.assertFalse(self.errors("analyzer/reports/table.h",
                                     '"analyzer/metrics/idle/gaps.h"'))
        self.assertTrue(self.errors("analyzer/metrics/idle/gaps.h",
                                    '"analyzer/reports/table.h"'))

    def test_simulated_gpu_has_floors(self):
        self.assertFalse(self.errors("simgpu/graph/a.h",
                                     '"simgpu/stream/stream.h"'))
        self.assertEqual(
            self.errors("simgpu/stream/b.h", '"simgpu/graph/graph.h"'),
            ["simgpu/stream/b.h:2: no arrow simgpu/stream -> simgpu/graph"])

    def test_core_knows_no_framework_and_no_library(self):
        for room in ("torch", "driver", "cupti"):
            self.assertTrue(self.errors("simgpu/launch/a.h",
                                        f'"simgpu/{room}/b.h"'), room)

    def test_what_an_arrow_reaches_may_be_included(self):
        self.assertFalse(self.errors("analyzer/reports/table.h",
                                     '"analyzer/model/strong_id.h"'))

    def test_host_process_gets_no_cxx_runtime_and_no_abseil(self):
        self.assertTrue(self.errors("shim/tap/entry/a.cc", "<string>"))
        self.assertTrue(self.errors("shim/tap/entry/b.cc",
                                    '"absl/status/status.h"'))
        self.tree = Tree(self)
        self.assertFalse(self.errors("shim/tap/entry/a.cc", "<atomic>"))
        self.assertFalse(self.errors("shim/tap/entry/b.cc", "<sys/mman.h>"))

    def test_relative_and_homeless_paths_are_refused(self):
        self.assertTrue(self.errors("analyzer/model/a.cc", '"../b.h"'))
        self.tree = Tree(self)
        self.assertTrue(self.errors("shim/new_folder/a.cc", "<vector>"))

    def test_every_arrow_names_known_parts(self):
        for part, reached in check_arrows.allowed_parts().items():
            self.assertTrue(reached <= set(check_arrows.PARTS), part)


class CyclesTest(unittest.TestCase):
    def setUp(self):
        self.tree = Tree(self)

    def add(self, path, *includes):
        self.tree.add(path, *(f'#include "{header}"' for header in includes))

    def errors(self):
        return check_arrows.check(self.tree.root)

    def test_a_cycle_of_two_by_way_of_a_source(self):
        self.add("simgpu/base/a.h", "simgpu/base/b.h")
        self.add("simgpu/base/b.h")
        self.add("simgpu/base/b.cc", "simgpu/base/b.h", "simgpu/base/a.h")
        self.assertEqual(self.errors(), [
            "cycle of units: simgpu/base/a -> simgpu/base/b -> "
            "simgpu/base/a"])

    def test_a_header_and_its_own_source_are_no_cycle(self):
        self.add("simgpu/base/a.h", "simgpu/base/b.h")
        self.add("simgpu/base/a.cc", "simgpu/base/a.h", "simgpu/base/b.h")
        self.add("simgpu/base/b.h")
        self.assertFalse(self.errors())

    def test_the_shortest_cycle_is_named_first(self):
        self.add("opmodel/a.h", "opmodel/b.h")
        self.add("opmodel/b.h", "opmodel/c.h")
        self.add("opmodel/c.h", "opmodel/a.h", "opmodel/d.h")
        self.add("opmodel/d.h", "opmodel/c.h")
        self.assertEqual(self.errors(), [
            "cycle of units: opmodel/c -> opmodel/d -> opmodel/c",
            "cycle of units: opmodel/a -> opmodel/b -> opmodel/c -> "
            "opmodel/a"])


class TextTest(unittest.TestCase):
    def setUp(self):
        self.tree = Tree(self)

    def errors(self, path, *lines):
        self.tree.add(path, *lines)
        return check_text.check(self.tree.root)

    def test_good_header_passes(self):
        self.assertFalse(self.errors(
            "shim/trace/layout.h", "// SPDX-License-Identifier: Apache-2.0",
            "#ifndef DLTAP_SHIM_TRACE_LAYOUT_H_",
            "#define DLTAP_SHIM_TRACE_LAYOUT_H_", "#endif"))

    def test_script_may_start_with_its_interpreter(self):
        self.assertFalse(self.errors(
            "scripts/x.sh", "#!/usr/bin/env bash",
            "# SPDX-License-Identifier: Apache-2.0"))

    def test_missing_licence(self):
        self.assertEqual(len(self.errors("shim/a.cc", "int x;")), 1)

    def test_guard_must_follow_the_path(self):
        self.assertEqual(
            self.errors("shim/a.h", "// SPDX-License-Identifier: Apache-2.0",
                        "#ifndef A_H", "#define A_H", "#endif"),
            ["shim/a.h:2: include guard must be DLTAP_SHIM_A_H_"])

    def test_paths_of_a_machine(self):
        planted = "see /" + "home/jane/notes"
        self.assertEqual(len(self.errors("README.md", planted)), 1)

    def test_paths_that_look_alike_pass(self):
        self.assertFalse(self.errors("README.md", "$HOME/work/x ~/work/",
                                     "a/root/b", "/usr/bin/python3"))

    def test_every_variable_stands_in_the_readme(self):
        self.tree.add("README.md", "`DLTAP_LOG` and `DLTAP_OUTPUT`")
        self.assertEqual(
            self.errors("shim/tap/a.cc",
                        "// SPDX-License-Identifier: Apache-2.0",
                        'F("DLTAP_LOG"); F("DLTAP_OUTPUT="); F("DLTAP_NEW");',
                        'G("DLTAP_SIM_");'),
            ["shim/tap/a.cc: DLTAP_NEW stands in no table of README.md"])

    def test_markdown_lines_have_at_most_120_columns(self):
        self.assertFalse(self.errors("docs/a.md", "x" * 120))
        self.assertEqual(self.errors("docs/a.md", "x" * 121),
                         ["docs/a.md:1: 121 columns, at most 120"])
        row = "| " + "cell " * 25 + "|"
        self.assertEqual(len(self.errors("docs/a.md", row)), 1)

    def test_cited_sections_of_the_design_exist(self):
        self.tree.add("docs/design.md", "## 1. The product")
        # Two literals: this file is checked as well.
        cited = "see docs/design.md" " section "
        self.assertFalse(self.errors("shim/README.md", cited + "1"))
        self.assertEqual(self.errors("shim/README.md", cited + "2"),
                         ["shim/README.md:1: docs/design.md has no section 2"])

    def test_addresses_and_golden_pages_may_be_longer(self):
        self.assertFalse(self.errors("docs/a.md", "https://x/" + "y" * 200))
        self.tree.add("tests/golden/page.md", "x" * 200)
        self.assertFalse(check_text.check(self.tree.root))

    def test_trailing_space_and_tab(self):
        self.assertEqual(len(self.errors(
            "scripts/x.py", "# SPDX-License-Identifier: Apache-2.0",
            "x = 1 ", "\ty = 2")), 2)


class NumbersTest(unittest.TestCase):
    def setUp(self):
        self.tree = Tree(self)

    def errors(self, line, path="analyzer/reports/table.cc"):
        self.tree.add(path, line)
        return check_numbers.check(self.tree.root)

    def test_a_report_neither_divides_nor_scales(self):
        for line in ("x = a / b;", "x /= b;", "x = a % b;", "y = Ratio(a, b);",
                     "x = ns * 1e-6;", "x = 100 * ratio;", "x = a*100.0;"):
            with self.subTest(line):
                self.assertEqual(len(self.errors(line)), 1)

    def test_text_comments_and_paths_may_hold_slashes(self):
        for line in ('text = "ms/step 50 %";', "// a / b", "x = '/';",
                     '#include "analyzer/reports/table.h"',
                     "const Table* table; f(*table); x = a * kMsPerNs;",
                     "constexpr size_t kPageWidth = 100;"):
            with self.subTest(line):
                self.assertFalse(self.errors(line))

    def test_units_scale_and_metrics_divide(self):
        self.assertFalse(self.errors("x = ns * 1e-6;",
                                     "analyzer/reports/units.h"))
        self.assertFalse(self.errors("x = a / b;", "analyzer/metrics/a.cc"))


class SizesTest(unittest.TestCase):
    def cpp(self, text):
        return list(check_sizes.cpp_functions(text))

    def test_functions_methods_and_nested_namespaces(self):
        text = """namespace a {
            class B {
             public:
              void C() {
                if (x) { y(); }
              }
            };
            int D(int e) {
              return e;
            }
            }  // namespace a
            """
        self.assertEqual(self.cpp(text), [("C", 4, 3), ("D", 8, 3)])

    def test_initialisers_comments_and_strings_are_no_functions(self):
        text = """constexpr int kTable[] = {
              1, 2,
            };
            // void F() {
            const char* k = "G() {";
            struct S { int a; };
            int x = 10'000;
            """
        self.assertEqual(self.cpp(text), [])

    def test_lambda_belongs_to_its_function(self):
        text = "void F() {\n  auto g = [&](int) {\n  };\n}\n"
        self.assertEqual(self.cpp(text), [("F", 1, 4)])

    def test_constructor_with_initialisers(self):
        text = "A::A(int b) : b_(b),\n c_{b} {\n}\n"
        self.assertEqual([f[0] for f in self.cpp(text)][-1:], ["A::A"])

    def test_shell_functions(self):
        text = "say() { echo; }\nrun() {  # ARGS\n  x\n}\n"
        self.assertEqual(list(check_sizes.shell_functions(text)),
                         [("run", 2, 3)])

    def test_too_long_fails_and_long_warns(self):
        tree = Tree(self)
        for lines, failed in ((41, False), (81, True)):
            tree.add("shim/a.cc", "void F() {", *["  x();"] * (lines - 2), "}")
            report = check_sizes.Report(quiet=False)
            with contextlib.redirect_stdout(io.StringIO()) as out:
                check_sizes.check_file(tree.root, "shim/a.cc", report)
            self.assertEqual(report.failed, failed)
            self.assertIn(f"lines in F: {lines}", out.getvalue())


if __name__ == "__main__":
    unittest.main()
