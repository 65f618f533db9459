#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""spark_query.py DATASET (NAME | --sql TEXT | --list) [--set NAME=VALUE ...]

Asks a data set of many ranks by Apache Spark: the questions and the views of
`dltap query`, for data sets too large for one machine. DATASET is a folder or
any address that Spark reads. Also by `spark-submit --py-files
scripts/dataset_query.py scripts/spark_query.py ...`, from a checkout.
"""
import argparse
import csv
import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import dataset_query as dq  # noqa: E402

SPARK_TYPES = {"text": "STRING", "bigint": "BIGINT", "double": "DOUBLE",
               "boolean": "BOOLEAN"}


def session(master: str | None, settings: dict[str, str] | None = None):
    from pyspark.sql import SparkSession
    builder = (SparkSession.builder.appName("dltap query")
               .config("spark.ui.showConsoleProgress", "false")
               .config("spark.sql.session.timeZone", "UTC")
               # A rank or a run is what the folder says, no number guessed.
               .config("spark.sql.sources.partitionColumnTypeInference."
                       "enabled", "false"))
    if master:
        builder = builder.master(master)
    for key, value in (settings or {}).items():
        builder = builder.config(key, value)
    return builder.getOrCreate()


def _files(spark, pattern: str) -> bool:
    path = spark.sparkContext._jvm.org.apache.hadoop.fs.Path(pattern)
    system = path.getFileSystem(
        spark.sparkContext._jsc.hadoopConfiguration())
    found = system.globStatus(path)
    return found is not None and len(found) > 0


def make_views(spark, dataset: str) -> None:
    """One for each table; one that is missing is empty."""
    for table, columns in dq.TABLES.items():
        types = {"run": "text", "rank": "bigint", **columns}
        pattern = f"{dataset}/run=*/table={table}/rank=*"
        if _files(spark, pattern + "/part-*.parquet"):
            frame = (spark.read.option("basePath", dataset)
                     .option("mergeSchema", "true")
                     .option("pathGlobFilter", "part-*.parquet")
                     .parquet(pattern))
            has = set(frame.columns)
        else:
            frame, has = spark.createDataFrame([], "run STRING"), {"run"}
        frame.selectExpr(*[
            f"CAST({f'`{name}`' if name in has else 'NULL'} AS "
            f"{SPARK_TYPES[kind]}) AS `{name}`"
            for name, kind in types.items()]).createOrReplaceTempView(table)


def split_query(sql: str) -> tuple[list[tuple[str, str]], str]:
    """Its common table expressions, by name, and what is selected from them."""
    expressions, at = [], 0
    head = re.compile(r"\s*(?:WITH\s+)?(\w+)\s+AS\s*\(", re.I)
    if not re.match(r"\s*WITH\b", sql, re.I):
        return [], sql
    while match := head.match(sql, at):
        depth, end = 1, match.end()
        for token in re.finditer(r"'[^']*'|[()]", sql[match.end():]):
            depth += {"(": 1, ")": -1}.get(token[0], 0)
            if depth == 0:
                end = match.end() + token.start()
                break
        expressions.append((match[1], sql[match.end():end]))
        comma = re.compile(r"\)\s*,").match(sql, end)
        at = comma.end() if comma else end + 1
        if not comma:
            break
    return expressions, sql[at:]


def answer_of(frame) -> tuple[list[str], list[tuple]]:
    return frame.columns, [tuple(row) for row in frame.collect()]


def run_query(spark, sql: str):
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
        frame.createOrReplaceTempView(name)
    answer = answer_of(spark.sql(final))
    for frame in kept:
        frame.unpersist()
    for name, _ in expressions:
        spark.catalog.dropTempView(name)
    return answer


def ask(spark, name: str, values: dict[str, str]):
    """Names of the columns, and rows."""
    return run_query(spark, dq.render(dq.read_question(name), values))


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
    try:
        sql = options.sql or dq.render(
            dq.read_question(options.name),
            dict(value.split("=", 1) for value in options.set))
    except (dq.QueryError, ValueError) as error:
        sys.exit(f"spark_query.py: {error}")
    spark = session(options.master)
    make_views(spark, options.dataset)
    print_rows(*(run_query(spark, sql) if options.name else
                 answer_of(spark.sql(sql))), options.format)
    spark.stop()


if __name__ == "__main__":
    main()
