#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_text.py [ROOT]: what every file of the tree must look like.

The licence in the first line, guards named after the path, no tabs, no spaces
at the end of a line, no path of somebody's machine, no Markdown line above 120 columns;
the README's tables hold every environment variable that the code names, and
docs/design.md has every section that a file cites.
"""
import pathlib
import re
import sys

from source_files import ROOT, read_lines, source_files

LICENCE = "SPDX-License-Identifier: Apache-2.0"
HASH_COMMENTS = (".py", ".sh", ".cmake", "CMakeLists.txt", ".ci/run",
                 "scripts/python", ".toml", ".clang-format", ".clang-tidy")
SLASH_COMMENTS = (".h", ".cc", ".c", ".cu", ".S")
PLAIN_TEXT = (".md", ".txt", ".csv", ".json")
MARKDOWN_COLUMNS = 120
OURS = ("shim/", "opmodel/", "simgpu/", "analyzer/", "scripts/", "tests/",
        "third_party/", "docs/", ".ci/")

MACHINE_PATH = re.compile(r"(?<![\w.$}/~-])/(?:home/\w+|root|work|Users/\w+)/")
# A whole name in a literal; those that end in _ are prefixes.
VARIABLE = re.compile(r'"(DLTAP_[A-Z_]*[A-Z])(?:=[^"]*)?"')
DESIGN_SECTION = re.compile(r"docs/design\.md section (\d+)")
GUARD_MACRO = re.compile(r"#ifndef (\w+)\n#define \1\n")


def licence_line(lines: list[str]) -> bool:
    first = lines[1:2] if lines and lines[0].startswith("#!") else lines[:1]
    return bool(first) and LICENCE in first[0]


def guard_for(path: str) -> str:
    return "DLTAP_" + re.sub(r"[^A-Za-z0-9]", "_", path).upper() + "_"


def complaints(path: str, lines: list[str]) -> list[str]:
    found = []
    code = path.endswith(HASH_COMMENTS + SLASH_COMMENTS)
    if code and not licence_line(lines):
        found.append(f"{path}:1: the first line must say {LICENCE}")
    if path.endswith(".h"):
        guard = GUARD_MACRO.search("\n".join(lines[:60]) + "\n")
        if not guard or guard[1] != guard_for(path):
            found.append(f"{path}:2: include guard must be {guard_for(path)}")
    for number, line in enumerate(lines, 1):
        where = f"{path}:{number}"
        if code and "\t" in line:
            found.append(f"{where}: tab")
        if code and line != line.rstrip():
            found.append(f"{where}: space at the end of the line")
        if MACHINE_PATH.search(line):
            found.append(f"{where}: path of somebody's machine")
        # An address cannot be broken.
        if path.endswith(".md") and len(line) > MARKDOWN_COLUMNS \
                and "://" not in line:
            found.append(f"{where}: {len(line)} columns, "
                         f"at most {MARKDOWN_COLUMNS}")
    return found


def undocumented(root: pathlib.Path) -> list[str]:
    """Environment variables in the code that the README does not name."""
    readme = root / "README.md"
    if not readme.exists():
        return []
    known = set(re.findall(r"`(DLTAP_\w+)`", readme.read_text()))
    found = []
    for path in source_files(root):
        if path.startswith(("shim/", "simgpu/", "analyzer/")) and path.endswith(".cc"):
            names = VARIABLE.findall("\n".join(read_lines(root, path)))
            found += [f"{path}: {name} stands in no table of README.md"
                      for name in sorted(set(names) - known)]
    return found


def cites_nothing(path: str, lines: list[str],
                  sections: set[str]) -> list[str]:
    return [f"{path}:{number}: docs/design.md has no section {section}"
            for number, line in enumerate(lines, 1)
            for section in DESIGN_SECTION.findall(line)
            if section not in sections]


def check(root: pathlib.Path) -> list[str]:
    errors = undocumented(root)
    design = root / "docs/design.md"
    sections = set(re.findall(r"(?m)^## (\d+)\.", design.read_text())
                   if design.exists() else ())
    for path in source_files(root):
        ours = path.startswith(OURS) or "/" not in path
        if "/golden/" in path:  # byte for byte what a program writes
            continue
        if ours and path.endswith(HASH_COMMENTS + SLASH_COMMENTS + PLAIN_TEXT):
            lines = read_lines(root, path)
            errors += complaints(path, lines)
            errors += cites_nothing(path, lines, sections)
    return errors


def main() -> int:
    errors = check(pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT)
    for error in errors:
        print(error)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
