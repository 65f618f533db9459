#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes vocabulary.h: the lists of shim/specs/vocabulary.toml as enums.

usage: gen_vocabulary.py OUT.h
"""

from __future__ import annotations

import dataclasses
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from entry_points import text  # noqa: E402
from entry_points import vocabulary  # noqa: E402
from entry_points.vocabulary import Vocabulary, Word  # noqa: E402


@dataclasses.dataclass(frozen=True)
class Column:
    """What is known of each word of a list: a constant array."""

    key: str
    name: str
    type: str
    default: object = None


@dataclasses.dataclass(frozen=True)
class List:
    table: str
    enum: str
    about: str
    type: str = "uint8_t"
    has_count: bool = False  # a last enumerator kCount
    columns: tuple[Column, ...] = ()


_TEXT = "const char*"

LISTS = (
    List("library", "Library", "The vendor library that exports a function."),
    List("role", "Role", "What the tap does with calls of a function."),
    List("kind", "Kind", "What a call does."),
    List("arg_kind", "ArgKind",
         "How the bytes of a recorded argument are read. Written to traces."),
    List("layer_class", "LayerClass",
         "Classes of layers, in the order of reports when times are equal.",
         has_count=True),
    List("direction", "Direction", "Forward, backward or update.",
         has_count=True),
    List("copy_kind", "CopyKind", "From where to where a copy goes.",
         columns=(Column("text", "kTexts", _TEXT),)),
    List("op_kind", "OpKind",
         "What an operation computes. Written to traces.", "uint16_t",
         columns=(Column("class", "kClasses", "LayerClass"),
                  Column("direction", "kDirections", "Direction", "none"))),
    List("rnn_cell", "RnnCell", "Cell of an RNN. Written to traces."),
    List("dtype", "DType",
         "Element type of tensors and of the arithmetic. Written to traces.",
         columns=(Column("bits", "kBits", "uint8_t"),)),
    List("dim", "Dim", "Dimensions of an operation. Written to traces.",
         has_count=True, columns=(Column("short", "kShortNames", _TEXT),)),
)
_LIST_OF_ENUM = {row.enum: row.table for row in LISTS}

_HEADER = """\
#include <cstdint>

// The words of the project. Plain constants: the tap, which has no C++ run-time
// library, includes them too. shim/specs/words.h finds a word by its name.
namespace dltap::specs {{

// kNames by enumerator number; "": no such number.
template <typename Enum>
struct Words;
{lists}{routes}{meaning}{dtypes}
}}  // namespace dltap::specs
"""

_LIST = """
// {about}
enum class {enum} : {type} {{
{enumerators}}};
template <>
struct Words<{enum}> {{
  static constexpr int kCount = {size};
{columns}}};
"""

_COLUMN = """\
  static constexpr {type} {name}[kCount] = {{
{values}  }};
"""

_ROUTES = """
// Ways by which applications reach a function; bits of EntryPointInfo.routes.
{rows}"""

_MEANING = """
// What a recorded argument means. Written to traces.
enum class Meaning : uint8_t {{
{enumerators}}};
// This and the number of a Dim: an argument that holds it.
inline constexpr int kFirstDimMeaning = {first};
"""

_DTYPES = """
// The vendor's enumerator of an element type; kUnknown for all others.
constexpr DType DTypeOf{vendor}(int64_t code) {{
  switch (code) {{
{cases}    default: return DType::kUnknown;
  }}
}}
"""


def header(words: Vocabulary, file: str) -> str:
    return text.header(file, _HEADER.format(
        lists="".join(_list(words, row) for row in LISTS),
        routes=_routes(words), meaning=_meaning(words),
        dtypes=_dtypes(words))).replace(
            "*.toml and the vendor headers by\n// gen_entry_points.py",
            "vocabulary.toml by gen_vocabulary.py")


def _list(words: Vocabulary, row: List) -> str:
    found = words.lists[row.table]
    enumerators = [f"  {word.enumerator} = {word.number},\n" for word in found]
    if row.has_count:
        enumerators.append("  kCount\n")
    holes = [None] * found[0].number
    columns = [_column("kNames", _TEXT, [*holes, *found], _name)]
    columns += [_column(c.name, c.type, [*holes, *found],
                        lambda word, c=c: _value(words, word, c))
                for c in row.columns]
    return _LIST.format(about=row.about, enum=row.enum, type=row.type,
                        enumerators="".join(enumerators),
                        size=len(holes) + len(found),
                        columns="".join(columns))


def _column(name: str, type_: str, found: list[Word | None], value) -> str:
    values = "".join(f"      {value(word)},\n" for word in found)
    return _COLUMN.format(type=type_, name=name, values=values)


def _name(word: Word | None) -> str:
    return text.quoted(word.name if word else "")


def _value(words: Vocabulary, word: Word | None, column: Column) -> str:
    """A constant of the column's type; a text's default is the word."""
    value = word.more.get(column.key, column.default) if word else None
    if column.type == _TEXT:
        fallback = word.name if word else ""
        return text.quoted(fallback if value is None else value)
    if column.type in _LIST_OF_ENUM:
        named = {w.name: w.enumerator
                 for w in words.lists[_LIST_OF_ENUM[column.type]]}
        return f"{column.type}::{named[value]}"
    return str(value)


def _routes(words: Vocabulary) -> str:
    return _ROUTES.format(rows="".join(
        f"inline constexpr uint8_t kRoute{text.camel(word.name)} = "
        f"1 << {word.number};\n" for word in words.lists["route"]))


def _meaning(words: Vocabulary) -> str:
    rows = sorted((word.number, f"{key}.{word.name}" if key else word.name)
                  for key, group in words.meanings.items() for word in group)
    enumerators = "".join(
        f"  {vocabulary.meaning_enumerator(name)} = {number},\n"
        for number, name in rows)
    return _MEANING.format(first=vocabulary.FIRST_DIM_MEANING,
                           enumerators=enumerators)


def _dtypes(words: Vocabulary) -> str:
    named = {w.name: w.enumerator for w in words.lists["dtype"]}
    return "".join(_DTYPES.format(
        vendor=text.camel(vendor), cases="".join(
            f"    case {number}: return DType::{named[dtype]};  // {spelling}\n"
            for spelling, (number, dtype) in rows.items()))
        for vendor, rows in words.vendor_dtypes.items())


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    path = pathlib.Path(sys.argv[1])
    path.write_text(header(vocabulary.VOCABULARY, path.name))
    return 0


if __name__ == "__main__":
    sys.exit(main())
