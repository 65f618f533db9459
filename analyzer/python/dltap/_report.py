# SPDX-License-Identifier: Apache-2.0
"""`dltap report` and `dltap diff` as data frames."""

from __future__ import annotations

import functools
import json
import os
import pathlib
import tempfile
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from dltap import _program

if TYPE_CHECKING:
    import pandas
    import pyarrow

_Path = str | os.PathLike[str]


def _options(choices: Mapping[str, Any]) -> list[str]:
    """Keyword arguments as options: samples_per_step=64 is
    --samples-per-step=64, True an option without a value, a list one that is
    repeated."""
    words: list[str] = []
    for name, value in choices.items():
        option = "--" + name.replace("_", "-")
        for each in value if isinstance(value, (list, tuple)) else [value]:
            if each is None or each is False:
                continue
            words.append(option if each is True else f"{option}={each}")
    return words


# What of a run is looked at; `dltap diff` has these as well.
_PARTS = ("window", "steps", "device", "process", "rank", "warmup")


def _parts(choices: Mapping[str, Any]) -> dict[str, Any]:
    return {name: choices[name] for name in _PARTS if name in choices}


def _needs(library: str, extra: str) -> ImportError:
    return ImportError(f"this needs {library}, which is not installed: pip "
                       f"install {library}, or \"dltap[{extra}]\"",
                       name=library)


def _flat(row: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """{"host_ns": {"wait": 1}} as {"host_ns.wait": 1}; lists stay."""
    flat: dict[str, Any] = {}
    for name, value in row.items():
        if isinstance(value, Mapping):
            flat.update(_flat(value, f"{prefix}{name}."))
        else:
            flat[prefix + name] = value
    return flat


_COUNTS = ("calls", "kernels", "count", "windows")


def _is_whole(column: str) -> bool:
    """Sums of times and counts are whole numbers; means and shares are not,
    whatever values a table happens to hold."""
    parts = column.split(".")
    if parts[0] in ("step_mean", "small") or parts[-1].startswith("mean_"):
        return False
    return parts[-1] in _COUNTS or any(p.endswith("_ns") for p in parts)


def _columns(rows: list[dict[str, Any]]) -> dict[str, list[Any]]:
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: [row.get(name) for row in rows] for name in names}


def _type_of(column: str, values: list[Any]) -> str:
    """The type of pandas that knows NA, for what a column holds."""
    kinds = {type(value) for value in values if value is not None}
    if kinds <= {int} and _is_whole(column):
        return "Int64"
    if kinds and kinds <= {int, float}:
        return "Float64"
    if kinds == {str}:
        return "string"
    return "boolean" if kinds == {bool} else "object"


def _pandas() -> Any:
    try:
        import pandas
    except ImportError as error:
        raise _needs("pandas", "pandas") from error
    return pandas


class _Tables:
    """Rows of a JSON document. A name with dots leads to a table further in:
    "collectives.rows"."""

    @property
    def json(self) -> dict[str, Any]:
        """The whole document."""
        raise NotImplementedError

    def rows(self, name: str) -> list[dict[str, Any]]:
        """A table as dictionaries, as they stand in the document."""
        value: Any = self.json
        for part in name.split("."):
            value = value.get(part) if isinstance(value, Mapping) else None
        if not isinstance(value, list):
            raise KeyError(f"no table {name!r}; there are: "
                           + ", ".join(self.tables()))
        return [row if isinstance(row, dict) else {"value": row}
                for row in value]

    def tables(self) -> list[str]:
        """The names of the tables at the top."""
        return sorted(n for n, v in self.json.items() if isinstance(v, list))

    def frame(self, name: str) -> pandas.DataFrame:
        """A table as a data frame; parts of a number are columns such as
        "host_ns.wait". Needs pandas."""
        library = _pandas()
        columns = _columns([_flat(row) for row in self.rows(name)])
        frame: pandas.DataFrame = library.DataFrame(
            {column: library.Series(values, dtype=_type_of(column, values))
             for column, values in columns.items()})
        return frame

    def arrow(self, name: str) -> pyarrow.Table:
        """The same as an Arrow table. Needs pyarrow."""
        try:
            import pyarrow
        except ImportError as error:
            raise _needs("pyarrow", "arrow") from error

        return pyarrow.Table.from_pylist(
            [_flat(row) for row in self.rows(name)])


