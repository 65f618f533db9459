#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the functions of the simulated cuBLASLt's descriptors.

Each kind of descriptor is created, placed in the program's memory, asked,
changed and destroyed alike: the functions hand their arguments to templates of
simgpu/cublas/lt_descriptors.h, which know the kind by its type.
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
// GENERATED from the vendor's headers by gen_lt_entry_points.py. DO NOT EDIT.
#include "simgpu/base/library_entry.h"
#include "simgpu/cublas/lt_descriptors.h"

namespace dltap::simgpu {{

{bodies}
}}  // namespace dltap::simgpu
"""

_BODY = """\
SIMGPU_API cublasStatus_t {symbol}({parameters}) {{
  return RunEntry<CUBLAS_STATUS_NOT_INITIALIZED>(
      FunctionOf<"cublaslt", "{symbol}">(),
      [&] {{ return {call}Lt({arguments}); }});
}}
"""

_NAME = re.compile(
    r"cublasLt(MatrixLayout|MatmulDesc|MatmulPreference|MatrixTransformDesc"
    r"|MatmulAlgoConfig)"
    r"(?P<call>Create|Init_internal|Destroy|SetAttribute|GetAttribute)")


def main() -> int:
    given = body_input.read(__doc__)
    given.out[0].write_text(_FILE.format(
        bodies="\n".join(filter(None, map(_body, given.functions)))))
    return 0


def _body(function: model.Function) -> str:
    name = _NAME.fullmatch(function.symbol)
    if name is None:
        return ""
    return _BODY.format(
        symbol=function.symbol, call=name["call"].removesuffix("_internal"),
        parameters=", ".join(emit_simgpu.declare(p.type.spelling, p.name)
                             for p in function.parameters),
        arguments=", ".join(p.name for p in function.parameters))


if __name__ == "__main__":
    sys.exit(main())
