# SPDX-License-Identifier: Apache-2.0
"""What the generator knows of vendor functions, independent of libclang."""

from __future__ import annotations

import dataclasses
import re


class SpecError(Exception):
    """A spec, name list or header that cannot be used: file, key, reason."""


@dataclasses.dataclass(frozen=True)
class Unit:
    """Headers that are parsed together, and the macros they need."""

    includes: tuple[str, ...]
    defines: tuple[str, ...] = ()
    text: str = ""  # what follows the headers
    text_header: str = ""  # where generated code finds it

    def source(self) -> str:
        defines = (f"#define {d.replace('=', ' ')}" for d in self.defines)
        includes = (f"#include <{h}>" for h in self.includes)
        return "\n".join((*defines, *includes)) + f"\n{self.text}"

    @property
    def all_includes(self) -> tuple[str, ...]:
        """What generated code includes."""
        return self.includes + ((self.text_header,) if self.text else ())


@dataclasses.dataclass(frozen=True)
class Scalar:
    """A value that fits in one register: what it is and how wide."""

    kind: str  # int | uint | float | pointer | enum | handle
    width: int  # bytes
    recorded_width: int  # enums are recorded in the fewest bytes that hold them


    @property
    def abi(self) -> str:
        """The type that stands for the vendor's without its header."""
        if self.kind in ("pointer", "handle"):
            return "void*"
        if self.kind == "float":
            return "float" if self.width == 4 else "double"
        sign = "u" if self.kind == "uint" else ""
        return f"{sign}int{8 * self.width}_t"


@dataclasses.dataclass(frozen=True)
class Member:
    """A scalar inside a structure."""

    path: str  # "gridDim.x"
    offset: int
    scalar: Scalar


@dataclasses.dataclass(frozen=True)
class Struct:
    """A structure passed by value: kept as members of the same layout."""

    name: str
    size: int
    align: int
    declaration: str  # body of the ABI-equivalent structure
    members: tuple[Member, ...]  # only the scalars; arrays are left out


@dataclasses.dataclass(frozen=True)
class Pointee:
    """What a pointer parameter points to."""

    kind: str  # int | uint | float | enum | char | pointer | struct | void
    spelling: str
    const: bool
    scalar: Scalar | None  # of int, uint, float, enum, pointer
    members: tuple[Member, ...]  # of a complete structure


@dataclasses.dataclass(frozen=True)
class Type:
    spelling: str  # as the header writes it
    scalar: Scalar | None  # None: void, or a structure by value
    struct: Struct | None
    pointee: Pointee | None

    @property
    def is_void(self) -> bool:
        return self.scalar is None and self.struct is None


@dataclasses.dataclass(frozen=True)
class Parameter:
    name: str
    type: Type


@dataclasses.dataclass(frozen=True)
class Function:
    symbol: str  # raw exported name
    result: Type
    parameters: tuple[Parameter, ...]
    unit: int  # index of the header unit that declares it
    variadic: bool = False
    header: str = ""  # file name of the header that declares it

    def parameter(self, name: str) -> Parameter | None:
        return next((p for p in self.parameters if p.name == name), None)

    @property
    def identifier(self) -> str:
        return identifier_of(self.symbol)


def identifier_of(symbol: str) -> str:
    """The enumerator of a symbol: cudaMalloc is kCudaMalloc."""
    bare = symbol.lstrip("_")
    prefix = "kInternal" if bare != symbol else "k"
    return prefix + bare[0].upper() + re.sub(r"__+", "_", bare[1:])
