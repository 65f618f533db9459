# SPDX-License-Identifier: Apache-2.0
"""Reads an optimized program of XLA, as `compiled.as_text()` has it."""

import dataclasses
import re

COMPUTATION = re.compile(r"^(ENTRY )?%?([\w.\-]+) \(.*\{\s*$")
INSTRUCTION = re.compile(r"^\s+(?:ROOT )?%([\w.\-]+) = (.*)$")
OPCODE = re.compile(r"(?:^|\s)([a-z][a-z0-9\-]*)\(")
CALLED = re.compile(r"calls=%?([\w.\-]+)")
PATH = re.compile(r'op_name="([^"]*)"')
TARGET = re.compile(r'custom_call_target="([^"]*)"')
NO_WORK = {"parameter", "constant", "bitcast", "tuple", "get-tuple-element",
           "broadcast", "fusion", "iota", "reshape"}


@dataclasses.dataclass
class Instruction:
    name: str
    opcode: str
    path: str = ""  # in the program that was traced
    target: str = ""
    called: list = dataclasses.field(default_factory=list)


def first(pattern, text) -> str:
    found = pattern.search(text)
    return found[1] if found else ""


class Program:
    def __init__(self, text: str):
        self.computations = {}
        inside = None
        for line in text.splitlines():
            if header := COMPUTATION.match(line):
                inside = self.computations.setdefault(header[2], [])
            elif line.startswith("}"):
                inside = None
            elif inside is not None and (row := INSTRUCTION.match(line)):
                rest = re.sub(r"/\*.*?\*/", "", row[2])
                inside.append(Instruction(
                    row[1], first(OPCODE, rest), first(PATH, rest),
                    first(TARGET, rest), CALLED.findall(rest)))

    def instructions(self):
        return [one for rows in self.computations.values() for one in rows]

    def kernels(self) -> dict:
        """Kernel's name -> its fusion; only library calls have others."""
        return {re.sub(r"[.\-]", "_", one.name): one
                for one in self.instructions() if one.opcode == "fusion"}

    def work_of(self, fusion: Instruction) -> list[Instruction]:
        """The instructions inside that compute or move anything."""
        found = []
        for name in fusion.called:
            for one in self.computations.get(name, []):
                found += self.work_of(one)
                if one.opcode not in NO_WORK:
                    found.append(one)
        return found
