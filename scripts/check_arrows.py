#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_arrows.py [ROOT]: fails on an #include that no arrow allows.

The tree is parts; an arrow A -> B lets files of A include headers of B and of
all that B may include. Below also: which headers code may use that lives in
the user's process; and inside a part, too, no unit may include itself by way
of others. A unit is a header with its source.
"""
import collections
import pathlib
import re
import sys

from source_files import ROOT, read_lines, source_files

# Longest match wins; a folder that is listed nowhere is an error.
PARTS = """
shim/specs shim/trace opmodel
shim/tap shim/tap/entry shim/tap/runtime shim/tap/tagging shim/tap/activity
simgpu/base simgpu/bytes simgpu/stream simgpu/memory simgpu/graph simgpu/launch
simgpu/torch simgpu/driver simgpu/cudart simgpu/cublas simgpu/cudnn simgpu/nccl
simgpu/cupti simgpu/rest simgpu/cuda12 simgpu/cuda11
analyzer/cli analyzer/control analyzer/reader analyzer/importers analyzer/model
analyzer/advice analyzer/compare
analyzer/attribution analyzer/attribution/names analyzer/attribution/base
analyzer/attribution/join analyzer/attribution/calls analyzer/attribution/xla
analyzer/attribution/composite analyzer/attribution/direction
analyzer/attribution/work analyzer/attribution/trials
analyzer/metrics analyzer/metrics/base analyzer/metrics/operands
analyzer/metrics/steps analyzer/metrics/windows analyzer/metrics/idle
analyzer/metrics/classes analyzer/metrics/path analyzer/metrics/layers
analyzer/metrics/avoidable analyzer/metrics/devices analyzer/metrics/memory
analyzer/metrics/collectives analyzer/metrics/pictures analyzer/metrics/summary
analyzer/metrics/slices analyzer/metrics/figures
analyzer/reports analyzer/exporters analyzer/web
analyzer/predict analyzer/output analyzer/duckdb analyzer/query
analyzer/ranks
tests
""".split()

ARROWS = """
shim/tap             -> shim/tap/entry shim/tap/activity
shim/tap/entry       -> shim/tap/tagging shim/tap/runtime
shim/tap/entry       -> shim/specs
shim/tap/runtime     -> shim/trace shim/specs
shim/tap/tagging     -> shim/trace opmodel
shim/tap/activity    -> shim/tap/runtime

opmodel              -> shim/specs
simgpu/base          -> opmodel shim/specs
simgpu/bytes         -> simgpu/base
simgpu/stream        -> simgpu/bytes
simgpu/memory        -> simgpu/stream
simgpu/graph         -> simgpu/memory
simgpu/launch        -> simgpu/graph
simgpu/torch         -> simgpu/launch
simgpu/driver        -> simgpu/launch
simgpu/cudart        -> simgpu/launch simgpu/driver
simgpu/cublas        -> simgpu/launch
simgpu/cudnn         -> simgpu/launch simgpu/cublas
simgpu/nccl          -> simgpu/launch
simgpu/cupti         -> simgpu/launch
simgpu/rest          -> simgpu/launch
simgpu/cuda12        -> simgpu/cudart
simgpu/cuda11        -> simgpu/base shim/specs

analyzer/cli         -> analyzer/reports analyzer/exporters analyzer/predict
analyzer/cli         -> analyzer/control
analyzer/cli         -> analyzer/reader analyzer/importers
analyzer/cli         -> analyzer/web analyzer/ranks
analyzer/ranks       -> analyzer/query analyzer/reports
analyzer/web         -> analyzer/reports
analyzer/reports     -> analyzer/advice analyzer/output
analyzer/advice      -> analyzer/metrics
analyzer/reports     -> analyzer/compare
analyzer/compare     -> analyzer/metrics analyzer/output
analyzer/exporters   -> analyzer/metrics analyzer/duckdb
analyzer/duckdb      -> analyzer/output
analyzer/query       -> analyzer/exporters
analyzer/predict     -> analyzer/importers opmodel
analyzer/metrics     -> analyzer/metrics/slices analyzer/metrics/figures
analyzer/metrics/base -> analyzer/attribution opmodel
analyzer/metrics/operands -> analyzer/metrics/base
analyzer/metrics/steps -> analyzer/metrics/operands
analyzer/metrics/windows -> analyzer/metrics/steps
analyzer/metrics/idle -> analyzer/metrics/windows
analyzer/metrics/classes -> analyzer/metrics/idle
analyzer/metrics/path -> analyzer/metrics/classes
analyzer/metrics/layers -> analyzer/metrics/classes
analyzer/metrics/collectives -> analyzer/metrics/base
analyzer/metrics/avoidable -> analyzer/metrics/collectives
analyzer/metrics/avoidable -> analyzer/metrics/windows
analyzer/metrics/devices -> analyzer/metrics/avoidable analyzer/metrics/layers
analyzer/metrics/devices -> analyzer/metrics/path
analyzer/metrics/memory -> analyzer/metrics/devices
analyzer/metrics/pictures -> analyzer/metrics/devices
analyzer/metrics/summary -> analyzer/metrics/memory analyzer/metrics/pictures
analyzer/metrics/slices -> analyzer/metrics/summary
analyzer/metrics/figures -> analyzer/metrics/summary
analyzer/attribution -> analyzer/attribution/join analyzer/attribution/calls
analyzer/attribution -> analyzer/attribution/composite
analyzer/attribution -> analyzer/attribution/direction
analyzer/attribution -> analyzer/attribution/work analyzer/attribution/trials
analyzer/attribution/direction -> analyzer/attribution/xla
analyzer/attribution/composite -> analyzer/attribution/base
analyzer/attribution/xla -> analyzer/attribution/base
analyzer/attribution/work -> analyzer/attribution/base
analyzer/attribution/trials -> analyzer/attribution/base
analyzer/attribution/base -> analyzer/attribution/names
analyzer/attribution/names -> analyzer/model
analyzer/attribution/join -> analyzer/model
analyzer/attribution/calls -> analyzer/model
analyzer/reader      -> analyzer/model shim/trace shim/specs
analyzer/importers   -> analyzer/model shim/specs
analyzer/model       -> opmodel shim/specs
analyzer/control     -> analyzer/output opmodel shim/trace

