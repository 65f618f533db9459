#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_sizes.py [--quiet] [FILE...]: lengths of files, functions and lines.

Warns above the first limit, fails above the second; --quiet prints failures
only. Without FILE all sources are checked. C++ functions are found by their
braces: an estimate, good enough to name the ones that grew too long.
"""
import ast
import pathlib
import re
import sys
from typing import Iterator, NamedTuple

from source_files import ROOT, read_lines, source_files


class Limit(NamedTuple):
    warn: int
    fail: int


FILE = Limit(300, 600)
TEST_FILE = Limit(500, 900)
FUNCTION = Limit(40, 80)
LINE = Limit(80, 100)
TEST_LINE = Limit(100, 200)  # tables of expected output are not broken

CPP = (".h", ".cc", ".c", ".cu")
OTHER = (".py", ".sh", ".cmake", "CMakeLists.txt", "scripts/python")

Function = tuple[str, int, int]  # name, first line, number of lines

STRIPPED = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9A-Fa-f])'(?:\\.|[^'\\\n])+'|^[ \t]*#(?:\\\n|[^\n])*",
    re.S | re.M)
CONTAINER = re.compile(r"\b(namespace|class|struct|union|enum|extern)\b")
SHELL_FUNCTION = re.compile(r"^(\w+)\(\) \{(?: *#[^\n]*)?\n.*?^\}",
                            re.S | re.M)
NAME = re.compile(r"([~\w:]+|operator\W+)\s*\(")


def strip_cpp(text: str) -> str:
    """Comments, literals and preprocessor lines become blank, lines stay."""
    return STRIPPED.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)


def block_name(head: str) -> str | None:
    """The function's name if the text before a `{` declares one."""
    head = re.sub(r"<[^<>()]*>", "", head.strip())
    head = re.sub(r"\[\[.*?\]\]|alignas\s*\([^)]*\)", "", head)
    name = NAME.search(head)
    if not name or head.endswith("="):
        return None
    before = head[:name.start()]
    if CONTAINER.search(before) and "(" not in before and not re.search(
            r"\)\s*(const|noexcept|override|final|->.*)?\s*$", head):
        return None
    return name[1]


def cpp_functions(text: str) -> Iterator[Function]:
    text = strip_cpp(text)
    blocks: list[Function | None] = []  # None: namespace, class, initialiser
    inside = 0  # function blocks open around this place
    start = 0
    for match in re.finditer(r"[{};]", text):
        at = match.start()
        line = text.count("\n", 0, at) + 1
        if match[0] == "{":
            name = None if inside else block_name(text[start:at])
            blocks.append((name, line, 0) if name else None)
            inside += name is not None
        elif match[0] == "}" and blocks:
            block = blocks.pop()
            if block:
                inside -= 1
                yield block[0], block[1], line - block[1] + 1
        start = at + 1


def python_functions(text: str) -> Iterator[Function]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.name, node.lineno, node.end_lineno - node.lineno + 1


def shell_functions(text: str) -> Iterator[Function]:
    for match in SHELL_FUNCTION.finditer(text):
        first = text.count("\n", 0, match.start()) + 1
        yield match[1], first, match[0].count("\n") + 1


def functions(path: str, text: str) -> Iterator[Function]:
    if path.endswith(CPP):
        return cpp_functions(text)
    if path.endswith(".py"):
        return python_functions(text)
    return shell_functions(text) if path.endswith(".sh") else iter(())


class Report:
    """Prints what is too long and remembers whether anything failed."""

    def __init__(self, quiet: bool):
        self._quiet = quiet
        self.failed = False

    def check(self, where: str, what: str, size: int, limit: Limit) -> None:
        if size <= limit.warn or self._quiet and size <= limit.fail:
            return
        failed = size > limit.fail
        self.failed |= failed
        print(f"{where}: {'error' if failed else 'warning'}: {what}: {size}, "
              f"{limit.fail if failed else limit.warn} are allowed")


def check_file(root: pathlib.Path, path: str, report: Report) -> None:
    lines = read_lines(root, path)
    is_test = path.startswith("tests/")
    line_limit = TEST_LINE if is_test else LINE
    report.check(path, "lines in this file", len(lines),
                 TEST_FILE if is_test else FILE)
    for name, first, count in functions(path, "\n".join(lines) + "\n"):
        report.check(f"{path}:{first}", f"lines in {name}", count, FUNCTION)
    for number, line in enumerate(lines, 1):
        if "http" not in line:  # an address cannot be broken
            report.check(f"{path}:{number}", "columns", len(line), line_limit)


def main() -> int:
    args = sys.argv[1:]
    quiet = "--quiet" in args
    files = [arg for arg in args if arg != "--quiet"] or source_files()
    report = Report(quiet)
    for path in files:
        if path.endswith(CPP + OTHER) and "/golden/" not in path:
            check_file(ROOT, path, report)
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())