class Report(_Tables):
    """What `dltap report` says of a trace; made by `load`. It is read when it
    is first looked at, and kept."""

    def __init__(self, paths: tuple[_Path, ...],
                 choices: Mapping[str, Any]) -> None:
        self.paths = tuple(os.fspath(path) for path in paths)
        self._choices = dict(choices)

    def _ask(self, **own: Any) -> str:
        return _program.ask("report", *_options(self._choices | own), "--",
                            *self.paths)

    @functools.cached_property
    def json(self) -> dict[str, Any]:
        document: dict[str, Any] = json.loads(self._ask(json=True))
        return document

    @property
    def classes(self) -> pandas.DataFrame:
        """A row per layer class, by GPU time."""
        frame = self.frame("classes")
        if frame.empty:  # no GPU work, no columns
            return frame
        return frame.sort_values("gpu_ns", ascending=False, ignore_index=True)

    @property
    def kernels(self) -> pandas.DataFrame:
        """A row per kernel name and class."""
        return self.frame("kernels")

    @property
    def layers(self) -> pandas.DataFrame:
        """A row per layer, in the order of the forward pass."""
        return self.frame("layers")

    @property
    def ops(self) -> pandas.DataFrame:
        """A row per operation: entry point and arguments."""
        return self.frame("ops")

    @property
    def apis(self) -> pandas.DataFrame:
        """A row per function that was called."""
        return self.frame("apis")

    @property
    def steps(self) -> pandas.DataFrame:
        """The lengths of the used steps, in a column "ns"."""
        library = _pandas()
        frame: pandas.DataFrame = library.DataFrame(
            {"ns": library.Series(self.json["steps"]["ns"], dtype="Int64")})
        return frame

    @property
    def warnings(self) -> list[str]:
        """Why the numbers may mislead. Read them first."""
        return [w["text"] for w in self.json["trust"]["warnings"]]

    @property
    def limit(self) -> str:
        """What bounds the step, and what to try, as the text report says it;
        empty if nothing can be said."""
        lines = self.text().splitlines()
        begin = next((i for i, line in enumerate(lines)
                      if line.startswith("limit:")), len(lines))
        end = next((i for i in range(begin, len(lines)) if not lines[i]),
                   len(lines))
        return "\n".join(lines[begin:end])

    def text(self, by: str = "class", top: int | None = None) -> str:
        """The report as `dltap report --by` prints it."""
        own: dict[str, Any] = {"by": by}
        if top is not None:
            own["top"] = top
        return self._ask(**own)

    def html(self) -> str:
        """The report as one page that needs nothing else."""
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder, "report.html")
            self._ask(html=os.fspath(page))
            return page.read_text(encoding="utf-8")

    def diff(self, new: Report | _Path, **choices: Any) -> Difference:
        """What is different in `new`, as `dltap diff` says it, of the part of
        the run that this report is of. The choices are options of `dltap diff`
        in place of or beside it: force=True, fail_on=["step_ms>3%"]. Raises
        DltapError with exit code 3 where the runs can't be compared."""
        base_part = _parts(self._choices)
        if isinstance(new, Report):
            other = new.paths
            if _parts(new._choices) != base_part:
                raise ValueError("the two reports are of different parts of "
                                 "their runs; load both with the same choices")
        else:
            other = (os.fspath(new),)
        if len(self.paths) != 1 or len(other) != 1:
            raise ValueError("diff compares one path with one path; put the "
                             "traces of a run into one folder")
        return Difference(self.paths[0], other[0], base_part | choices)

    def __repr__(self) -> str:
        return f"<dltap.Report of {', '.join(self.paths)}>"

    def __str__(self) -> str:
        return self.text()


class Difference(_Tables):
    """What `dltap diff` says of two traces; made by `Report.diff`."""

    def __init__(self, base: str, new: str, choices: Mapping[str, Any]) -> None:
        self.base, self.new = base, new
        self._choices = dict(choices)

    def _ask(self, **own: Any) -> str:
        # 1: a limit of fail_on is crossed; the document says so.
        return _program.ask("diff", *_options(self._choices | own), "--",
                            self.base, self.new, accept=(0, 1))

    @functools.cached_property
    def json(self) -> dict[str, Any]:
        document: dict[str, Any] = json.loads(self._ask(json="-"))
        return document

    @property
    def sentence(self) -> str:
        """The change of the step and what it is made of, for a pull request."""
        return str(self.json["sentence"])

    def __repr__(self) -> str:
        return f"<dltap.Difference of {self.base} and {self.new}>"

    def __str__(self) -> str:
        return self._ask()


def load(*paths: _Path, **choices: Any) -> Report:
    """The report of a trace: own traces, Kineto JSON, SQLite of Nsight
    Systems; several paths are merged. The choices are options of `dltap
    report`: steps="10..19", rank=3, samples_per_step=64, no_composite=True.
    Raises DltapError where the command line has an error."""
    if not paths:
        raise ValueError("load wants the path of a trace")
    report = Report(paths, choices)
    _ = report.json  # errors come here, not later
    return report
