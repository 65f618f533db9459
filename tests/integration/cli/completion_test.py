# SPDX-License-Identifier: Apache-2.0
"""Do shells complete dltap's words? With the shells themselves.

Usage: completion_test.py DLTAP
"""

import os
import pathlib
import pty
import select
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

DLTAP = ""


class ShellTest:
    """What every shell must do; `complete` asks it."""

    def test_commands(self):
        self.assertEqual(self.complete("dltap rep"), ["report"])
        self.assertLessEqual({"check", "completion", "ctl"},
                             set(self.complete("dltap c")))

    def test_options_are_those_of_the_command(self):
        self.assertEqual(self.complete("dltap report --no-comp"),
                         ["--no-composite"])
        self.assertEqual(self.complete("dltap info --no-comp"), [])

    def test_values_of_an_option(self):
        self.assertEqual(self.complete("dltap report --by kern"), ["kernel"])
        self.assertEqual(self.complete("dltap run --sim-clock v"),
                         ["virtual"])

    def test_names_of_gpus(self):
        self.assertEqual(
            [word.rpartition(":")[2] for word in
             self.complete("dltap run --gpu sim:h100")],
            ["h100-pcie", "h100-sxm"])

    def test_words_of_the_program_are_its_own(self):
        self.assertNotIn("--gpu", self.complete("dltap run -- cat --g"))
        self.assertNotIn("--gpu", self.complete("dltap run cat --g"))

    def test_options_go_on_behind_the_value_of_another(self):
        self.assertEqual(self.complete("dltap run -o x --sensi"),
                         ["--sensitivity"])

    def test_files_stand_for_traces(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "some-trace").mkdir()
            words = self.complete(f"dltap report {folder}/some-")
            self.assertEqual([word.rstrip("/") for word in words],
                             [f"{folder}/some-trace"])


def script(shell):
    done = subprocess.run([DLTAP, "completion", shell], capture_output=True,
                          text=True, check=True)
    return done.stdout


@unittest.skipUnless(shutil.which("bash"), "bash is not installed")
class BashTest(ShellTest, unittest.TestCase):

    def complete(self, line):
        program = (script("bash") + f"COMP_LINE='{line}'\n"
                   'COMP_POINT=${#COMP_LINE}\n_dltap 2>/dev/null\n'
                   "printf '%s\\n' \"${COMPREPLY[@]}\"\n")
        done = subprocess.run(["bash", "--norc", "-c", program],
                              capture_output=True, text=True)
        self.assertEqual(done.stderr, "")
        return sorted(filter(None, done.stdout.split("\n")))


@unittest.skipUnless(shutil.which("fish"), "fish is not installed")
class FishTest(ShellTest, unittest.TestCase):

    def complete(self, line):
        with tempfile.TemporaryDirectory() as home:
            done = subprocess.run(
                ["fish", "--no-config", "-c",
                 f"source (echo '{DLTAP}' completion fish | "
                 f"string collect | source | psub); complete -C '{line}'"],
                capture_output=True, text=True,
                env={"PATH": os.environ["PATH"], "HOME": home})
        self.assertEqual(done.stderr, "")
        return sorted(word.split("\t")[0] for word in done.stdout.splitlines())


@unittest.skipUnless(shutil.which("zsh"), "zsh is not installed")
class ZshTest(ShellTest, unittest.TestCase):
    """Types into a zsh on a terminal of its own."""

    def complete(self, line):
        with tempfile.TemporaryDirectory() as home:
            functions = pathlib.Path(home) / "functions"
            functions.mkdir()
            (functions / "_dltap").write_text(script("zsh"))
            (pathlib.Path(home) / ".zshrc").write_text(
                f"fpath=({functions} $fpath)\n"
                "autoload -Uz compinit && compinit -u -d $HOME/dump\n"
                "zstyle ':completion:*' list-separator ''\n"
                "zstyle ':completion:*' verbose no\n"
                # All matches go to a file, none to the line.
                "_all() { local -a found\n"
                "  compadd() {\n"
                "    if [[ ${@[(I)-[OAD]*]} -gt 0 ]]; then\n"
                "      builtin compadd \"$@\"; return $?\n"
                "    fi\n"
                "    local -a hits; builtin compadd -O hits \"$@\"\n"
                "    local p=''; local -i at=${@[(i)-p]}\n"
                "    (( at <= $# )) && p=${@[at+1]}\n"
                "    found+=(\"${p}${^hits[@]}\")\n"
                "    builtin compadd \"$@\"; }\n"
                "  _main_complete\n"
                "  unfunction compadd\n"
                "  print -rl -- $found > $HOME/found\n"
                "  print done > $HOME/done }\n"
                "zle -C all list-choices _all\n"
                "bindkey '^X' all\nPS1='READY>'\n")
            return self.typed(line, pathlib.Path(home))

    def typed(self, line, home):
        pid, terminal = pty.fork()
        if pid == 0:
            os.execve(shutil.which("zsh"), ["zsh", "-i"],
                      {"HOME": str(home), "PATH": os.environ["PATH"],
                       "TERM": "xterm", "ZDOTDIR": str(home)})
        try:
            self.wait(terminal, lambda seen: b"READY>" in seen)
            os.write(terminal, line.encode() + b"\x18")
            self.wait(terminal, lambda seen: (home / "done").exists())
        finally:
            os.kill(pid, 9)
            os.waitpid(pid, 0)
            os.close(terminal)
        found = (home / "found").read_text().split("\n")
        return sorted(set(filter(None, found)))

    def wait(self, terminal, is_there):
        seen, end = b"", time.monotonic() + 60
        while not is_there(seen):
            self.assertLess(time.monotonic(), end, seen)
            if select.select([terminal], [], [], 0.05)[0]:
                seen += os.read(terminal, 65536)


if __name__ == "__main__":
    DLTAP = sys.argv.pop(1)
    unittest.main()
