#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the simulated cuDNN's functions that are many of one kind.

Pooling, softmax, normalisation and the like differ in their prototypes only:
each hands its tensor descriptors, recognised by type and name in the vendor's
header, to RunStreaming() (simgpu/cudnn/streaming.h). Queries of sizes hand
theirs to WriteSize(). Convolutions have the same functions in each direction,
which hand their descriptors to conv_calls.h. Others are written by hand or have
default bodies.
"""

from __future__ import annotations

import fnmatch
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "shim" / "specs" / "generate"))

from entry_points import body_input, emit_simgpu, model  # noqa: E402

# Function -> kind of operation (opmodel). The first glob that fits is taken.
_KINDS = (
    ("cudnn*Normalization*Backward*", "kNormBackward"),
    ("cudnnDivisiveNormalization*", "kNormForward"),
    ("cudnn*Normalization*Forward*", "kNormForward"),
    ("cudnnLRN*Backward", "kNormBackward"),
    ("cudnnLRN*Forward", "kNormForward"),
    ("cudnnPoolingForward", "kPoolForward"),
    ("cudnnPoolingBackward", "kPoolBackward"),
    ("cudnnSoftmaxForward", "kSoftmaxForward"),
    ("cudnnSoftmaxBackward", "kSoftmaxBackward"),
    ("cudnnActivationForward", "kActivationForward"),
    ("cudnnActivationBackward", "kActivationBackward"),
    ("cudnnDropoutForward", "kDropoutForward"),
    ("cudnnDropoutBackward", "kDropoutBackward"),
    ("cudnnReduceTensor", "kReduction"),
    ("cudnnConvolutionBackwardBias", "kReduction"),
    ("cudnnTransformTensor*", "kLayout"),
    ("cudnnIm2Col", "kLayout"),
    ("cudnnAddTensor", "kPointwise"),
    ("cudnnOpTensor", "kPointwise"),
    ("cudnnSetTensor", "kPointwise"),
    ("cudnnScaleTensor", "kPointwise"),
    ("cudnnSpatialTfSampler*", "kPointwise"),
    ("cudnnCTCLoss*", "kReduction"),
)
_SIZES = ("cudnnGet*WorkspaceSize*", "cudnnGet*ReserveSpaceSize",
          "cudnnGetReductionIndicesSize")
_NOT_SIZES = ("cudnnGetConvolution*", "cudnnGetRNN*")
_OUTPUTS = ("ydesc", "dxdesc", "cdesc", "destdesc", "dbdesc", "gradientsdesc")

# Function -> direction and count of its algorithms.
_CONVOLUTIONS = (
    ("cudnn*ConvolutionBackwardData*", "kConvBackwardData", "BWD_DATA"),
    ("cudnn*ConvolutionBackwardFilter*", "kConvBackwardWeight", "BWD_FILTER"),
    ("cudnn*ConvolutionForward*", "kConvForward", "FWD"),
    ("cudnnConvolutionBiasActivationForward", "kConvForward", "FWD"),
)

_FILE = """\
// SPDX-License-Identifier: Apache-2.0
// GENERATED from the vendor's headers. DO NOT EDIT.
#include "simgpu/cudnn/conv_calls.h"
#include "simgpu/cudnn/streaming.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

namespace dltap::simgpu {{

{bodies}
}}  // namespace dltap::simgpu
"""

_RUN = """\
SIMGPU_API cudnnStatus_t {symbol}({parameters}) {{
  const MayWrite writes({{{written}}});
  return RunStreaming(FunctionOf<"cudnn", "{symbol}">(), handle,
                      opmodel::OpKind::{kind}, {{{inputs}}}, {{{outputs}}},
                      Rows::{rows});
}}
"""

_SIZE = """\
SIMGPU_API cudnnStatus_t {symbol}({parameters}) {{
  return WriteSize(FunctionOf<"cudnn", "{symbol}">(), {tensor}, {size});
}}
"""

_CONVOLUTION = """\
SIMGPU_API cudnnStatus_t {symbol}({parameters}) {{
  const MayWrite writes({{{written}}});
  return {call};
}}
"""


def main() -> int:
    given = body_input.read(__doc__)
    given.out[0].write_text(_FILE.format(
        bodies="\n".join(filter(None, map(_body, given.functions)))))
    return 0


def _body(function: model.Function) -> str:
    values = {"symbol": function.symbol, "parameters": ", ".join(
        emit_simgpu.declare(p.type.spelling, p.name)
        for p in function.parameters), "written": ", ".join(
        f"{{{p.name}}}" for p in function.parameters if p.type.spelling == "void *")}
    tensors = [p.name for p in function.parameters
               if "cudnnTensorDescriptor_t" in p.type.spelling
               and "*" not in p.type.spelling]
    convolution = _convolution(function, tensors)
    if convolution:
        return _CONVOLUTION.format(call=convolution, **values)
    if _matches(function, _SIZES) and not _matches(function, _NOT_SIZES):
        return _SIZE.format(tensor=tensors[0], size=_size(function), **values)
    kind = next((k for glob, k in _KINDS
                 if fnmatch.fnmatchcase(function.symbol, glob)), None)
    if kind is None or function.parameter("handle") is None:
        return ""
    outputs = [t for t in tensors if t.lower() in _OUTPUTS]
    inputs = [t for t in tensors if t not in outputs] or outputs
    # Statistics that are given need no pass of their own.
    rows = "kNone" if "Inference" in function.symbol else "kGoneOver"
    return _RUN.format(kind=kind, rows=rows, inputs=", ".join(inputs),
                       outputs=", ".join(outputs), **values)


def _convolution(function: model.Function, tensors: list[str]) -> str:
    """The call that serves it; "": it is none."""
    symbol = function.symbol
    row = next((r for r in _CONVOLUTIONS
                if fnmatch.fnmatchcase(symbol, r[0])), None)
    if row is None:
        return ""
    _, kind, direction = row
    of = f'FunctionOf<"cudnn", "{symbol}">()'
    if symbol.endswith("MaxCount"):
        return (f"CountAlgorithms({of}, count, "
                f"CUDNN_CONVOLUTION_{direction}_ALGO_COUNT)")
    x, y = tensors[0], tensors[-1]
    if kind == "kConvBackwardData":  # from dy to dx
        x, y = y, x
    filter_ = _of_type(function, "cudnnFilterDescriptor_t")
    conv = _of_type(function, "cudnnConvolutionDescriptor_t")
    arguments = f"{{opmodel::OpKind::{kind}, {x}, {filter_}, {conv}, {y}}}"
    if "Algorithm" in symbol:
        measured = "true" if symbol.startswith("cudnnFind") else "false"
        return (f"RankAlgorithms({of}, handle, {arguments}, {measured}, "
                f"requestedAlgoCount, returnedAlgoCount, perfResults)")
    if symbol.endswith("WorkspaceSize"):
        return f"WriteConvWorkspace({of}, algo, {arguments}, {_size(function)})"
    return f"RunConvolution({of}, handle, algo, {arguments})"


def _of_type(function: model.Function, name: str) -> str:
    return next(p.name for p in function.parameters
                if p.type.spelling.removeprefix("const ") == name)


def _matches(function: model.Function, globs) -> bool:
    return any(fnmatch.fnmatchcase(function.symbol, g) for g in globs)


def _size(function: model.Function) -> str:
    return next(p.name for p in function.parameters
                if p.type.spelling.replace(" ", "") == "size_t*")


if __name__ == "__main__":
    sys.exit(main())
