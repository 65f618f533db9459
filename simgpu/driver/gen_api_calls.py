#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes exported functions of the simulated driver or runtime.

A list (call_lists.py) says what a function needs before its body may run; the body
is a C++ function of its name, body::StreamQuery() for cuStreamQuery. From the
vendor's header come the exported function, its per-thread variants (_ptsz,
_ptds), which give the body another default stream, and the declarations of the
bodies.
"""

from __future__ import annotations

import argparse
import dataclasses
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "shim" / "specs" / "generate"))

import alike  # noqa: E402
import call_lists  # noqa: E402
from entry_points import emit_simgpu, headers, model, spec  # noqa: E402

_HEADING = """\
// SPDX-License-Identifier: Apache-2.0
// GENERATED from calls.toml and the vendor's header by gen_api_calls.py. DO NOT
// EDIT.
"""

_BODIES = """\
#ifndef DLTAP_GENERATED_{guard}_BODIES_H_
#define DLTAP_GENERATED_{guard}_BODIES_H_

{includes}
namespace dltap::simgpu::body {{

{declarations}
}}  // namespace dltap::simgpu::body

#endif  // DLTAP_GENERATED_{guard}_BODIES_H_
"""

_CALLS = """\
#include <bit>

{includes}
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

using namespace dltap::simgpu;

