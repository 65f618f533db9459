#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tarball_test.py BUILD-FOLDER: the tarball holds a dltap that can be moved."""
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import unittest

BUILD = pathlib.Path(sys.argv.pop(1)).resolve()


def run(*command, **how):
    return subprocess.run([str(c) for c in command], text=True,
                          capture_output=True, check=False, **how)


class TarballTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory(prefix="tarball_test.")
        scratch = pathlib.Path(cls.scratch.name)
        made = run("cpack", "--config", BUILD / "CPackConfig.cmake",
                   "-B", scratch / "made", cwd=scratch)
        if made.returncode != 0:
            raise RuntimeError(made.stdout + made.stderr)
        (archive,) = (scratch / "made").glob("*.tar.gz")
        with tarfile.open(archive) as tar:
            tar.extractall(scratch / "elsewhere")
        (cls.root,) = (scratch / "elsewhere").iterdir()

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def needed(self, path):
        lines = run("readelf", "-d", self.root / path).stdout.splitlines()
        return [line.split("[")[1].rstrip("]") for line in lines
                if "(NEEDED)" in line]

    def test_everything_has_its_place(self):
        for path in ("bin/dltap", "lib/dltap/libdltap.so",
                     "lib/dltap/simgpu/cu13/libcudart.so.13",
                     "lib/dltap/simgpu/cu12/libcudart.so.12",
                     "lib/dltap/simgpu/cu12/libcuda.so.1",  # a link
                     "share/man/man1/dltap-report.1.gz",
                     "share/bash-completion/completions/dltap",
                     "share/zsh/site-functions/_dltap",
                     "share/fish/vendor_completions.d/dltap.fish",
                     "share/doc/dltap/README.md", "share/doc/dltap/LICENSE"):
            self.assertTrue((self.root / path).is_file(), path)

    def test_simulation_is_not_beside_what_is_preloaded(self):
        beside = {p.name for p in (self.root / "lib/dltap").iterdir()}
        self.assertFalse([name for name in beside if name.startswith("libcu")])

    def test_program_starts_where_it_was_unpacked(self):
        shown = run(self.root / "bin/dltap", "--version", cwd="/")
        self.assertEqual(shown.returncode, 0, shown.stderr)

    def test_program_finds_its_own_libraries_and_no_build_folder(self):
        loaded = run(self.root / "bin/dltap",
                     env=dict(os.environ, LD_TRACE_LOADED_OBJECTS="1")).stdout
        self.assertIn(str(self.root / "lib/dltap") + "/libsimdjson", loaded.
                      replace("bin/../", ""))
        self.assertNotIn(str(BUILD), loaded)
        self.assertNotIn("absl", loaded)

    def test_program_finds_the_library_that_it_preloads(self):
        shown = run(self.root / "bin/dltap", "lib", cwd="/")
        self.assertEqual(shown.returncode, 0, shown.stderr)
        self.assertEqual(shown.stdout.strip(),
                         str(self.root / "lib/dltap/libdltap.so"))

    def test_program_runs_another(self):
        ran = run(self.root / "bin/dltap", "run", "-o",
                  pathlib.Path(self.scratch.name) / "trace", "--",
                  "sh", "-c", "echo to stdout; exit 7")
        self.assertEqual((ran.returncode, ran.stdout), (7, "to stdout\n"),
                         ran.stderr)

    def test_preloaded_library_needs_only_libc(self):
        self.assertLessEqual(set(self.needed("lib/dltap/libdltap.so")),
                             {"libc.so.6", "ld-linux-x86-64.so.2"})

    def test_no_file_names_the_machine_that_built_it(self):
        for path in self.root.rglob("*"):
            if path.is_file() and path.suffix not in (".md",):
                self.assertNotIn(str(BUILD.parent).encode() + b"/",
                                 path.read_bytes(), path)


if __name__ == "__main__":
    unittest.main()
