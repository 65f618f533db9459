# SPDX-License-Identifier: Apache-2.0
"""The generator on a toy library: its whole output, and its errors.

Run with DLTAP_UPDATE_GOLDEN=1 to accept a changed output.
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[3]
GENERATOR = ROOT / "shim/specs/generate/gen_entry_points.py"
LIBRARY = (HERE / "toy" / "cudart.toml").read_text().split('\n["')[0]

sys.path.insert(0, str(ROOT / "shim/specs/generate"))
from entry_points import text  # noqa: E402


def generate(*options):
    command = [sys.executable, "-B", GENERATOR, "--include", HERE / "toy"]
    return subprocess.run([str(c) for c in [*command, *options]],
                          capture_output=True, text=True)


class GoldenTest(unittest.TestCase):
    maxDiff = None

    def test_output_is_as_accepted(self):
        golden = HERE / "golden"
        with tempfile.TemporaryDirectory() as folder:
            run = generate("--specs", HERE / "toy", "--out", folder)
            self.assertEqual(run.stderr, "")
            made = files_of(pathlib.Path(folder))
        if os.environ.get("DLTAP_UPDATE_GOLDEN"):
            for name, content in made.items():
                (golden / name).parent.mkdir(parents=True, exist_ok=True)
                (golden / name).write_text(content)
        accepted = files_of(golden)
        self.assertEqual(sorted(made), sorted(accepted))
        for name, content in made.items():
            self.assertEqual(content, accepted[name], name)

    def test_listed_outputs_are_those_written(self):
        listed = generate("--specs", HERE / "toy", "--list-outputs").stdout
        self.assertEqual(listed.split(), sorted(files_of(HERE / "golden")))

    def test_unchanged_files_are_not_touched(self):
        with tempfile.TemporaryDirectory() as folder:
            generate("--specs", HERE / "toy", "--out", folder)
            stale = pathlib.Path(folder, "entry_points.h")
            stale.write_text("old")
            kept = pathlib.Path(folder, "libdltap.lds")
            os.utime(kept, (1, 1))
            generate("--specs", HERE / "toy", "--out", folder)
            self.assertNotEqual(stale.read_text(), "old")
            self.assertEqual(kept.stat().st_mtime, 1)


def files_of(folder):
    return {str(p.relative_to(folder)): p.read_text()
            for p in folder.rglob("*") if p.is_file()}


class SpecTest(unittest.TestCase):

    def run_spec(self, entries, *options, library=LIBRARY):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "cudart.toml").write_text(
                library + "\n" + entries)
            pathlib.Path(folder, "exports.txt").touch()
            return generate("--specs", folder, *options)

    def assert_error(self, entries, *words, library=LIBRARY):
        run = self.run_spec(entries, library=library)
        self.assertEqual(run.returncode, 1, run.stdout)
        self.assertEqual(run.stderr.count("\n"), 1, run.stderr)
        for word in ("cudart.toml", *words):
            self.assertIn(word, run.stderr)

    def roles(self, entries):
        run = self.run_spec(entries, "--coverage")
        self.assertEqual(run.stderr, "")
        row = next(l for l in run.stdout.splitlines()
                   if l.startswith("cudart")).split()
        return dict(zip(("record", "count", "state", "not", "unknown"),
                        map(int, row[2:])))

    def test_exact_name_beats_glob_and_longer_glob_beats_shorter(self):
        roles = self.roles('["toy*"]\nrole = "count"\n'
                           '["toyB*"]\nrole = "state"\n'
                           '[toyCopy]\nrole = "record"\n')
        self.assertEqual(roles, {"record": 1, "count": 3, "state": 1,
                                 "not": 0, "unknown": 0})

    def test_unmentioned_functions_are_unknown(self):
        self.assertEqual(self.roles('[toyBind]\nrole = "state"\n')["unknown"],
                         4)

    def test_unknown_beyond_the_ceiling_fails(self):
        with tempfile.NamedTemporaryFile("w", suffix=".toml") as ceilings:
            ceilings.write("cudart = 3\n")
            ceilings.flush()
            run = self.run_spec('[toyBind]\nrole = "state"\n',
                                "--ceilings", ceilings.name)
        self.assertEqual(run.returncode, 1)
        self.assertIn("4 functions have no role, at most 3 may", run.stderr)

    def test_equally_long_globs_are_ambiguous(self):
        self.assert_error('["toyBi*"]\nrole = "count"\n'
                          '["toy*nd"]\nrole = "count"\n',
                          "toyBind", "[toyBi*]", "[toy*nd]")

    def test_unsupported_needs_a_status_to_return(self):
        refused = 'role = "count"\nsimulated = "unsupported"\n'
        self.assert_error("[toyBind]\n" + refused, "[toyBind]",
                          "not_supported",
                          library=LIBRARY.replace("not_supported", "node"))
        self.assert_error('[toyBind]\nrole = "count"\nsimulated = "no"\n',
                          "[toyBind]", "simulated 'no'")

    def test_entry_without_function_is_an_error(self):
        self.assert_error('[toyMissing]\nrole = "count"\n', "[toyMissing]",
                          "no function of the headers has that name")

    def test_headers_of_another_version_may_lack_a_function(self):
        run = self.run_spec('[toyMissing]\nrole = "count"\n',
                            "--other-version")
        self.assertEqual(run.stderr, "")

    def test_function_of_another_version_that_does_not_fit_is_left_out(self):
        run = self.run_spec('["toy*"]\nrole = "count"\n'
                            '[toyCopy]\nrole = "record"\nbytes = "size"\n',
                            "--other-version", "--coverage")
        self.assertIn("warning", run.stderr)
        self.assertIn("not wrapped", run.stderr)
        self.assertIn("unknown: cudart: toyCopy", run.stdout)

    def test_macro_name_is_no_function(self):
        self.assert_error('[toyLaunch]\nrole = "count"\n', "[toyLaunch]")

    def test_entry_that_never_wins_is_an_error(self):
        self.assert_error('["toyBind*"]\nrole = "count"\n'
                          '[toyBind]\nrole = "count"\n', "closer entry")

    def test_unknown_argument_is_an_error_with_key_and_choices(self):
        self.assert_error('[toyCopy]\nrole = "record"\nbytes = "size"\n',
                          "[toyCopy]", "bytes", "'size'", "width")
        self.assert_error('[toyCopy]\nrole = "count"\nevent = "event"\n',
                          "event", "'event'")
        self.assert_error('[toyMalloc]\nrole = "record"\nout = ["mem"]\n',
                          "out", "'mem'")

    def test_what_an_entry_omits_is_not_the_librarys_stream(self):
        for omit, size in ("", "8 bytes"), ('omit = ["stream"]', "0 bytes"):
            run = self.run_spec(f'[toyBind]\nrole = "record"\n{omit}\n',
                                "--explain", "toyBind")
            self.assertEqual(run.stderr, "")
            self.assertIn(f"record: {size}", run.stdout)

    def test_unknown_member_is_an_error(self):
        self.assert_error('[toyLaunch_v2]\nrole = "record"\n'
                          'deref = { config = ["grid.w"] }\n', "grid.w")

    def test_output_must_be_a_pointer_to_a_scalar(self):
        self.assert_error('[toyMalloc]\nrole = "record"\nout = ["size"]\n',
                          "'size'")

    def test_words_outside_the_vocabulary_are_errors(self):
        for line in ('role = "recorded"', 'class = "convolution"',
                     'direction = "back"', 'kind = "copy"', 'rol = "count"',
                     'dims = { q = "width" }', 'copy_kind = "=up"',
                     'dtype = { all = "=f33" }', 'pointers = { e = "dst" }',
                     'routes = ["phone"]', 'packed = { id = "u32" }',
                     'hook_while = "recording"',
                     'hook = "X"\nhook_while = "paused"'):
            entry = "[toyCopy]\n" + line
            if not line.startswith("rol"):
                entry += '\nrole = "record"'
            self.assert_error(entry + "\n", "[toyCopy]")

    def test_a_hook_sees_paused_calls_unless_recording_is_enough(self):
        for line, gate in (("", "DLTAP_GATE_WITH_HOOK"),
                           ('hook_while = "recording"\n', "DLTAP_GATE")):
            with tempfile.TemporaryDirectory() as out:
                run = self.run_spec('[toyCopy]\nrole = "record"\n'
                                    'hook = "X"\n' + line, "--out", out)
                self.assertEqual(run.stderr, "")
                made = files_of(pathlib.Path(out))
            self.assertIn(f"\n{gate}(toyCopy, ",
                          made["tap_wrappers_cudart.cc"])

    def test_an_argument_has_one_meaning(self):
        self.assert_error('[toyCopy]\nrole = "record"\nbytes = "width"\n'
                          'dims = { m = "width" }\n', "[toyCopy]", "width",
                          "bytes", "dims.m")

    def test_reason_belongs_to_not_and_only_there(self):
        self.assert_error('[toyBind]\nrole = "not"\n', "reason")
        self.assert_error('[toyBind]\nrole = "count"\nreason = "x"\n',
                          "reason")

    def test_counted_functions_never_start_a_session(self):
        self.assert_error('[toyBind]\nrole = "count"\nwork = true\n', "work")

    def test_broken_toml_and_missing_header_are_one_line_errors(self):
        self.assert_error("[toyBind\n")
        self.assert_error('[toyBind]\nrole = "count"\n', "missing.h",
                          library=LIBRARY.replace("toy.h", "missing.h"))


class ExplainTest(unittest.TestCase):

    def test_prototype_entry_and_record_of_a_function(self):
        run = generate("--specs", HERE / "toy", "--explain", "toyLaunch_v2")
        self.assertEqual(run.stderr, "")
        lines = run.stdout.splitlines()
        self.assertTrue(lines[0].startswith("toyStatus_t toyLaunch_v2(const"))
        self.assertEqual(lines[1], "cudart.toml: [toyLaunch_v2]")
        self.assertIn("  class = gemm", lines)
        self.assertIn("record: 52 bytes, 3 slots", lines)
        self.assertIn("    24 +8  float    scale", lines)

    def test_macro_names_are_refused_with_advice(self):
        run = generate("--specs", HERE / "toy", "--explain", "toyLaunch")
        self.assertEqual(run.returncode, 1)
        self.assertIn("names are raw", run.stderr)


class HashTableTest(unittest.TestCase):

    def test_every_name_is_reached_by_probing(self):
        names = [f"cuda{i}" for i in range(1000)]
        slots = text.hash_table(list(enumerate(names)))
        self.assertIn(0xFFFF, slots)
        for value, name in enumerate(names):
            slot = text.name_hash(name) % len(slots)
            while slots[slot] != value:
                self.assertNotEqual(slots[slot], 0xFFFF, name)
                slot = (slot + 1) % len(slots)


if __name__ == "__main__":
    unittest.main()