{sizes}
{calls}"""

_CALL = """\
{result} {symbol}({parameters}) {{
  return {start}[&]({given}) {{
    return {body};
  }});
}}
"""

_VARIANT = re.compile(r"_pt[sd][sz]$")
_LEGACY, _PER_THREAD = "DefaultStream::kLegacy", "DefaultStream::kPerThread"


@dataclasses.dataclass(frozen=True)
class Api:
    """How one of the two libraries writes its functions."""

    prefix: str
    result: str
    run: str  # template of a call
    needs: dict[str, str]  # key of a list -> C++
    stream: str  # its type
    header: str
    bodies: str  # what declares its own bodies
    types: tuple[str, ...]  # headers that the declarations need


APIS = {
    "cuda": Api("cu", "CUresult", "Driver",
                {"nothing": "DriverNeeds::kNothing",
                 "devices": "DriverNeeds::kInit",
                 "context": "DriverNeeds::kContext"},
                "CUstream", "simgpu/driver/driver_call.h", "driver_bodies.h",
                ("simgpu/base/error.h", "simgpu/driver/driver_header.h",
                 "simgpu/stream/stream.h")),
    "cudart": Api("cuda", "cudaError_t", "Runtime",
                  {"nothing": "Needs::kNothing", "devices": "Needs::kDriver",
                   "context": "Needs::kContext"},
                  "cudaStream_t", "simgpu/cudart/runtime_call.h",
                  "runtime_bodies.h",
                  ("simgpu/base/error.h", "simgpu/cudart/driver_table.h",
                   "simgpu/cudart/runtime_header.h",
                   "simgpu/stream/stream.h")),
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add = parser.add_argument
    add("--specs", type=pathlib.Path, required=True)
    add("--include", type=pathlib.Path, action="append", default=[])
    add("--compiler", default="g++")
    add("--library", choices=APIS, required=True)
    add("--lists", type=pathlib.Path, nargs="+", required=True,
        help="calls.toml of the library, and of the driver")
    add("--table", type=pathlib.Path, help="driver_table.h")
    add("--bodies", type=pathlib.Path, required=True, help="header to write")
    add("--calls", type=pathlib.Path, required=True, help="source to write")
    options = parser.parse_args()
    try:
        writer = Writer(options)
        options.bodies.write_text(_HEADING + writer.bodies())
        options.calls.write_text(_HEADING + writer.calls())
    except model.SpecError as error:
        print(f"gen_api_calls: {error}", file=sys.stderr)
        return 1
    return 0


class Writer:
    def __init__(self, options: argparse.Namespace):
        self._api = APIS[options.library]
        self._name = options.library
        self._functions = {library: _functions(options, library)
                           for library in APIS}
        self._entries = call_lists.load(options.lists[0], self._api.prefix)
        driver = call_lists.load(options.lists[-1], APIS["cuda"].prefix)
        self._driver_bodies: dict[str, list[call_lists.Entry]] = {}
        for entry in driver:
            self._driver_bodies.setdefault(entry.target, []).append(entry)
        self._members = call_lists.members(options.table) if options.table else {}
        self._same_size: dict[str, str] = {}
        for entry in self._entries:
            if entry.symbol not in self._functions[self._name]:
                raise model.SpecError(
                    f"{options.lists[0]}: no function {entry.symbol}")

    def bodies(self) -> str:
        declarations = dict.fromkeys(
            self._declaration(e) for e in self._entries if e.table == "own")
        return _BODIES.format(guard=self._api.run.upper(),
                              includes=_includes(self._api.types),
                              declarations="".join(declarations))

    def calls(self) -> str:
        calls = [self._call(e, symbol) for e in self._entries
                 for symbol in self._variants(e.symbol)]
        includes = [self._api.header, self._api.bodies]
        if self._name == "cudart":
            includes += ["simgpu/driver/driver_header.h", "driver_bodies.h"]
        return _CALLS.format(
            includes=_includes(includes),
            sizes="".join(f"static_assert(sizeof({a}) == sizeof({b}));\n"
                          for a, b in sorted(self._same_size.items())),
            calls="\n".join(calls))

    def _variants(self, symbol: str) -> list[str]:
        known = self._functions[self._name]
        return [symbol] + [symbol + v for v in ("_ptsz", "_ptds")
                           if symbol + v in known]

    def _is_stream(self, parameter: model.Parameter) -> bool:
        return parameter.type.spelling == self._api.stream

    def _first(self, entry: call_lists.Entry) -> list[str]:
        """Types that a body has before the function's own arguments."""
        has_variants = len(self._variants(entry.symbol)) > 1
        if entry.needs == "table":
            return ["const DriverStreamTable&" if has_variants
                    else "const DriverTable&"]
        return ["DefaultStream"] if has_variants and entry.needs != "stream" \
            else []

    def _declaration(self, entry: call_lists.Entry) -> str:
        function = self._functions[self._name][entry.symbol]
        types = self._first(entry)
        streams = 0
        for parameter in function.parameters:
            is_stream = entry.needs == "stream" and \
                self._is_stream(parameter)
            streams += is_stream
            types.append("Stream& " + parameter.name if is_stream else
                         emit_simgpu.declare(parameter.type.spelling,
                                             parameter.name))
        if entry.needs == "stream" and not streams:
            types.append("Stream& stream")
        return f"Error {entry.target}({', '.join(types)});\n"

    def _call(self, entry: call_lists.Entry, symbol: str) -> str:
        function = self._functions[self._name][symbol]
        null = _PER_THREAD if _VARIANT.search(symbol) else _LEGACY
        start, given, first = self._start(entry, function, null)
        arguments = self._arguments(entry, function)
        if entry.table == "forward":
            call = f"FromDriver(driver.{self._members[entry.target]}"
            body = f"{call}({', '.join(arguments)}))"
        else:
            if entry.needs == "stream" and "on" not in arguments:
                arguments.append("on")
            body = f"body::{entry.target}({', '.join(first + arguments)})"
        return _CALL.format(
            result=self._api.result, symbol=symbol, start=start, given=given,
            body=body, parameters=", ".join(
                emit_simgpu.declare(p.type.spelling, p.name)
                for p in function.parameters))

    def _start(self, entry: call_lists.Entry, function: model.Function,
               null: str) -> tuple[str, str, list[str]]:
        """The template that runs the body, what it gives to the lambda, and
        what of it the body gets."""
        symbol = function.symbol
        has_variants = len(self._variants(entry.symbol)) > 1
        if entry.needs == "table":
            first = ["driver"] if entry.table == "own" else []
            if has_variants:
                return (f'ByDriverOnStream<"{symbol}", {null}>(',
                        "const DriverStreamTable& driver", first)
            return (f'ByDriver<"{symbol}">(', "const DriverTable& driver",
                    first)
        if entry.needs == "stream":
            handle = next((p.name for p in function.parameters
                           if self._is_stream(p)), "nullptr")
            return f'OnStream<"{symbol}", {null}>({handle}, ', "Stream& on", []
        needs = self._api.needs[entry.needs]
        return (f'{self._api.run}<"{symbol}">({needs}, ', "",
                [null] if has_variants else [])

    def _arguments(self, entry: call_lists.Entry, function: model.Function) -> list[str]:
        targets = None
        if entry.table == "forward":
            targets = self._functions["cuda"][entry.target].parameters
            if not alike.arguments(function.parameters, targets):
                raise _not_alike(function.symbol, entry.target)
        elif entry.table == "shared":
            targets = self._twin(function, entry.target).parameters
        arguments = []
        for i, parameter in enumerate(function.parameters):
            if entry.needs == "stream" and self._is_stream(parameter):
                arguments.append("on")
            elif targets is None:
                arguments.append(parameter.name)
            else:
                self._note_sizes(parameter.type, targets[i].type)
                arguments.append(_handed(parameter, targets[i]))
        return arguments

    def _twin(self, function: model.Function, body: str) -> model.Function:
        """The driver's function with that body and the same arguments."""
        for entry in reversed(self._driver_bodies.get(body, [])):
            twin = self._functions["cuda"][entry.symbol]
            if alike.arguments(function.parameters, twin.parameters):
                return twin
        raise _not_alike(function.symbol, f"body::{body}")

    def _note_sizes(self, ours: model.Type, theirs: model.Type) -> None:
        if ours.pointee and ours.pointee.kind == "struct":
            a, b = (t.pointee.spelling.removeprefix("const ")
                    for t in (ours, theirs))
            if a != b:
                self._same_size[a] = b


def _includes(names) -> str:
    return "".join(f'#include "{name}"\n' for name in names)


def _not_alike(symbol: str, other: str) -> model.SpecError:
    return model.SpecError(f"{symbol}: no {other} has arguments like these")


def _functions(options: argparse.Namespace,
               library: str) -> dict[str, model.Function]:
    loaded = spec.load(options.specs / f"{library}.toml")
    reader = headers.HeaderReader(options.include, options.compiler)
    return {f.symbol: f for f in reader.functions(
        loaded.units, loaded.symbols, loaded.file)}


def _handed(ours: model.Parameter, theirs: model.Parameter) -> str:
    same = ours.type.spelling == theirs.type.spelling
    if same or (ours.type.scalar and theirs.type.scalar
                and alike.widens(ours.type.scalar, theirs.type.scalar)):
        return ours.name
    return f"std::bit_cast<{theirs.type.spelling}>({ours.name})"


if __name__ == "__main__":
    sys.exit(main())
