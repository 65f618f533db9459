#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the simulated cuBLAS's computing functions.

Each one hands its arguments, recognised by their names in the vendor's header,
to RunBlas() (simgpu/cublas/blas_call.h). Functions that compute nothing
are written by hand or have default bodies.
"""

from __future__ import annotations

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "shim" / "specs" / "generate"))

from entry_points import body_input, emit_simgpu, model  # noqa: E402

_FILE = """\
// SPDX-License-Identifier: Apache-2.0
// GENERATED from the vendor's headers by gen_blas_entry_points.py. DO NOT EDIT.
#include <{include}>

#include "simgpu/cublas/blas_call.h"
#include "simgpu/base/library_entry.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

namespace dltap::simgpu {{
namespace {{
using opmodel::DType;
}}  // namespace

{bodies}
}}  // namespace dltap::simgpu
"""

_BODY = """\
SIMGPU_API {result} {symbol}({parameters}) {{
  ApiFunction& function = FunctionOf<"cublas", "{symbol}">();
  const int status = RunEntry<kBlasNotInitialized>(function, [&]() -> int {{
    return RunBlas({handle}, {{
        .routine = "{routine}",
        .dtype = DType::{dtype},
{fields}    }});
  }});
  {final}
}}
"""

_NAME = re.compile(
    r"cublas(?P<letters>I[sdcz]?(?=am)|(Sc|Dz)(?=asum|nrm2)|(Cs|Zd)(?=scal|rot)"
    r"|HSH|HSS|TST|TSS"
    r"|(?!(Dotc?|Scal|Copy|Swap)Ex)[SDCZH])?"
    r"(?P<routine>[a-zA-Z]\w*?)(?P<tail>(_v2)?(_64)?)")
_LETTERS = {"S": "kF32", "D": "kF64", "C": "kC64", "Z": "kC128", "H": "kF16",
            "T": "kBf16"}
_NOT_COMPUTING = re.compile(
    r"cublas([GS]et[A-Z]|Create|Destroy|Init|Shutdown|Alloc|Free|Logger|Xerbla"
    r"|Migrate|[SD]rotm?g|[CZ]rotg|Rotm?gEx)")

# Of general products only, in the order of BlasArguments.
_MATRICES = {"alpha": "alpha", "a": "A", "lda": "lda", "stride_a": "strideA",
             "b": "B", "ldb": "ldb", "stride_b": "strideB", "beta": "beta",
             "c": "C", "c_type": "Ctype", "ldc": "ldc", "stride_c": "strideC"}

# Parameter of the header -> designated initialiser, in the order of
# BlasArguments. The first that the function has is taken.
_FIELDS = (
    ("m", ("m",), "{}"), ("n", ("n",), "{}"), ("k", ("k",), "{}"),
    ("right_sides", ("nrhs",), "{}"),
    ("batch", ("batchCount", "batchSize"), "{}"),
    ("trans_a", ("transa", "trans"), "IsTransposed({})"),
    ("trans_b", ("transb",), "IsTransposed({})"),
    ("right_side", ("side", "mode"), "IsRight({})"),
    ("a_type", ("Atype", "xType", "abType"), "{}"),
    ("compute_type", ("computeType",), "{}"),
    *((field, (name,), "{}") for field, name in _MATRICES.items()),
    ("y", ("y",), "{}"), ("result", ("result",), "{}"),
    ("result_bytes", ("result",), "ResultBytes({})"),
    ("info", ("info",), "{}"),
    ("group_count", ("group_count",), "{}"),
    ("m_array", ("m_array",), "{}"), ("n_array", ("n_array",), "{}"),
    ("k_array", ("k_array",), "{}"),
    ("group_sizes", ("group_size",), "{}"),
    ("trans_a_array", ("transa_array",), "{}"),
    ("trans_b_array", ("transb_array",), "{}"),
)


def main() -> int:
    given = body_input.read(__doc__)
    for unit, path in enumerate(given.out):
        path.write_text(_FILE.format(
            include=given.library.units[unit].includes[0],
            bodies="\n".join(_body(f) for f in given.functions
                             if f.unit == unit and _computes(f))))
    return 0


def _computes(function: model.Function) -> bool:
    return (not _NOT_COMPUTING.match(function.symbol)
            and any(function.parameter(p) for p in ("n", "n_array")))


def _body(function: model.Function) -> str:
    name = _NAME.fullmatch(function.symbol)
    letters = name["letters"] or ""
    dtype = _LETTERS.get(letters[-1:].upper() if letters.startswith("I")
                         else letters[:1], "kUnknown")
    legacy = function.parameter("handle") is None
    routine = name["routine"]
    return _BODY.format(
        result=function.result.spelling, symbol=function.symbol,
        parameters=", ".join(emit_simgpu.declare(p.type.spelling, p.name)
                             for p in function.parameters),
        handle="&LegacyBlasHandle()" if legacy else "handle",
        routine=routine[0].lower() + routine[1:], dtype=dtype,
        fields="".join(_field(function, *row) for row in _FIELDS)
        + ("        .wide_indices = true,\n"
           if function.symbol.endswith("_64") else ""),
        final=_final(function))


def _field(function: model.Function, field: str, names: tuple[str, ...],
           form: str) -> str:
    for name in names:
        parameter = function.parameter(name)
        if parameter is None:
            continue
        if field in _MATRICES and not _is_product(function):
            continue
        if field == "y" and "const" in parameter.type.spelling:
            continue
        if field == "info" and parameter.type.pointee.kind != "int":
            continue
        if field == "right_side" and parameter.type.scalar is None:
            continue
        return f"        .{field} = {form.format(name)},\n"
    return ""


def _is_product(function: model.Function) -> bool:
    return all(function.parameter(p) for p in ("handle", "transb", "C"))


def _final(function: model.Function) -> str:
    if function.result.spelling == "cublasStatus_t":
        return "return static_cast<cublasStatus_t>(status);"
    if function.result.is_void:
        return "static_cast<void>(status);"
    return "static_cast<void>(status);\n  return {};"


if __name__ == "__main__":
    sys.exit(main())