tests                -> analyzer/cli analyzer/query shim/tap
tests                -> simgpu/torch simgpu/driver simgpu/cudnn simgpu/nccl
tests                -> simgpu/cupti simgpu/rest simgpu/cuda12 simgpu/cuda11
"""

# Headers that shim/specs generates: included without a folder.
GENERATED = """
abi_structs.h entry_points.h entry_points.inc tap_tables.h vocabulary.h
""".split()

PRODUCTS = ("shim/", "opmodel/", "simgpu/", "analyzer/", "tests/")

# Code in the user's process has no C++ run-time library: these need none.
IN_PROCESS = "shim/tap"
IN_PROCESS_STANDARD = """
array atomic bit concepts limits new span tuple type_traits utility
cerrno cinttypes climits cstdarg cstddef cstdint cstdio cstdlib cstring ctime cwchar
""".split()

INCLUDE = re.compile(r'\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')
CODE = (".h", ".cc", ".c", ".cu", ".S")


def allowed_parts() -> dict[str, set[str]]:
    """The parts each part may include: itself and what its arrows reach."""
    direct = {part: set() for part in PARTS}
    for line in ARROWS.split("\n"):
        if line:
            source, targets = line.split("->")
            direct[source.strip()].update(targets.split())
    reached = {}
    for part in PARTS:
        todo, seen = [part], set()
        while todo:
            at = todo.pop()
            if at not in seen:
                seen.add(at)
                todo.extend(direct[at])
        reached[part] = seen
    return reached


def part_of(path: str) -> str | None:
    hits = [part for part in PARTS if path.startswith(part + "/")]
    return max(hits, key=len, default=None)


def complaint(part: str, quoted: str, angled: str,
              allowed: dict[str, set[str]]) -> str | None:
    """Why files of `part` must not include this header, or None."""
    if angled:
        if part.startswith(IN_PROCESS) and re.fullmatch(r"[a-z_]+", angled) \
                and angled not in IN_PROCESS_STANDARD:
            return f"<{angled}> may need the C++ run-time library"
        return None
    if quoted.startswith(PRODUCTS) or quoted in GENERATED:
        target = "shim/specs" if quoted in GENERATED else part_of(quoted)
        if target is None:
            return f'"{quoted}" belongs to no part'
        if target not in allowed[part]:
            return f"no arrow {part} -> {target}"
    elif part.startswith(IN_PROCESS) and quoted.startswith("absl/"):
        return "Abseil must not enter the user's process"
    elif quoted.startswith("."):
        return f'"{quoted}": include paths start at the repository root'
    return None


def unit_of(path: str) -> str:
    return path.rpartition(".")[0]


def way_back(unit: str, includes: dict[str, set[str]]) -> list[str]:
    """The shortest way from a unit to itself; empty: there is none."""
    came_from = {}
    todo = collections.deque([unit])
    while todo:
        at = todo.popleft()
        for target in sorted(includes.get(at, ())):
            if target == unit:
                way = [unit]
                while at != unit:
                    way.insert(0, at)
                    at = came_from[at]
                return [unit, *way]
            if target not in came_from:
                came_from[target] = at
                todo.append(target)
    return []


def cycles(includes: dict[str, set[str]]) -> list[list[str]]:
    """Cycles of units, the shortest first, until each unit that lies on any
    was named."""
    ways = [way for way in (way_back(unit, includes) for unit in includes)
            if way]
    found, named = [], set()
    for way in sorted(ways, key=lambda way: (len(way), way)):
        if not named.issuperset(way):
            named.update(way)
            found.append(way)
    return found


def check(root: pathlib.Path) -> list[str]:
    allowed = allowed_parts()
    errors = []
    includes = collections.defaultdict(set)
    for path in source_files(root):
        if not path.endswith(CODE) or not path.startswith(PRODUCTS):
            continue
        part = part_of(path)
        if part is None:
            errors.append(f"{path}: lies in none of check_arrows.py's parts")
            continue
        for number, line in enumerate(read_lines(root, path), 1):
            match = INCLUDE.match(line)
            if match is None:
                continue
            quoted, angled = match[1] or "", match[2] or ""
            if why := complaint(part, quoted, angled, allowed):
                errors.append(f"{path}:{number}: {why}")
            if quoted and unit_of(quoted) != unit_of(path):
                includes[unit_of(path)].add(unit_of(quoted))
    return errors + ["cycle of units: " + " -> ".join(way)
                     for way in cycles(includes)]


def main() -> int:
    errors = check(pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT)
    for error in errors:
        print(error)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
