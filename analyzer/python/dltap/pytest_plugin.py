# SPDX-License-Identifier: Apache-2.0
"""pytest --dltap: tests that say what a piece of GPU code may cost.

    @pytest.mark.dltap("launches", "syncs", "step_ms>2%", gpu=["h100-sxm"])
    def test_training_step():
        for _ in range(8):
            step()

Without --dltap such a test is like any other. With it, the test and its
fixtures run alone under `dltap ci`, on simulated GPUs and the virtual clock,
and fail where a quantity is above the baseline's; --dltap-update writes it.
Whether it is skipped is asked there, too: a skipped test has no work of a GPU,
and fails.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

# Set in the process that `dltap ci` runs, where the test is only a test.
INSIDE = "PYTEST_DLTAP_INSIDE"
TIMES = "_ms"
# Modelled times move a little with the model; counts don't.
TIME_LIMIT = ">1%"


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("dltap")
    group.addoption("--dltap", action="store_true",
                    help="hold tests marked dltap against their baseline")
    group.addoption("--dltap-update", action="store_true",
                    help="write the baseline; implies --dltap")
    group.addoption("--dltap-baseline", metavar="FILE",
                    help="default: dltap-baseline.json in the root directory")
    group.addoption("--dltap-gpu", action="append", metavar="NAME",
                    help="GPU to simulate where the mark names none; may be "
                         "repeated")
    group.addoption("--dltap-program", metavar="PATH",
                    help="default: the package's own, else dltap in PATH")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "dltap(*quantities, gpu=[...]): with --dltap, none of "
                   "these may be above its baseline: names, or rules like "
                   "\"step_ms>2%\"")
    if is_wanted(config):
        find_program(config)  # once, before any test


def is_wanted(config: pytest.Config) -> bool:
    asked = config.getoption("--dltap") or config.getoption("--dltap-update")
    return bool(asked) and not os.environ.get(INSIDE)


def find_program(config: pytest.Config) -> str:
    named = config.getoption("--dltap-program")
    if named:
        return str(named)
    try:
        from dltap import _program
    except ImportError:  # this file alone, without its package
        found = shutil.which("dltap")
        if found is None:
            raise pytest.UsageError("--dltap: no dltap in PATH; see "
                                    "--dltap-program") from None
        return found
    try:
        return str(_program.path())
    except _program.DltapError as error:
        raise pytest.UsageError(f"--dltap: {error}; see --dltap-program") \
            from None


def rule_of(quantity: str) -> str:
    if "<" in quantity or ">" in quantity:
        return quantity
    return quantity + (TIME_LIMIT if quantity.endswith(TIMES) else ">0")


def command_for(item: pytest.Item, mark: pytest.Mark) -> list[str]:
    config = item.config
    baseline = config.getoption("--dltap-baseline") or str(
        config.rootpath / "dltap-baseline.json")
    command = [find_program(config), "ci", "--baseline", baseline,
               "--name", item.nodeid]
    gpus = mark.kwargs.get("gpu") or config.getoption("--dltap-gpu") or []
    for gpu in [gpus] if isinstance(gpus, str) else gpus:
        command += ["--gpu", gpu]
    for quantity in mark.args:
        command += ["--fail-on", rule_of(quantity)]
    if config.getoption("--dltap-update"):
        command.append("--update")
    command += ["--", sys.executable, "-m", "pytest", "-q", "-rs",
                "-p", "no:cacheprovider", "--rootdir", str(config.rootpath)]
    if config.inipath:
        command += ["-c", str(config.inipath)]
    for plugin in config.option.plugins or []:
        command += ["-p", plugin]
    # A node's id is relative to the root directory, which may lie elsewhere.
    _, _, inside_file = item.nodeid.partition("::")
    return [*command, f"{item.path}::{inside_file}"]


class HeldTest(pytest.Item):
    """Stands for a marked test: nothing of it, fixtures and reasons to skip
    included, may run in this process, which has no GPU."""

    def __init__(self, *, test: pytest.Item, mark: pytest.Mark,
                 **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.command = command_for(test, mark)
        self.place = test.reportinfo()

    def runtest(self) -> None:
        done = subprocess.run(self.command, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT,
                              cwd=self.config.rootpath,
                              env={**os.environ, INSIDE: "1"})
        print(done.stdout)
        if done.returncode != 0:
            pytest.fail(f"dltap ci ended with {done.returncode}\n"
                        f"{done.stdout}", pytrace=False)

    def reportinfo(self) -> tuple[os.PathLike[str] | str, int | None, str]:
        return self.place

    def iter_markers_with_node(
            self, name: str | None = None
    ) -> Iterator[tuple[Any, pytest.Mark]]:
        return iter(())


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config,
                                  items: list[pytest.Item]) -> None:
    if not is_wanted(config):
        return
    for i, item in enumerate(items):
        if mark := item.get_closest_marker("dltap"):
            items[i] = HeldTest.from_parent(item.parent, name=item.name,
                                            test=item, mark=mark)
