# SPDX-License-Identifier: Apache-2.0
"""The words that specs may use, out of shim/specs/vocabulary.toml."""

from __future__ import annotations

import dataclasses
import pathlib
import tomllib

from entry_points import model, text

FILE = pathlib.Path(__file__).resolve().parents[2] / "vocabulary.toml"

# 64 + the number of a dimension is the meaning of an argument that holds it.
FIRST_DIM_MEANING = 64
_LAST_DIM_MEANING = 127
_LAST_MEANING = 255
# Tables that are no plain lists.
_MEANING, _VENDOR_DTYPE = "meaning", "vendor_dtype"
# The lists, and what a word of each may say beside `number` and `enumerator`.
_KEYS = {
    "library": (), "role": (), "kind": ("work",), "route": (),
    "layer_class": (), "direction": (), "copy_kind": ("spec", "text"),
    "arg_kind": (), "op_kind": ("class", "direction"), "rnn_cell": (),
    "dtype": ("bits",), "dim": ("short",),
}
_OF_OPERATIONS = {"class": "layer_class", "direction": "direction"}


@dataclasses.dataclass(frozen=True)
class Word:
    """One line of a list."""

    name: str
    number: int
    more: dict

    @property
    def enumerator(self) -> str:
        return "k" + self.more.get("enumerator", text.camel(self.name))


@dataclasses.dataclass(frozen=True)
class Vocabulary:
    lists: dict[str, tuple[Word, ...]]
    # Spec key ("" for the keys that are words themselves) -> its words.
    meanings: dict[str, tuple[Word, ...]]
    # Vendor enumeration -> spelling -> (number, word of [dtype]).
    vendor_dtypes: dict[str, dict[str, tuple[int, str]]]

    def names(self, name: str) -> tuple[str, ...]:
        return tuple(word.name for word in self.lists[name])

    def numbers(self, name: str) -> dict[str, int]:
        return {word.name: word.number for word in self.lists[name]}


def load(path: pathlib.Path = FILE) -> Vocabulary:
    """Reads the file; every error names it and the list."""
    try:
        tables = tomllib.loads(path.read_text())
    except tomllib.TOMLDecodeError as error:
        raise model.SpecError(f"{path.name}: {error}") from error
    meanings = tables.pop(_MEANING)
    vendors = tables.pop(_VENDOR_DTYPE)
    lists = {name: _words(name, table) for name, table in tables.items()}
    loaded = Vocabulary(
        lists, _meanings(meanings, lists["dim"]),
        {vendor: {spelling: tuple(row) for spelling, row in rows.items()}
         for vendor, rows in vendors.items()})
    _check_keys(path.name, loaded)
    _check_lists(path.name, loaded)
    _check_meanings(path.name, loaded)
    _check_dtypes(path.name, loaded)
    return loaded


def _words(name: str, table: dict) -> tuple[Word, ...]:
    words = []
    for word, value in table.items():
        more = dict(value) if isinstance(value, dict) else {"number": value}
        words.append(Word(word, more.pop("number", None), more))
    return tuple(words)


def _meanings(table: dict, dims: tuple[Word, ...]) -> dict:
    plain = {k: v for k, v in table.items() if not isinstance(v, dict)}
    groups = {k: v for k, v in table.items() if isinstance(v, dict)}
    found = {"": _words(_MEANING, plain)}
    for key, words in groups.items():
        found[key] = _words(key, words)
    found["dims"] += tuple(Word(d.name, FIRST_DIM_MEANING + d.number, {})
                           for d in dims)
    return found


def _check_keys(file: str, loaded: Vocabulary) -> None:
    if loaded.lists.keys() != _KEYS.keys():
        odd = ", ".join(sorted(loaded.lists.keys() ^ _KEYS.keys()))
        raise model.SpecError(f"{file}: missing or unknown list: {odd}")
    for name, words in loaded.lists.items():
        for word in words:
            where = f"{file}: [{name}]: {word.name}"
            for key in word.more.keys() - {"enumerator", *_KEYS[name]}:
                raise model.SpecError(f"{where}: unknown key '{key}'")
            for key, of in _OF_OPERATIONS.items() if name == "op_kind" else ():
                value = word.more.get(key, "none")
                if value not in loaded.names(of):
                    raise model.SpecError(
                        f"{where}: {key} '{value}' is no word of [{of}]")


