# SPDX-License-Identifier: Apache-2.0
"""Is `dltap` polite: does it say what it is, what was meant, what to type?

Usage: manners_test.py DLTAP
"""

import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

DLTAP = ""


def dltap(*args, **kwargs):
    return subprocess.run([DLTAP, *args], capture_output=True, text=True,
                          **kwargs)


def commands():
    return re.findall(r"(?m)^  ([a-z]+)  ", dltap("help").stdout)


def options_of(command):
    """Long options, of all forms of the command."""
    forms = {"predict": ["--scaling", "--faster"]}.get(command, [])
    text = "".join(dltap(command, *form, "--help").stdout
                   for form in [[], *([form] for form in forms)])
    return set(re.findall(r"(?m)^ .*?(--[a-z-]+)", text))


class VersionTest(unittest.TestCase):

    def test_both_products_say_their_version(self):
        for word in ("--version", "-V", "version"):
            done = dltap(word)
            self.assertEqual(done.returncode, 0)
            first, second = done.stdout.splitlines()
            self.assertRegex(first, r"^dltap \d+\.\d+\.\d+$")
            number = first.split()[1]
            self.assertRegex(second,
                             rf"^libdltap {re.escape(number)} \(/.*\.so\)$")


class DidYouMeanTest(unittest.TestCase):

    def says(self, words, *args):
        done = dltap(*args)
        self.assertIn(words, done.stderr)
        self.assertRegex(done.stderr, r"^dltap: [^\n]+\n$")
        self.assertNotIn("dltap: dltap", done.stderr)
        self.assertEqual(done.stdout, "")
        return done.returncode

    def test_command(self):
        self.assertEqual(self.says("did you mean report?", "reprot"), 2)
        self.assertEqual(self.says("did you mean report?", "help", "reprot"),
                         2)
        self.assertEqual(
            self.says('unknown command "zeus"; dltap help lists', "zeus"), 2)

    def test_option(self):
        self.assertEqual(self.says("did you mean --top?", "report", "--topp",
                                   "3", "x"), 2)
        self.assertEqual(self.says("did you mean --output?", "run",
                                   "--outptu=x", "--", "true"), 125)
        self.assertEqual(self.says('unexpected "x"', "lib", "x"), 2)

    def test_value(self):
        self.assertEqual(self.says("did you mean class?", "report", "--by",
                                   "klass", "x"), 2)
        self.assertEqual(self.says("did you mean chrome?", "export",
                                   "--format", "chrom", "x"), 2)
        self.assertEqual(self.says("did you mean virtual?", "run",
                                   "--sim-clock", "virtuel", "--", "x"), 125)

    def test_gpu(self):
        self.assertEqual(self.says("did you mean h100-pcie, h100-sxm?", "run",
                                   "--gpu", "sim:h100", "--", "true"), 125)
        self.assertEqual(self.says("did you mean sim:h100-sxm?", "doctor",
                                   "--gpu", "h100-sxm"), 2)
        self.assertEqual(self.says("did you mean h100-pcie, h100-sxm?", "ci",
                                   "--gpu", "h100", "--", "true"), 2)
        self.assertEqual(self.says("did you mean l4, l40s?", "predict", "--gpu",
                                   "l40x", "--ops", "/dev/null"), 2)

    def test_no_rows_are_refused(self):
        self.assertEqual(self.says("--top", "report", "--top", "0", "x"), 2)


