# SPDX-License-Identifier: Apache-2.0
"""Does the README tell the truth? Its sample, its commands, its links.

Usage: readme_test.py [--write] DLTAP
The sample is what scripts/quickstart.sh prints; --write puts it there anew.
"""

import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import tomllib
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import chain  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[3]
README = ROOT / "README.md"
ORDER = ["Install", "Run it on your GPU", "How to read it", "No GPU at hand"]
# Its own cost is measured on the machine.
MEASURED = re.compile(r"wrappers [\d.]+ ms in all")
SAMPLE = re.compile(r"(?m)^    python tests/workloads.*\n(?:    .*\n|\n)+?"
                    r"(?=^[^ \n])")
# These read a trace and nothing else.
READERS = ("report", "export", "predict", "info", "check", "dump", "pack",
           "diff", "view")
DLTAP = ""


def quickstart() -> str:
    """What it prints of the report, piped: 100 columns, no colour."""
    done = subprocess.run([ROOT / "scripts/quickstart.sh", "--built"],
                          capture_output=True, text=True, check=True)
    lines = done.stderr.splitlines()
    begin = next(i for i, line in enumerate(lines)
                 if line.startswith("dltap: trace in ")) + 1
    return "".join(f"    {line}".rstrip() + "\n" for line in lines[begin:])


def commands() -> list[str]:
    """Lines of dltap in the blocks of the README, without comments, and those
    within a sentence."""
    lines = re.findall(
        r"(?m)^    (?: +- run: )?((?:build/bin/)?dltap [a-z].*)$",
        README.read_text())
    lines += re.findall(r"`(dltap [a-z]+ [^`|]+)`",
                        " ".join(README.read_text().split()))
    return [shlex.join(shlex.split(line, comments=True)) for line in lines]


@chain.needs_torch
class ReadmeTest(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.text = README.read_text()
        cls.printed = quickstart()

    def test_sample_is_what_quickstart_prints(self):
        (sample,) = SAMPLE.findall(self.text)
        self.maxDiff = None
        self.assertEqual(
            MEASURED.sub("", sample).rstrip("\n").splitlines(),
            MEASURED.sub("", self.printed).rstrip("\n").splitlines(),
            "tests/integration/endtoend/readme_test.py --write DLTAP "
            "renews it")

    def test_commands_have_the_options_that_they_use(self):
        self.assertGreater(len(commands()), 15)
        for command in commands():
            with self.subTest(command):
                words = shlex.split(command)[1:]
                words = words[:words.index("--")] if "--" in words else words
                form = [words[1], "x"] if words[1:2] and words[1] in (
                    "--scaling", "--faster") else []
                known = subprocess.run(
                    [DLTAP, words[0], *form, "--help"], capture_output=True,
                    text=True, check=True).stdout
                for word in words[1:]:
                    if word.startswith("-"):
                        self.assertRegex(known, rf"[ ,]{word}\b")

    def test_commands_that_read_a_trace_do(self):
        run = ROOT / "build/quickstart/resnet50-h100-sxm"
        tried = 0
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(run, pathlib.Path(folder) / "run1",
                            ignore=shutil.ignore_patterns("caches"))
            shutil.copytree(pathlib.Path(folder) / "run1",
                            pathlib.Path(folder) / "run2")
            environment = os.environ | {"TMPDIR": folder, "DISPLAY": "",
                                        "WAYLAND_DISPLAY": ""}
            for command in commands():
                words = shlex.split(command)[1:]
                if words[0] not in READERS or "run1" not in words:
                    continue
                tried += 1
                with self.subTest(command):
                    done = subprocess.run([DLTAP, *words], cwd=folder,
                                          env=environment,
                                          capture_output=True, text=True)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assertTrue(done.stdout or "-o" in words
                                    or "--html" in words)
        self.assertGreater(tried, 15)

    def test_formats_of_export_are_all_named(self):
        choices = re.search(r"--format .*?\{([a-z,]+)\}", subprocess.run(
            [DLTAP, "export", "--help"], capture_output=True, text=True,
            check=True).stdout, re.DOTALL).group(1)
        said = re.search(r"`dltap export` writes (.*?);", self.text,
                         re.DOTALL).group(1)
        self.assertEqual(sorted(re.findall(r"`([a-z]+)`", said)),
                         sorted(choices.split(",")))

    def test_each_shell_that_is_named_has_its_completion(self):
        (line,) = re.findall(r"(?m)^.*completion bash.*or zsh.*fish.*$",
                             self.text)
        for shell in ("bash", "zsh", "fish"):
            self.assertIn(shell, line)
            done = subprocess.run([DLTAP, "completion", shell],
                                  capture_output=True, text=True, check=True)
            self.assertIn("report", done.stdout)

    def test_sections_stand_in_a_strangers_order(self):
        sections = re.findall(r"(?m)^## (.*)$", self.text)
        self.assertEqual(sections[:len(ORDER)], ORDER)

    def test_links_and_named_files_are_there(self):
        named = re.findall(r"\]\(((?!https?:)[^)#]+)\)", self.text)
        named += re.findall(r"`((?:[a-z_]+/)+[A-Za-z_.]+\.[a-z]+)`", self.text)
        self.assertGreater(len(named), 5)
        for path in named:
            self.assertTrue((ROOT / path).exists(), path)

    def test_number_of_classes_is_right(self):
        vocabulary = tomllib.loads(
            (ROOT / "shim/specs/vocabulary.toml").read_text())
        named, more = re.search(
            r"says, for\n((?:[A-Z]+,? )+)and (\d+) more classes",
            self.text).groups()
        self.assertEqual(len(re.findall(r"[A-Z]+", named)) + int(more),
                         len(vocabulary["layer_class"]))


def write() -> None:
    text = README.read_text()
    README.write_text(SAMPLE.sub(lambda _: quickstart() + "\n", text, count=1))


if __name__ == "__main__":
    writes = sys.argv[1:2] == ["--write"] and sys.argv.pop(1)
    DLTAP = str(pathlib.Path(sys.argv.pop(1)).resolve())
    write() if writes else unittest.main()
