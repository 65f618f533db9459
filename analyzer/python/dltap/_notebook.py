# SPDX-License-Identifier: Apache-2.0
"""The magics of `%load_ext dltap`."""

from __future__ import annotations

import html
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile
from typing import Any

from dltap import _program
from dltap._report import Report, load


def _show(report: Report) -> None:
    from IPython.display import HTML, display

    page = html.escape(report.html(), quote=True)
    display(HTML(f'<iframe srcdoc="{page}" sandbox="allow-scripts" '
                 'style="width:100%;height:80vh;border:0"></iframe>'))


def _line(line: str) -> None:
    """%dltap TRACE...: shows the report of a trace."""
    _show(load(*shlex.split(line)))


def _cell(line: str, cell: str) -> None:
    """%%dltap [OPTIONS of dltap run]: runs the cell as a program of its own
    under dltap, for instance with --gpu sim:h100-sxm, and shows its report.
    Names of the notebook are not known to it."""
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder, "cell.py")
        program.write_text(cell, encoding="utf-8")
        trace = pathlib.Path(folder, "trace")
        done = subprocess.run(
            [_program.path(), "run", "--no-report", "-o", trace,
             *shlex.split(line), "--", sys.executable, program],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            encoding="utf-8", errors="replace", check=False, env=os.environ)
        print(done.stdout, end="")
        if done.returncode != 0:
            raise _program.DltapError(
                f"the cell ended with {done.returncode}", done.returncode)
        _show(load(trace))


def register(shell: Any) -> None:
    shell.register_magic_function(_line, "line", "dltap")
    shell.register_magic_function(_cell, "cell", "dltap")