class StepsTest(unittest.TestCase):

    @staticmethod
    def of(text, *command):
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
            file.write(text)
            file.flush()
            return dltap(*command, file.name)

    def report_of(self, text, *options):
        return self.of(text, "report", *options)

    @staticmethod
    def trace(steps):
        lines = ["format dltap", "process pid=7 program=train",
                 'device 0 name="NVIDIA H100 80GB HBM3" cc=9.0 sms=132',
                 "thread 0 tid=1 name=python"]
        for i in range(10):
            at = 100 * i
            lines += [f"call t={at}..{at + 2}us thread=0 cudaLaunchKernel",
                      f"launchapi t={at}..{at + 1}us thread=0 corr={i + 1} "
                      f"ext={at}us",
                      f"kernel t={at + 3}..{at + 60}us device=0 stream=7 "
                      f"corr={i + 1} name=some_kernel_{i % 2 + i // 3 * 7}"]
            if steps:
                lines.append(f"range t={at}..{at + 90}us thread=0 kind=nvtx "
                             f'name="step {i}"')
        return "\n".join(lines) + "\n"

    def test_steps_that_the_trace_lacks_are_refused(self):
        done = self.report_of(self.trace(True), "--steps", "100..300")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stdout, "")
        self.assertIn("--steps: the trace has no steps 100..300; it has 0..9",
                      done.stderr)

    def test_steps_that_it_has_in_part_are_shown(self):
        done = self.report_of(self.trace(True), "--steps", "8..300")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("2 used", done.stdout)

    def test_steps_of_a_trace_without_any_are_refused(self):
        done = self.report_of(self.trace(False), "--steps", "0")
        self.assertEqual(done.returncode, 2)
        self.assertIn("no steps were found", done.stderr)

    def test_window_behind_the_run_is_refused(self):
        for command in (["report", "--json"], ["export", "-o", "-"],
                        ["predict", "--faster", "conv=2"]):
            with self.subTest(command[0]):
                done = self.of(self.trace(True), *command, "--window",
                               "100s..200s")
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertEqual(done.stdout, "")
                self.assertIn("--window: the trace has no moment at 100s; it "
                              "has 0s..0.00", done.stderr)

    def test_window_of_a_run_without_events_is_empty(self):
        done = self.report_of("format dltap\nprocess pid=1 host=a\n",
                              "--window", "0s..1s")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_window_that_ends_behind_the_run_is_shown(self):
        done = self.report_of(self.trace(True), "--window", "0.5ms..200s")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("the window from 0.50 to", done.stdout)


class HelpTest(unittest.TestCase):

    def test_every_command_has_examples_that_parse(self):
        self.assertGreater(len(commands()), 10)
        for command in commands():
            with self.subTest(command):
                text = dltap(command, "--help").stdout
                examples = text.partition("\nExamples:\n")[2].splitlines()
                self.assertTrue(examples)
                known = options_of(command)
                for example in examples:
                    ours = self.words_of(command, example)
                    used = {word.partition("=")[0] for word in ours
                            if word.startswith("--")}
                    self.assertLessEqual(used, known, example)

    def words_of(self, command, example):
        """Those of dltap's own, behind the command's name."""
        self.assertIn(f"dltap {command}", example)
        words = shlex.split(example.partition(f"dltap {command}")[2],
                            comments=True)
        for end in ("--", "|"):
            if end in words:
                words = words[:words.index(end)]
        return words

    def test_help_of_a_command_is_its_own(self):
        self.assertEqual(dltap("help", "report").stdout,
                         dltap("report", "--help").stdout)
        self.assertEqual(dltap("help").stdout, dltap("--help").stdout)

    @unittest.skipUnless(shutil.which("man"), "man is not installed")
    def test_manual_pages_are_clean_and_name_every_option(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(
                dltap("help", "--write-share", folder).returncode, 0)
            for command in commands():
                path = f"{folder}/man/man1/dltap-{command}.1"
                page = subprocess.run(
                    ["man", "--warnings", "-E", "UTF-8", "-l", path],
                    capture_output=True, text=True,
                    env={"MANWIDTH": "300", "PATH": "/usr/bin:/bin",
                         "LC_ALL": "C.UTF-8"})
                self.assertEqual((page.returncode, page.stderr), (0, ""), path)
                for option in options_of(command):
                    self.assertIn(option, page.stdout, path)
                for section in ("NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS",
                                "EXAMPLES"):
                    self.assertIn(f"\n{section}\n", page.stdout, path)

    def test_folder_that_cannot_be_made_is_said(self):
        done = dltap("help", "--write-share", "/dev/null/share")
        self.assertEqual(done.returncode, 3)
        self.assertIn("cannot be written", done.stderr)


if __name__ == "__main__":
    DLTAP = sys.argv.pop(1)
    unittest.main()
