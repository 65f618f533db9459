# SPDX-License-Identifier: Apache-2.0
"""Simulated libraries that are a thin front over sub-libraries, as the vendor's
cuDNN: which function lies in which part, and a version script for each part."""

from __future__ import annotations

import fnmatch

from entry_points import model, text
from entry_points.catalog import EntryPoint
from entry_points.spec import LibrarySpec

_FORWARD = """\
{heading}// DLTAP_FORWARD(index, symbol, sub-library, returns a status)
{rows}"""


def forward_file(library: str) -> str:
    return f"simgpu_forward_{library}.inc"


def script_file(profile: str, library: str, part: str) -> str:
    return f"simgpu/{profile}/{library}_{part}.lds"


# cuDNN 8 has other parts: its functions are in one simulated library.
PROFILES = ("cuda13", "cuda12")


def file_names(spec: LibrarySpec) -> list[str]:
    if not spec.parts:
        return []
    return [forward_file(spec.name)] + [
        script_file(profile, spec.name, part)
        for profile in PROFILES for part in spec.parts]


def soname_of(spec: LibrarySpec, profile: str, part: str) -> str:
    """libcudnn.so.9 is the front of libcudnn_graph.so.9."""
    return spec.sonames[profile].replace(".so", f"_{part}.so", 1)


def part_of(spec: LibrarySpec, function: model.Function) -> str:
    for part, headers in spec.parts.items():
        if any(fnmatch.fnmatchcase(function.header, h) for h in headers):
            return part
    raise model.SpecError(f"{spec.file}: [library] parts: {function.symbol} "
                          f"of {function.header} is in none")


def emit(spec: LibrarySpec, points: list[EntryPoint], write_script,
         out: text.Output) -> None:
    """`write_script` makes a version script of (spec, SONAME, points)."""
    if not spec.parts:
        return
    part = {p.symbol: part_of(spec, p.function) for p in points}
    out.add(forward_file(spec.name), _FORWARD.format(
        heading=text.HEADING,
        rows="".join(f"DLTAP_FORWARD({i}, {p.symbol}, {part[p.symbol]}, "
                     f"{_gives_status(p)})\n" for i, p in enumerate(points))))
    for profile in PROFILES:
        for name in spec.parts:
            out.add(script_file(profile, spec.name, name), write_script(
                spec, soname_of(spec, profile, name),
                [p for p in points if part[p.symbol] == name]))


def _gives_status(point: EntryPoint) -> str:
    scalar = point.function.result.scalar
    return text.boolean(scalar is not None and scalar.kind == "enum")
