# SPDX-License-Identifier: Apache-2.0
"""Asks a data set by `dltap query`: $DLTAP, or what a release build made."""
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
DLTAP = os.environ.get("DLTAP", str(ROOT / "build/bin/dltap"))
sys.path.insert(0, str(ROOT / "scripts"))
import dataset_query as dq  # noqa: E402,F401  pylint: disable=unused-import


def run(*arguments) -> str:
    done = subprocess.run([DLTAP, "query", *map(str, arguments)], text=True,
                          capture_output=True, check=False)
    if done.returncode == 5:
        print(f"skipped: {done.stderr}")
        sys.exit(77)
    if done.returncode != 0:
        raise AssertionError(f"{arguments}: {done.stderr}")
    return done.stdout


def settings(values: dict) -> list[str]:
    return [word for name, value in values.items()
            for word in ("--set", f"{name}={value}")]


class Dataset:
    def __init__(self, path: pathlib.Path):
        self.path = path

    def rows(self, sql: str) -> list[dict]:
        return json.loads(run("--format", "json", self.path, sql))

    def ask(self, name: str, **values: object) -> list[dict]:
        return json.loads(run("--format", "json", self.path, name,
                              *settings(values)))


def rendered(name: str, **values: object) -> str:
    """What the engine gets."""
    return run("--show-sql", name, *settings(values))
