# SPDX-License-Identifier: Apache-2.0
"""Entry points of the simulated runtime and driver that show their arguments.

CUPTI's callbacks get a call's arguments in the vendor's structure
(generated_*_meta.h). For each function that has one, the exported symbol is
generated here; the library's sources are compiled with that name led to
BODY_PREFIX + name, which it calls.
"""

from __future__ import annotations

import dataclasses
import re

from entry_points import emit_simgpu, model, text
from entry_points.catalog import Catalog, EntryPoint
from entry_points.spec import LibrarySpec

BODY_PREFIX = "simgpu_body_"


@dataclasses.dataclass(frozen=True)
class _Domain:
    name: str  # enumerator of ApiDomain
    cbid_prefix: str
    cbid_header: str
    meta_header: str


DOMAINS = {
    "cudart": _Domain("kRuntime", "CUPTI_RUNTIME_TRACE_CBID_",
                      "cupti_runtime_cbid.h",
                      "generated_cuda_runtime_api_meta.h"),
    "cuda": _Domain("kDriver", "CUPTI_DRIVER_TRACE_CBID_",
                    "cupti_driver_cbid.h", "generated_cuda_meta.h"),
}

# What nvcc emits for <<<>>> has an id but no structure; it takes the same.
_STRUCTURE_OF = {
    "__cudaLaunchKernel": "cudaLaunchKernel_v7000",
    "__cudaLaunchKernel_ptsz": "cudaLaunchKernel_ptsz_v7000",
}

_ENTRIES = """\
{heading}{defines}#pragma GCC visibility push(default)
{includes}#pragma GCC visibility pop
#include <{cbid_header}>
#include <{meta_header}>

#include "simgpu/base/call_params.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

using dltap::simgpu::ActivityWanted;
using dltap::simgpu::ApiDomain;
using dltap::simgpu::CallParams;
using dltap::simgpu::kApiCallbacks;

#define SIMGPU_ENTRY extern "C" [[gnu::visibility("default")]]
#define SIMGPU_BODY extern "C" [[gnu::visibility("hidden")]]
#define SIMGPU_SHOWN [[gnu::noinline, gnu::cold]] static

{entries}
#undef SIMGPU_SHOWN
#undef SIMGPU_BODY
#undef SIMGPU_ENTRY
"""

# The way without a client keeps its registers: a test and a jump.
_ENTRY = """\
SIMGPU_BODY {result} {body}({parameters});
SIMGPU_SHOWN {result} simgpu_shown_{symbol}({parameters}) {{
  const CallParams<{structure}_params> shown{{
      {{ApiDomain::{domain}, {cbid}}}, {arguments}}};
  return {body}({arguments});
}}
SIMGPU_ENTRY {result} {symbol}({parameters}) {{
  if (ActivityWanted(kApiCallbacks)) [[unlikely]]
    return simgpu_shown_{symbol}({arguments});
  return {body}({arguments});
}}
"""

_RENAMES = """\
{heading}// Compiled in before all else: what these files define and call under an
// exported name is its body.
{pragmas}"""


def entries_file(library: str) -> str:
    return f"simgpu_entries_{library}.cc"


def bodies_file(library: str) -> str:
    return f"simgpu/bodies_{library}.h"


def names(library: str) -> list[str]:
    return [entries_file(library), bodies_file(library)] \
        if library in DOMAINS else []


def emit(catalog: Catalog, reader, out: text.Output) -> None:
    for library, domain in DOMAINS.items():
        if library not in catalog.specs:
            continue
        spec = catalog.specs[library]
        shown = _shown(catalog.of(library), spec, domain, reader)
        out.add(entries_file(library), _entries(shown, spec, domain))
        out.add(bodies_file(library), _RENAMES.format(
            heading=text.HEADING, pragmas="".join(
                "#pragma redefine_extname "
                f"{f.symbol} {BODY_PREFIX}{f.symbol}\n" for f, _, _ in shown)))


def _shown(points: list[EntryPoint], spec: LibrarySpec, domain: _Domain,
           reader) -> list[tuple[model.Function, str, str]]:
    """Functions with CUPTI's id and the name of their structure."""
    ids = _newest(re.findall(rf"\b{domain.cbid_prefix}(\w+)\s*=",
                             reader.text(domain.cbid_header)))
    structures = set(re.findall(r"}\s*(\w+)_params;",
                                reader.text(domain.meta_header)))
    found = []
    for point in points:
        symbol = point.symbol
        structure = _STRUCTURE_OF.get(symbol, ids.get(symbol, ""))
        if symbol in ids and structure in structures and \
                symbol not in spec.added and not (
                    point.entry and point.entry.is_of_cuda11):
            found.append((point.function, domain.cbid_prefix + ids[symbol],
                          structure))
    return found


def _newest(ids: list[str]) -> dict[str, str]:
    """Ids by symbol. Those of the runtime end in the version that brought
    them, cudaMalloc_v3020; those of the driver are the symbols."""
    newest: dict[str, tuple[int, str]] = {}
    for name in ids:
        version = re.search(r"_v(\d{4,5})$", name)
        symbol = name[:version.start()] if version else name
        row = (int(version[1]) if version else 0, name)
        newest[symbol] = max(newest.get(symbol, (-1, "")), row)
    return {symbol: name for symbol, (_, name) in newest.items()}


def _entries(shown: list[tuple[model.Function, str, str]], spec: LibrarySpec,
             domain: _Domain) -> str:
    unit = spec.units[0]
    return _ENTRIES.format(
        heading=text.HEADING,
        defines="".join(f"#define {d.replace('=', ' ')}\n"
                        for d in unit.defines),
        includes="".join(f"#include <{h}>\n" for h in unit.includes),
        cbid_header=domain.cbid_header, meta_header=domain.meta_header,
        entries="\n".join(_entry(*row, domain) for row in shown))


def _entry(function: model.Function, cbid: str, structure: str,
           domain: _Domain) -> str:
    parameters = function.parameters
    return _ENTRY.format(
        result=function.result.spelling, symbol=function.symbol,
        body=BODY_PREFIX + function.symbol, structure=structure,
        domain=domain.name, cbid=cbid,
        parameters=", ".join(emit_simgpu.declare(p.type.spelling, p.name)
                             for p in parameters),
        arguments=", ".join(p.name for p in parameters))
