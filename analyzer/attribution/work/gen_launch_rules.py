#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Turns launch_rules.toml into two C++ tables.

usage: gen_launch_rules.py launch_rules.toml OUT.inc

OUT defines kLaunchRules and kFunctorRules. Fails, naming the rule, when a key or a word is unknown
or missing.
"""
import pathlib
import sys
import tomllib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "names"))

from gen_name_rules import c_string, enumerator  # noqa: E402

LAUNCH_KEYS = {"match", "per_block", "least", "functor", "strided", "reads",
               "writes", "flops", "example"}
FUNCTOR_KEYS = {"match", "flops", "writes", "tensors"}
MOST_FACTORS = 4
MOST_TENSORS = 4
FACTORS = {"threads": "kThreads", "rows": "kRows", "argument": "kArgument",
           "power": "kPower", "pair": "kPair", "torch": "kTorch",
           "unrolled": "kUnrolled"}
HEADER = "// GENERATED from {source} by gen_launch_rules.py. DO NOT EDIT.\n"


def check(where: str, rule: dict, keys: set, needed: tuple) -> None:
    if unknown := set(rule) - keys:
        sys.exit(f"{where}: unknown key {sorted(unknown)[0]}")
    for key in needed:
        if key not in rule:
            sys.exit(f"{where}: no {key}")
    if any("|" in text for text in rule["match"]):
        sys.exit(f"{where}: '|' in a glob")


def factor(where: str, text: str) -> str:
    word, _, number = text.partition(" ")
    if word not in FACTORS:
        sys.exit(f"{where}: no factor '{text}'")
    return f"{{Factor::Kind::{FACTORS[word]}, {int(number or 0)}}}"


def tensor(where: str, text: str) -> str:
    """An argument of the template, or an element type."""
    word, _, number = text.partition(" ")
    if word == "argument":
        return f"{{{int(number)}, DType::kUnknown}}"
    return f"{{-1, {enumerator(where, 'DType', 'dtype', word)}}}"


def listed(items: list, most: int, where: str) -> str:
    if len(items) > most:
        sys.exit(f"{where}: more than {most}")
    return "{" + ", ".join(items) + "}"


def launch_row(rule: dict) -> str:
    where = f"launch rule {rule.get('match', ['?'])[0]}"
    check(where, rule, LAUNCH_KEYS, ("match", "per_block", "example"))
    if ("functor" in rule) == ("reads" in rule and "writes" in rule):
        sys.exit(f"{where}: needs a functor, or reads and writes")
    factors = [factor(where, text) for text in rule["per_block"]]
    tensors = [tensor(where, text)
               for text in [*rule.get("reads", []), *rule.get("writes", [])]]
    return "    {{{}, {}, {}, {}, {}, {}, {}, {}, {}, {}}},\n".format(
        c_string("|".join(rule["match"])),
        listed(factors, MOST_FACTORS, where), len(factors),
        float(rule.get("least", 1)), rule.get("functor", -1),
        "true" if rule.get("strided") else "false",
        listed(tensors, MOST_TENSORS, where), len(tensors),
        float(rule.get("flops", 0)), c_string(rule["example"]))


def functor_row(rule: dict) -> str:
    where = f"functor rule {rule.get('match', ['?'])[0]}"
    check(where, rule, FUNCTOR_KEYS, ("match", "flops"))
    writes = enumerator(where, "DType", "dtype", rule.get("writes", "unknown"))
    globs = c_string("|".join(rule["match"]))
    tensors = int(rule.get("tensors", 0))
    return (f"    {{{globs}, {float(rule['flops'])}, {writes}, "
            f"{tensors}}},\n")


def main() -> None:
    source, target = sys.argv[1:]
    with open(source, "rb") as file:
        rules = tomllib.load(file)
    with open(target, "w", encoding="utf-8") as out:
        out.write(HEADER.format(source=source.rsplit("/", 1)[-1]))
        out.write("constexpr LaunchRule kLaunchRules[] = {\n")
        out.writelines(launch_row(rule) for rule in rules["launch"])
        out.write("};\nconstexpr FunctorRule kFunctorRules[] = {\n")
        out.writelines(functor_row(rule) for rule in rules["functor"])
        out.write("};\n")


if __name__ == "__main__":
    main()
