# SPDX-License-Identifier: Apache-2.0
"""Asks a data set by DuckDB's Python package."""
import pathlib
import sys

import duckdb

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] /
                       "scripts"))
import dataset_query as dq  # noqa: E402

TYPES = {"text": "VARCHAR", "bigint": "BIGINT", "double": "DOUBLE",
         "boolean": "BOOLEAN"}


def connect(dataset: pathlib.Path) -> duckdb.DuckDBPyConnection:
    """Views named after the tables; one that is missing is empty."""
    connection = duckdb.connect()
    connection.execute("SET threads=2; SET memory_limit='2GiB'")
    for table, columns in dq.TABLES.items():
        connection.execute(f"CREATE VIEW {table} AS " +
                           view_of(dataset, table, columns))
    return connection


def view_of(dataset: pathlib.Path, table: str,
            columns: dict[str, str]) -> str:
    names = ["run", "rank", *columns]
    if not any(dataset.glob(f"run=*/table={table}/rank=*/part-*.parquet")):
        empty = ", ".join(
            [f"CAST(NULL AS {TYPES[columns.get(n, 'text')]}) AS {n}"
             if n != "rank" else "CAST(NULL AS BIGINT) AS rank"
             for n in names])
        return f"SELECT {empty} WHERE false"
    return (f"SELECT {', '.join(names)} FROM read_parquet("
            f"'{dataset}/run=*/table={table}/rank=*/part-*.parquet', "
            "hive_partitioning=true, "
            "hive_types={'run': VARCHAR, 'rank': BIGINT, 'table': VARCHAR})")


class Answer(list):
    """Rows as dictionaries."""


def ask(connection: duckdb.DuckDBPyConnection, name: str,
        **values: object) -> Answer:
    question = dq.read_question(name)
    sql = dq.render(question, {k: str(v) for k, v in values.items()})
    result = connection.execute(sql)
    names = [column[0] for column in result.description]
    return Answer(dict(zip(names, row)) for row in result.fetchall())
