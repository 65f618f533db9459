#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""lock.py LOCK [NAME==VERSION ...]: writes a lock file of third_party/ anew.

Takes the packages that LOCK names, at the given versions where given, else at
those it has; asks pip for their files and writes names, versions and hashes.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ENTRY = re.compile(r"^([A-Za-z0-9_.-]+)==(\S+?)(?:\s|\\|$)", re.M)


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def wanted(lock: str, changes: list[str]) -> list[str]:
    """Requirements, sorted by name: those of the lock, then the changes."""
    versions = {canonical(n): (n, v) for n, v in ENTRY.findall(lock)}
    for change in changes:
        name, _, version = change.partition("==")
        if not version:
            sys.exit(f"lock.py: {change}: must be NAME==VERSION")
        versions[canonical(name)] = (name, version)
    return [f"{n}=={v}" for _, (n, v) in sorted(versions.items())]


def source_options(lock: str) -> list[str]:
    """What of the lock has no wheel: `--no-binary=NAME` lines."""
    return re.findall(r"^--no-binary=\S+$", lock, re.M)


def report_of(requirements: list[str]) -> dict:
    with tempfile.NamedTemporaryFile(suffix=".json") as report:
        status = subprocess.run(
            [sys.executable, "-m", "pip", "install", "--quiet", "--dry-run",
             "--no-deps", "--ignore-installed", "--only-binary=:all:",
             "--report", report.name, *requirements], check=False).returncode
        if status != 0:
            sys.exit("lock.py: pip could not resolve them")
        return json.load(report)


def lock_text(report: dict) -> str:
    lines = []
    for item in report["install"]:
        name, version = item["metadata"]["name"], item["metadata"]["version"]
        sha256 = item["download_info"]["archive_info"]["hashes"]["sha256"]
        lines.append((canonical(name), f"{name}=={version} \\\n"
                      f"    --hash=sha256:{sha256}\n"))
    return "".join(text for _, text in sorted(lines))


def main() -> None:
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    path = pathlib.Path(sys.argv[1])
    old = path.read_text() if path.exists() else ""
    sources = source_options(old)
    report = report_of(sources + wanted(old, sys.argv[2:]))
    path.write_text("".join(s + "\n" for s in sources) + lock_text(report))


if __name__ == "__main__":
    main()