def _check_lists(file: str, loaded: Vocabulary) -> None:
    for name, words in loaded.lists.items():
        first = 1 if words[0].number == 1 else 0
        for number, word in enumerate(words, first):
            if word.number != number:
                raise model.SpecError(
                    f"{file}: [{name}]: {word.name} = {word.number!r}, but "
                    f"its place in the list is {number}")


def _check_meanings(file: str, loaded: Vocabulary) -> None:
    taken: dict[int, str] = {}
    for key, words in loaded.meanings.items():
        for word in words:
            name = f"{key}.{word.name}"
            is_dim = FIRST_DIM_MEANING <= word.number <= _LAST_DIM_MEANING
            if not 0 <= word.number <= _LAST_MEANING or (
                    is_dim and key != "dims"):
                raise model.SpecError(f"{file}: [meaning]: {name} = "
                                      f"{word.number} is out of range")
            if taken.setdefault(word.number, name) != name:
                raise model.SpecError(
                    f"{file}: [meaning]: {name} and {taken[word.number]} "
                    f"have the same number")


def _check_dtypes(file: str, loaded: Vocabulary) -> None:
    known = loaded.names("dtype")
    for vendor, rows in loaded.vendor_dtypes.items():
        for spelling, (_, dtype) in rows.items():
            if dtype not in known:
                raise model.SpecError(f"{file}: [vendor_dtype.{vendor}]: "
                                      f"{spelling}: no dtype '{dtype}'")


try:
    VOCABULARY = load()
except model.SpecError as wrong:  # each generator comes by here: one line
    raise SystemExit(str(wrong)) from None

LIBRARIES = VOCABULARY.names("library")
LIBRARY_NUMBERS = VOCABULARY.numbers("library")
ROLE_NUMBERS = VOCABULARY.numbers("role")
# What an entry may say: `unknown` is a function without one.
ROLES = tuple(role for role in ROLE_NUMBERS if role != "unknown")
CLASSES = VOCABULARY.names("layer_class")
DIRECTIONS = VOCABULARY.names("direction")
KINDS = VOCABULARY.names("kind")
WORK_KINDS = frozenset(word.name for word in VOCABULARY.lists["kind"]
                       if word.more.get("work"))
OP_KINDS = VOCABULARY.names("op_kind")
COPY_KINDS = tuple(word.more["spec"]
                   for word in VOCABULARY.lists["copy_kind"])
DTYPES = VOCABULARY.names("dtype")
ROUTES = VOCABULARY.names("route")
DEFAULT_ROUTES = ("symbol", "dlsym")
DEFAULT_HOOKS_HEADERS = ("shim/tap/tagging/object_hooks.h",)

# Keys of an entry that name one argument each, by their meaning.
MEANING_KEYS = tuple(word.name for word in VOCABULARY.meanings[""]
                     if word.name not in ("none", "operation"))
# Keys of an entry that are tables of word = argument.
MEANING_TABLES = {key: tuple(word.name for word in words)
                  for key, words in VOCABULARY.meanings.items() if key}
# "dims.m" -> 65, "stream" -> 3.
MEANING_NUMBERS = {f"{key}.{word.name}" if key else word.name: word.number
                   for key, words in VOCABULARY.meanings.items()
                   for word in words}

LIBRARY_KEYS = (
    "headers", "units", "defines", "symbols", "soname", "soname_prefix",
    "versioned", "node", "host_outputs", "names",
    "handle", "stream", "event", "omit", "hooks_headers", "wrapper_files",
    "routes", "parts", "variables", "not_supported")

ENTRY_KEYS = (
    "role", "reason", "class", "direction", "kind", *MEANING_KEYS,
    *MEANING_TABLES, "blocking", "autotune", "work", "deref", "out", "counts",
    "omit", "handles", "hook", "hook_args",
    "hook_while", "packed", "routes", "export", "simulated",
    "op_kind", "older_arguments")

# Fields that a hook's Pack() fills, by the word for their type in specs.
PACKED_TYPES = {"u32": ("uint", 4), "u64": ("uint", 8), "i32": ("int", 4),
                "pointer": ("pointer", 8)}

# cuBLAS' and cuSOLVER's names carry the element type: cublasSgemm_v2, cublasIsamax_v2.
LETTER_TYPES = {"S": "f32", "D": "f64", "C": "c64", "Z": "c128", "H": "f16",
                "T": "bf16"}


def meaning_enumerator(name: str) -> str:
    """ "dims.head_dim" -> kDimHeadDim, "stream" -> kStream."""
    key, _, word = name.rpartition(".")
    return "k" + text.camel(key.removesuffix("s")) + text.camel(word)
