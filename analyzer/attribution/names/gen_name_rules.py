#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Turns a rules file (kernel_rules.toml, operator_rules.toml) into a C++ table.

usage: gen_name_rules.py RULES.toml OUT.inc

Each row of OUT is a NameRule, its globs and its examples joined by '|'. Fails, naming the rule,
when a key or a word is unknown or missing.
"""
import pathlib
import sys
import tomllib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3]
                       / "shim/specs/generate"))

from entry_points.vocabulary import VOCABULARY  # noqa: E402

KEYS = {"match", "class", "direction", "container", "certain", "example", "also"}
HEADER = "// GENERATED from {source} by gen_name_rules.py. DO NOT EDIT.\n"


def c_string(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def enumerator(where: str, enum: str, table: str, name: str) -> str:
    for word in VOCABULARY.lists[table]:
        if word.name == name:
            return f"{enum}::{word.enumerator}"
    sys.exit(f"{where}: '{name}' is no word of vocabulary.toml's [{table}]")


def row(number: int, rule: dict) -> str:
    where = f"rule {number} ({rule.get('match', ['?'])[0]})"
    if unknown := set(rule) - KEYS:
        sys.exit(f"{where}: unknown key {sorted(unknown)[0]}")
    for key in ("match", "class", "example"):
        if key not in rule:
            sys.exit(f"{where}: no {key}")
    texts = [*rule["match"], rule["example"], *rule.get("also", [])]
    if any("|" in text for text in texts):
        sys.exit(f"{where}: '|' in a glob or an example")
    return "{{{}, {}, {}, {}, {}}},\n".format(
        c_string("|".join(rule["match"])),
        enumerator(where, "LayerClass", "layer_class", rule["class"]),
        enumerator(where, "Direction", "direction",
                   rule.get("direction", "none")),
        "true" if rule.get("container") or rule.get("certain") else "false",
        c_string("|".join([rule["example"], *rule.get("also", [])])))


def main() -> None:
    source, target = sys.argv[1:]
    with open(source, "rb") as file:
        rules = tomllib.load(file)["rule"]
    with open(target, "w", encoding="utf-8") as out:
        out.write(HEADER.format(source=source.rsplit("/", 1)[-1]))
        out.writelines(row(i + 1, rule) for i, rule in enumerate(rules))


if __name__ == "__main__":
    main()
