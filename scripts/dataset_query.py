# SPDX-License-Identifier: Apache-2.0
"""The tables of a data set of many ranks and the named questions about it.

docs/dataset.md describes the tables, analyzer/query/README.md the questions.
Nothing here needs an engine.
"""
import pathlib
import re
from typing import NamedTuple

QUERIES = pathlib.Path(__file__).resolve().parent.parent / "analyzer/query"

VERSION = 1  # `dltap.schema_version` of the files

# Columns of each table; `run` text and `rank` bigint come from the folders.
# text | bigint | double | boolean
_CAUSES = ("wait_ns input_ns library_ns launch_ns framework_ns preempted_ns "
           "blocked_ns unknown_ns profiler_ns dependency_ns latency_ns")
_SHARES = "compute_ns comm_exposed_ns copy_exposed_ns idle_ns not_observed_ns"
_COLUMNS = {
    "kernels": "process device stream begin_ns end_ns kind name class "
               "direction class_from joined_by autotune step call "
               "correlation graph_node bytes flops work_bytes",
    "calls": "process call thread begin_ns end_ns name library depth "
             "correlation failed capturing",
    "collectives": "process device communicator ranks communicator_rank kind "
                   "dtype bytes elements_in elements_out root peer sequence "
                   "nth begin_ns end_ns step name",
    "gaps": "process device begin_ns end_ns step class between_steps "
            f"ended_by {_CAUSES} drained_by drained_in",
    "steps": "process device step use begin_ns end_ns host_begin_ns "
             f"host_end_ns {_SHARES} kernels gpu_ns {_CAUSES}",
    "classes": "process device step class direction kernels gpu_ns min_ns "
               "max_ns flops bytes",
    "durations": "process device class direction name bucket kernels gpu_ns "
                 "min_ns max_ns",
    "devices": "process device name uuid sms memory_bytes simulated wall_ns "
               f"busy_ns {_SHARES} peak_memory_bytes link_bytes_per_s",
    "looks": "process device seen_in place looks",
    "runs": "process host pid program command framework world_size rank_from "
            "clock begin_ns end_ns complete format level simulated lost "
            "open_call dltap_version recorded_until_ns",
}
_TEXT = set("process kind name class direction class_from joined_by "
            "communicator dtype library ended_by drained_by drained_in use "
            "uuid host program command framework rank_from clock format level "
            "open_call dltap_version seen_in place".split())
_DOUBLE = {"flops", "work_bytes", "link_bytes_per_s"}
_BOOLEAN = set("autotune failed capturing between_steps simulated "
               "complete".split())


def _type_of(column: str) -> str:
    return ("text" if column in _TEXT else
            "double" if column in _DOUBLE else
            "boolean" if column in _BOOLEAN else "bigint")


TABLES = {table: {c: _type_of(c) for c in columns.split()}
          for table, columns in _COLUMNS.items()}


class Parameter(NamedTuple):
    name: str
    type: str
    default: str
    what: str


class Question(NamedTuple):
    name: str
    question: str
    example: str
    parameters: dict[str, Parameter]
    uses: list[str]
    text: str


class QueryError(Exception):
    pass


HEAD = re.compile(r"^-- (question|example|parameter|uses): (.*)$", re.M)
PARAMETER = re.compile(r"(\w+) (integer|real|text) (\S+) (.+)")


def _expand(text: str, folder: pathlib.Path) -> str:
    """Included files hold common table expressions and include nothing."""
    def included(match: re.Match) -> str:
        return (folder / "include" / f"{match[1]}.sql").read_text()
    return re.sub(r"\{\{include (\w+)\}\}", included, text)


def read_question(name: str, folder: pathlib.Path = QUERIES) -> Question:
    if not re.fullmatch(r"\w+", name) or not (folder / f"{name}.sql").exists():
        raise QueryError(f"no question is named {name}")
    text = (folder / f"{name}.sql").read_text()
    head = HEAD.findall(text)
    one = {key: value for key, value in head}
    parameters = {}
    for key, value in head:
        if key == "parameter":
            match = PARAMETER.fullmatch(value)
            if not match:
                raise QueryError(f"{name}.sql: {value}: not a parameter")
            parameters[match[1]] = Parameter(*match.groups())
    return Question(name, one["question"], one["example"], parameters,
                    one["uses"].split(), _expand(text, folder))


def question_names(folder: pathlib.Path = QUERIES) -> list[str]:
    return sorted(path.stem for path in folder.glob("*.sql"))


def literal(parameter: Parameter, value: str) -> str:
    """The same for both engines, whatever the value holds."""
    if parameter.type == "integer":
        if not re.fullmatch(r"-?[0-9]{1,18}", value):
            raise QueryError(f"{parameter.name}: {value}: not an integer")
        return value if value[0] != "-" else f"({value})"
    if parameter.type == "real":
        if not re.fullmatch(r"-?[0-9]+(\.[0-9]+)?(e-?[0-9]{1,2})?", value):
            raise QueryError(f"{parameter.name}: {value}: not a number")
        value = value if "e" in value else value + "e0"
        return value if value[0] != "-" else f"({value})"
    if "\0" in value:
        raise QueryError(f"{parameter.name}: holds a zero byte")
    # Spark takes backslashes for escapes, and '' for nothing.
    pieces = re.split(r"(['\\])", value)
    texts = [f"chr({ord(p)})" if p in "'\\" else f"'{p}'"
             for p in pieces if p]
    return f"concat({', '.join(texts)})" if texts else "''"


def render(question: Question, values: dict[str, str]) -> str:
    for name in values:
        if name not in question.parameters:
            raise QueryError(f"{question.name} has no parameter {name}")

    def value_of(match: re.Match) -> str:
        parameter = question.parameters.get(match[1])
        if parameter is None:
            raise QueryError(f"{question.name}.sql: {match[0]}: not declared")
        default = "" if parameter.default == '""' else parameter.default
        return literal(parameter, values.get(match[1], default))
    body = "".join(line for line in question.text.splitlines(True)
                   if not line.startswith("--"))
    # Once over the text: a value that holds {{...}} stays as it is.
    return re.sub(r"\{\{(\w+)\}\}", value_of, body).strip().rstrip(";")
