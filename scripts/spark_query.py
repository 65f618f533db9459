#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""spark_query.py DATASET (NAME | --sql TEXT | --list) [--set NAME=VALUE ...]

Asks a data set of many ranks by Apache Spark: the questions and the views of
`dltap query`, for data sets too large for one machine. DATASET is a folder or
any address that Spark reads. `dltap query --engine spark` submits this with
the question's SQL; by hand, from a checkout: `spark-submit --py-files
scripts/dataset_query.py scripts/spark_query.py ...`.
"""
import argparse
import csv
import json
import logging
import math
import pathlib
import re
import sys
from typing import NamedTuple

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import dataset_query as dq  # noqa: E402

SPARK_TYPES = {"text": "STRING", "bigint": "BIGINT", "double": "DOUBLE",
               "boolean": "BOOLEAN"}


def session(master: str | None, settings: dict[str, str] | None = None):
    from pyspark.sql import SparkSession
    builder = (SparkSession.builder.appName("dltap query")
               .config("spark.ui.showConsoleProgress", "false")
               .config("spark.sql.session.timeZone", "UTC")
               # Spark writes each plan down, with those of all kept frames in
               # it, again and again: as text they filled the driver.
               .config("spark.sql.maxPlanStringLength", "4096")
               # A rank or a run is what the folder says, no number guessed.
               .config("spark.sql.sources.partitionColumnTypeInference."
                       "enabled", "false"))
    if master:
        builder = builder.master(master)
    for key, value in (settings or {}).items():
        builder = builder.config(key, value)
    return builder.getOrCreate()


def _glob(spark, pattern: str) -> list:
    """Hadoop's paths, sorted."""
    context = spark.sparkContext
    path = context._jvm.org.apache.hadoop.fs.Path(pattern)
    found = path.getFileSystem(
        context._jsc.hadoopConfiguration()).globStatus(path)
    return [] if found is None else [status.getPath() for status in found]


def _literal(address: str) -> str:
    """An address in which no character is a pattern."""
    return re.sub(r"([*?\[\]{}\\])", r"\\\1", address)


# A folder that somebody named otherwise (`rank=7.old`) holds no rank.
RANK = "0|-?[1-9][0-9]*"


def _version(spark, part) -> int:
    context = spark.sparkContext
    footer = context._jvm.org.apache.parquet.hadoop.ParquetFileReader.readFooter(
        context._jsc.hadoopConfiguration(), part)
    text = footer.getFileMetaData().getKeyValueMetaData().get(
        "dltap.schema_version")
    return int(text or 0)


def incomplete_ranks(spark, dataset: str) -> list[tuple[str, str]]:
    """Run and rank: whoever packs writes `runs` last."""
    ranks = {"runs": set(), "": set()}
    for path in _glob(spark, f"{_literal(dataset)}/run=*/table=*/rank=?*"):
        rank, table, run = (p.getName().split("=", 1)[1] for p in (
            path, path.getParent(), path.getParent().getParent()))
        if re.fullmatch(RANK, rank):
            ranks["runs" if table == "runs" else ""].add((run, rank))
    return sorted(ranks[""] - ranks["runs"])


def make_views(spark, dataset: str,
               without: list[tuple[str, str]] = ()) -> None:
    """One for each table, `without` some ranks; one that is missing is
    empty."""
    if not _glob(spark, _literal(dataset) + "/run=*"):
        raise dq.QueryError(
            f"{dataset}: no data set, for it holds no folder run=NAME")
    for table, columns in dq.TABLES.items():
        types = {"run": "text", "rank": "bigint", **columns}
        pattern = f"{_literal(dataset)}/run=*/table={table}/rank=?*"
        if parts := _glob(spark, pattern + "/part-*.parquet"):
            version = _version(spark, parts[0])
            if version > dq.VERSION:
                raise dq.QueryError(
                    f"{parts[0].toString()}: version {version} of the data "
                    f"set is newer than this script's, {dq.VERSION}")
            frame = (spark.read.option("basePath", dataset)
                     .option("mergeSchema", "true")
                     .option("pathGlobFilter", "part-*.parquet")
                     .parquet(pattern))
            frame = frame.filter(frame["rank"].rlike(f"^({RANK})$"))
            has = set(frame.columns)
            for run, rank in without:
                frame = frame.filter((frame["run"] != run) |
                                     (frame["rank"] != rank))
        else:
            frame, has = spark.createDataFrame([], "run STRING"), {"run"}
        frame.selectExpr(*[
            f"CAST({f'`{name}`' if name in has else 'NULL'} AS "
            f"{SPARK_TYPES[kind]}) AS `{name}`"
            for name, kind in types.items()]).createOrReplaceTempView(table)


TOKEN = re.compile(r"""'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|`[^`]*`|--[^\n]*
                       |/\*.*?\*/|[()]""", re.S | re.X)


def split_query(sql: str) -> tuple[list[tuple[str, str]], str]:
    """Its common table expressions, by name, and what is selected from them.
    None, and all of it, where it is not written plainly: `WITH name AS (...),
    name AS (...) SELECT`, no name that of a table or twice."""
    whole = [], sql
    if not re.match(r"\s*WITH\b", sql, re.I):
        return whole
    expressions, at = [], 0
    head = re.compile(r"\s*(?:WITH\s+)?(\w+)\s+AS\s*\(", re.I)
    while match := head.match(sql, at):
        depth, end = 1, None
        for token in TOKEN.finditer(sql, match.end()):
            depth += {"(": 1, ")": -1}.get(token[0], 0)
            if depth == 0:
                end = token.start()
                break
        if end is None:
            return whole
        expressions.append((match[1], sql[match.end():end]))
        comma = re.compile(r"\)\s*,").match(sql, end)
        at = comma.end() if comma else end + 1
        if not comma:
            break
    names = [name.lower() for name, _ in expressions]
    if (not re.match(r"\s*SELECT\b", sql[at:], re.I)
            or len(set(names)) < len(names) or set(names) & set(dq.TABLES)):
        return whole
    return expressions, sql[at:]


class Answer(NamedTuple):
    columns: list[str]
    rows: list[tuple]
    types: list[str]  # of the columns: text | integer | real | flag


_ANSWER_TYPES = {"boolean": "flag", "tinyint": "integer", "smallint": "integer",
                 "int": "integer", "bigint": "integer", "float": "real",
                 "double": "real"}


def _type_of(spark_type: str) -> str:
    if spark_type.startswith("decimal("):
        return "real"
    return _ANSWER_TYPES.get(spark_type, "text")


def answer_of(frame) -> Answer:
    return Answer(frame.columns, [tuple(row) for row in frame.collect()],
                  [_type_of(kind) for _, kind in frame.dtypes])


def _without_plan(spark, frame):
    """The rows of a frame as a leaf of other plans. Where a kept frame is
    named, Spark first puts in its whole plan and finds only then that it is
    kept: with frames kept on frames the plans grow until they fill the driver.
    The rows are worked out again where an executor that kept them dies, unlike
    those of localCheckpoint()."""
    from pyspark.sql import DataFrame
    planned = frame._jdf.queryExecution()
    return DataFrame(spark._jsparkSession.internalCreateDataFrame(
        planned.toRdd(), frame._jdf.schema(), False), spark)


def run_query(spark, sql: str) -> Answer:
    """Spark works a common table expression out anew wherever it is named, so
    that some questions would read a table a hundred times: what is named twice
    is kept."""
    expressions, final = split_query(sql)
    kept = []
    for place, (name, body) in enumerate(expressions):
        frame = spark.sql(body)
        later = final + "".join(b for _, b in expressions[place + 1:])
        if len(re.findall(rf"\b(?:FROM|JOIN)\s+{name}\b", later)) > 1:
            kept.append(frame.cache())
            frame = _without_plan(spark, frame)
        frame.createOrReplaceTempView(name)
    answer = answer_of(spark.sql(final))
    for frame in kept:
        frame.unpersist()
    for name, _ in expressions:
        spark.catalog.dropTempView(name)
    return answer


def ask(spark, name: str, values: dict[str, str]) -> Answer:
    return run_query(spark, dq.render(dq.read_question(name), values))


def _json_value(value, kind: str):
    if value is None or kind in ("flag", "integer"):
        return value
    if kind == "real":
        value = float(value)
        return value if math.isfinite(value) else str(value)
    return value if isinstance(value, str) else str(value)


def write_answer(answer: Answer, path: str) -> None:
    """As analyzer/query/engine_answer.h reads it."""
    with open(path, "w", encoding="utf-8") as file:
        json.dump({
            "columns": list(zip(answer.columns, answer.types)),
            "rows": [list(map(_json_value, row, answer.types))
                     for row in answer.rows]}, file)


def print_rows(columns: list[str], rows: list[tuple], form: str) -> None:
    if form == "json":
        print(json.dumps([dict(zip(columns, row)) for row in rows]))
        return
    if form == "csv":
        writer = csv.writer(sys.stdout)
        writer.writerow(columns)
        writer.writerows(rows)
        return
    cells = [columns] + [["" if v is None else str(v) for v in row]
                         for row in rows]
    widths = [max(len(row[i]) for row in cells) for i in range(len(columns))]
    for row in cells:
        print("  ".join(c.ljust(w) for c, w in zip(row, widths)).rstrip())


def print_list() -> None:
    for name in dq.question_names():
        question = dq.read_question(name)
        print(f"{name}: {question.question}")
        for parameter in question.parameters.values():
            print(f"    --set {parameter.name}={parameter.default}  "
                  f"({parameter.type}) {parameter.what}")


def parsed(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("dataset", nargs="?")
    parser.add_argument("name", nargs="?")
    parser.add_argument("--sql")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--set", action="append", default=[], metavar="N=V")
    parser.add_argument("--format", choices=("table", "csv", "json"),
                        default="table")
    parser.add_argument("--answer", metavar="FILE",
                        help="write it there, with the types of its columns")
    parser.add_argument("--master", help="as Spark's; default: spark-submit's")
    return parser.parse_args(arguments)


def main() -> None:
    options = parsed(sys.argv[1:])
    if options.list:
        print_list()
        return
    if not options.dataset or bool(options.name) == bool(options.sql):
        sys.exit("spark_query.py: give a data set, and a question's name or "
                 "--sql; --list names the questions")
    from pyspark.errors import PySparkException
    logging.disable()  # what went wrong is said once
    try:
        sql = options.sql or dq.render(
            dq.read_question(options.name),
            dict(value.split("=", 1) for value in options.set))
    except (dq.QueryError, ValueError) as error:
        sys.exit(f"spark_query.py: {error}")
    spark = session(options.master)
    try:
        without = incomplete_ranks(spark, options.dataset)
        for run, rank in without:
            print(f"dltap: warning: rank {rank} of run {run} is not whole and "
                  "left out: whoever packed it did not end; pack it again",
                  file=sys.stderr)
        make_views(spark, options.dataset, without)
        answer = run_query(spark, sql)
    except (dq.QueryError, PySparkException) as error:
        sys.exit(f"spark_query.py: {error}")
    finally:
        spark.stop()
    if options.answer:
        write_answer(answer, options.answer)
    else:
        print_rows(answer.columns, answer.rows, options.format)


if __name__ == "__main__":
    main()
