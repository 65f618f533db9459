# SPDX-License-Identifier: Apache-2.0
"""Calls of a program, as its simulated libraries count them and as the tap
sees them, function by function."""

import collections
import dataclasses
import pathlib
import re

POINT = re.compile(r"^DLTAP_ENTRY_POINT\(\d+, (\w+), \w+, (\w+), (\w+)\)$",
                   re.M)
IDENTIFIER = re.compile(r"^DLTAP_ENTRY_POINT\(\d+, (?=\w+, (\w+))(\w+)", re.M)
TRAITS = re.compile(
    r"EntryTraits<specs::EntryPoint::(\w+)> {.*?kIsWork = (true|false);", re.S)
CALL = re.compile(r"call \S+ thread=\d+ (\w+)")
COUNT = re.compile(r"count (\w+) (\d+)")
# In quotes, or a row of shim/tap/activity/cupti/cupti_api.h.
VENDOR_NAME = re.compile(
    r'(?:"|X\(\w+, +)((?:cu|nccl|nvrtc|nvml)\w+)(?="|\))')
BINDING = re.compile(
    r"binding file (\S+) \[\d+\] to (\S+) \[\d+\]: normal symbol `(\w+)'")


@dataclasses.dataclass
class Simulated:
    """What the libraries counted for one function."""
    library: str
    has_default_body: bool
    calls: int = 0
    by_address: int = 0  # of these: past the loader, see simgpu/README.md


def read_simulated(paths):
    """Symbol to Simulated, of all processes together."""
    functions = {}
    for path in paths:
        for line in pathlib.Path(path).read_text().splitlines():
            library, symbol, body, calls, *rest = line.split()
            one = functions.setdefault(
                symbol, Simulated(library, body == "default"))
            one.calls += int(calls)
            one.by_address += int(rest[1]) if rest else 0
    return functions


def read_seen(lines):
    """Calls recorded or counted by the tap, from the lines of a dump."""
    seen = collections.Counter()
    for line in lines:
        if match := CALL.match(line):
            seen[match[1]] += 1
        elif match := COUNT.match(line):
            seen[match[1]] += int(match[2])
    return seen


def read_routes(paths, tap):
    """Symbol to the ways in which the program got it, from what
    LD_DEBUG=bindings wrote: a symbol is bound to the tap's; a dlsym() that the
    tap passes on appears as a binding within the library of the handle."""
    routes = collections.defaultdict(set)
    for path in paths:
        with open(path, errors="replace") as lines:
            for match in map(BINDING.search, lines):
                if match is None:
                    continue
                user, provider, symbol = match.groups()
                if provider.endswith(tap):
                    routes[symbol].add("symbol")
                elif user == provider:
                    routes[symbol].add("dlsym")
    return routes


def read_roles(generated):
    """Role of each wrapped symbol."""
    text = pathlib.Path(generated, "entry_points.inc").read_text()
    return {symbol: role for symbol, _, role in POINT.findall(text)}


def read_work(generated):
    """Symbols with whose first call the tap starts a trace."""
    generated = pathlib.Path(generated)
    symbols = dict(IDENTIFIER.findall(
        (generated / "entry_points.inc").read_text()))
    work = set()
    for path in generated.glob("tap_traits_*.h"):
        for identifier, is_work in TRAITS.findall(path.read_text()):
            if is_work == "true":
                work.add(symbols[identifier])
    return work


def called_by_tap(source):
    """Functions that the tap itself may call: those its sources name."""
    names = set()
    for path in pathlib.Path(source, "shim", "tap").rglob("*.[ch]*"):
        names.update(VENDOR_NAME.findall(path.read_text()))
    return names


@dataclasses.dataclass
class Row:
    """One function: what was counted, seen, and what that means."""
    symbol: str
    simulated: int
    seen: int
    verdict: str  # see compare()
    route: str = ""


def compare(tapped, bare, seen, roles, own):
    """Rows for all functions, sorted by name.

    equal       the tap saw every call
    own         it saw as many as the program makes without the tap; the rest
                are the tap's own
    by_address  all that it missed came by an address from cuGetProcAddress
    unwrapped   the specs leave the function out
    different   none of these: an error
    """
    rows = []
    for symbol in sorted(tapped.keys() | seen.keys()):
        function = tapped.get(symbol, Simulated("", False))
        row = Row(symbol, function.calls, seen.get(symbol, 0), "different")
        missed = row.simulated - row.seen
        if missed == 0:
            row.verdict = "equal"
        elif missed == function.by_address:
            row.verdict = "by_address"
        elif roles.get(symbol, "kNot") == "kNot":
            row.verdict = "unwrapped"
        elif symbol in own and missed > 0:
            without = bare.get(symbol, Simulated("", False))
            if row.seen == without.calls - without.by_address:
                row.verdict = "own"
        rows.append(row)
    return rows


def without(functions, others):
    """The counts of `functions` less those of `others`."""
    return {symbol: dataclasses.replace(
        function,
        calls=function.calls - others[symbol].calls,
        by_address=function.by_address - others[symbol].by_address)
            if symbol in others else function
            for symbol, function in functions.items()}


def untraced(functions, roles, work):
    """Rows for processes that wrote no trace: the tap starts one with the first
    work that it sees.

    by_address  all calls came so
    no_session  no work, or none but by address
    different   work that the tap should have seen
    """
    rows = []
    for symbol, function in sorted(functions.items()):
        row = Row(symbol, function.calls, 0, "no_session")
        if function.calls == function.by_address:
            row.verdict = "by_address"
        elif symbol in work:
            row.verdict = "different"
        elif roles.get(symbol, "kNot") == "kNot":
            row.verdict = "unwrapped"
        rows.append(row)
    return rows
