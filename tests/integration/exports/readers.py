# SPDX-License-Identifier: Apache-2.0
"""What the tests share in which other programs read what dltap exports.

usage: TEST.py READERS-PYTHON DLTAP TRACES GOLDEN DUCKDB-FOLDER PYTHON

PYTHON runs a training on the simulated GPU, if it has PyTorch; "-": there is
none.

Runs under the interpreter of third_party/frameworks/readers.lock: Holistic
Trace Analysis, pyarrow, pandas, DuckDB, Perfetto's and Prometheus's readers.
"""
import collections
import csv
import functools
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import warnings

READERS = sys.argv[1]
if READERS == "-":
    print("skipped: no readers; scripts/setup.sh --frameworks makes them")
    sys.exit(77)
if os.path.abspath(sys.executable) != os.path.abspath(READERS):
    os.execv(READERS, [READERS, *sys.argv])

DLTAP = sys.argv[2]
TRACES, GOLDEN, DUCKDB = map(pathlib.Path, sys.argv[3:6])
PYTHON = sys.argv[6]
SOURCE = pathlib.Path(__file__).parents[3]
# HTA would round times to microseconds.
os.environ["HTA_DISABLE_NS_ROUNDING"] = "1"
WITH_DUCKDB = os.environ | {"LD_LIBRARY_PATH": str(DUCKDB)}
warnings.simplefilter("ignore")  # of HTA's use of pandas
README = SOURCE / "analyzer/exporters/README.md"

ONE_DEVICE = [GOLDEN / "trace_v1_1",
              TRACES / "kineto_alexnet.json.gz",
              TRACES / "kineto_h100_bert_small.json.gz",
              TRACES / "kineto_multi_rank_0.json.gz",
              TRACES / "kineto_torch_compile_triton.json.gz"]
OTHERS = [TRACES / "kineto_vllm_decode_cuda_graph.json.gz",
          TRACES / "nsys_h100_2gpu_1s.sqlite"]
needs_duckdb = unittest.skipUnless((DUCKDB / "libduckdb.so").exists(),
                                   "no libduckdb.so; it comes by npm")


def present(traces) -> list[pathlib.Path]:
    return [trace for trace in traces if trace.exists()]


def name_of(trace) -> str:
    """Without what would have the output compressed."""
    return trace.name.split(".")[0]


def dltap(*arguments, env=None) -> str:
    done = subprocess.run([DLTAP, *map(str, arguments)], capture_output=True,
                          text=True, env=env, check=False)
    if done.returncode != 0:
        raise AssertionError(f"{arguments}: {done.stderr}")
    return done.stdout


@functools.cache
def recorded() -> list[pathlib.Path]:
    """A training of PyTorch's on the simulated GPU, if there is PyTorch."""
    if PYTHON == "-" or subprocess.run(
            [PYTHON, "-c", "import importlib.util as u, sys; "
             "sys.exit(not u.find_spec('torch'))"], check=False).returncode:
        return []
    folder = tempfile.TemporaryDirectory()
    unittest.addModuleCleanup(folder.cleanup)
    trace = pathlib.Path(folder.name) / "training"
    dltap("run", "--gpu", "sim:h100-sxm", "--sim-clock", "virtual",
          "--no-report", "-o", trace, "--", PYTHON,
          SOURCE / "tests/workloads/python/train_transformer.py",
          "--steps", "5", "--layers", "1")
    return [trace]


@functools.cache
def report(trace, *options) -> dict:
    return json.loads(dltap("report", "--json", *options, trace))


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def export(self, trace, form, name, *options) -> pathlib.Path:
        path = self.folder / name
        dltap("export", "--format", form, "-o", path, *options, trace,
              env=WITH_DUCKDB)
        return path

    def tables(self, trace) -> dict[str, list[dict]]:
        folder = self.export(trace, "csv", "tables")
        found = {path.stem: list(csv.DictReader(path.open(newline="")))
                 for path in folder.glob("*.csv")}
        shutil.rmtree(folder)
        return found


def sum_by_class(kernels) -> collections.Counter:
    sums = collections.Counter()
    for row in kernels:
        sums[row["class"]] += int(row["end_ns"]) - int(row["begin_ns"])
    return sums


def main() -> None:
    unittest.main(argv=[sys.argv[0], *sys.argv[7:]])
