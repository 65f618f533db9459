#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the computing functions of the simulated cuSOLVER, cuSPARSE, cuRAND.

Each hands its arguments, recognised by their names in the vendor's header, to
one Run...() (simgpu/rest/computing_call.h). Which functions compute the spec
says: those that are recorded and have a class. What writes host memory, or
prepares a later call, is written by hand or has a default body.
"""

from __future__ import annotations

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "shim" / "specs" / "generate"))

from entry_points import body_input, emit_simgpu, model, spec  # noqa: E402
from entry_points.vocabulary import LETTER_TYPES  # noqa: E402

_FILE = """\
// SPDX-License-Identifier: Apache-2.0
// GENERATED from the vendor's headers by gen_computing_functions.py. DO NOT
// EDIT.
{includes}
#include "simgpu/base/library_entry.h"
#include "simgpu/rest/computing_call.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace dltap::simgpu {{

{bodies}
}}  // namespace dltap::simgpu
"""

_BODY = """\
SIMGPU_API {result} {symbol}({parameters}) {{
  return RunEntry<{refused}>(FunctionOf<"{library}", "{symbol}">(), [&] {{
    return static_cast<{result}>(Run{camel}({handle}, {{
        .routine = "{routine}",
        .dtype = {dtype},
{fields}    }}));
  }});
}}
"""

# Library -> its status without a handle, and how a name begins.
_LIBRARIES = {
    "cusolver": ("CUSOLVER_STATUS_NOT_INITIALIZED", "handle",
                 r"cusolverDn(?P<letter>[SDCZ])?[SDCZHBXKEY]?"
                 r"(?P<routine>[a-z]\w*)"),
    "cusparse": ("CUSPARSE_STATUS_NOT_INITIALIZED", "handle",
                 r"cusparse(?P<letter>[SDCZHX](?=bsr|csr|csc|coo|ge|g[tp]sv"
                 r"|prune))?(?P<routine>\w+)"),
    "curand": ("CURAND_STATUS_NOT_INITIALIZED", "generator",
               r"curandGenerate(?P<letter>)(?P<routine>\w*)"),
}
# They answer in host memory, or prepare a later call.
_NOT_COMPUTING = re.compile(
    r"\w+(Nnz\w*|_analysis|_preprocess|_updateMatrix|_workEstimation"
    r"|_estimateMemory|_compute|_copy|_compress|nnz|csrcolor|SpMMOp)"
    r"|cusparseSpGEMM\w*|cusolver(Sp|Rf|DnIRS)\w*")

# Designated initialiser <- the first argument of these names.
_FIELDS = (
    ("m", ("m", "mb"), "int"), ("n", ("n", "nb", "num"), "int"),
    ("k", ("k", "kb"), "int"),
    ("right_sides", ("nrhs",), "int"),
    ("batch", ("batchSize", "batchCount"), "int"),
    ("nonzeros", ("nnz", "nnzA", "nnzb"), "int"),
    ("block", ("blockDim", "blockSize"), "int"),
    ("a", ("matA", "vecX"), "handle"), ("b", ("matB", "vecY"), "handle"),
    ("c", ("matC",), "handle"),
    ("transposed", ("opA",), "enum"),
)


def main() -> int:
    given = body_input.read(__doc__)
    given.out[0].write_text(_FILE.format(
        includes="\n".join(f"#include <{h}>"
                           for h in given.library.units[0].includes),
        bodies="\n".join(_body(given.library.name, f) for f in given.functions
                         if _computes(given.library, f))))
    return 0


def _computes(library: spec.LibrarySpec, function: model.Function) -> bool:
    entry = library.entry_for(function.symbol)
    return (entry.role == "record" and entry.get("class") is not None
            and function.parameter(_LIBRARIES[library.name][1]) is not None
            and not _NOT_COMPUTING.fullmatch(function.symbol))


def _body(library: str, function: model.Function) -> str:
    refused, handle, pattern = _LIBRARIES[library]
    name = re.fullmatch(pattern, function.symbol)
    if name is None:
        raise SystemExit(f"{function.symbol}: a name of another form")
    return _BODY.format(
        result=function.result.spelling, symbol=function.symbol,
        parameters=", ".join(emit_simgpu.declare(p.type.spelling, p.name)
                             for p in function.parameters),
        refused=refused, library=library, camel=library.capitalize(),
        handle=handle, routine=name["routine"],
        dtype=_dtype(function, name["letter"]),
        fields="".join(_field(function, *row) for row in _FIELDS))


def _dtype(function: model.Function, letter: str | None) -> str:
    if function.parameter("dataTypeA") is not None:
        return "specs::DTypeOfCuda(dataTypeA)"
    known = {"S": "kF32", "D": "kF64", "C": "kC64", "Z": "kC128", "H": "kF16"}
    assert known.keys() <= LETTER_TYPES.keys()
    return f"specs::DType::{known.get(letter, 'kUnknown')}"


def _field(function: model.Function, field: str, names: tuple[str, ...],
           kind: str) -> str:
    for name in names:
        parameter = function.parameter(name)
        if parameter is None or parameter.type.scalar is None:
            continue
        scalar = parameter.type.scalar.kind
        if scalar in ("int", "uint") and kind == "int":
            return f"        .{field} = static_cast<int64_t>({name}),\n"
        if scalar == "handle" and kind == "handle":
            return f"        .{field} = {name},\n"
        if scalar == "enum" and kind == "enum":
            return f"        .{field} = {name} != 0,\n"
    return ""


if __name__ == "__main__":
    sys.exit(main())
