# SPDX-License-Identifier: Apache-2.0
"""A large job preloads the tap by itself and writes to one shared folder.

usage: shared_folder_test.py PROGRAM DUCKDB-FOLDER [RANKS]

No rank knows of another. Hosts are simulated by namespaces where this user may
make them: in each, every rank has the same pid, as in containers.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import chain  # noqa: E402

PROGRAM = sys.argv.pop(1)
DUCKDB = pathlib.Path(sys.argv.pop(1))
RANKS = int(sys.argv.pop(1)) if len(sys.argv) > 1 else 200
if not (DUCKDB / "libduckdb.so").exists():
    print("skipped: no libduckdb.so; scripts/setup.sh --tests fetches it")
    sys.exit(77)
RANKS_OF_A_HOST = 8
AT_ONCE = 16
NAMESPACES = ["unshare", "--uts", "--pid", "--fork", "--mount-proc"]
HAS_NAMESPACES = subprocess.run([*NAMESPACES, "true"], check=False,
                                capture_output=True).returncode == 0


def slurm(rank):
    return {"SLURM_PROCID": rank, "SLURM_NTASKS": RANKS, "SLURM_JOB_ID": 4711,
            "SLURM_NODEID": rank // RANKS_OF_A_HOST,
            "SLURM_LOCALID": rank % RANKS_OF_A_HOST}


# What the ranks of one job see that these started. A batch script and its
# node's agent leave their own number, too, which is that of no rank.
LAUNCHERS = {  # as shim/specs/launchers.h
    "srun": slurm,
    "torchrun in a SLURM job": lambda rank: slurm(0) | {
        "RANK": rank, "WORLD_SIZE": RANKS, "LOCAL_RANK": rank % 8},
    "mpirun of Open MPI in a SLURM job": lambda rank: slurm(0) | {
        "OMPI_COMM_WORLD_RANK": rank, "OMPI_COMM_WORLD_SIZE": RANKS},
    "mpirun of MPICH": lambda rank: {"PMI_RANK": rank, "PMI_SIZE": RANKS},
    "mpirun of MVAPICH2 in a SLURM job": lambda rank: slurm(0) | {
        "MV2_COMM_WORLD_RANK": rank, "MV2_COMM_WORLD_SIZE": RANKS},
    "horovodrun": lambda rank: {"HOROVOD_RANK": rank, "HOROVOD_SIZE": RANKS},
    "jsrun of LSF": lambda rank: {"JSM_NAMESPACE_RANK": rank,
                                  "JSM_NAMESPACE_SIZE": RANKS},
    "prun of PMIx in a SLURM job": lambda rank: slurm(0) | {
        "PMIX_RANK": rank},
    "srun --mpi=pmix": lambda rank: slurm(rank) | {"PMIX_RANK": rank},
    "an indexed job of Kubernetes": lambda rank: {
        "JOB_COMPLETION_INDEX": rank},
}
# PMIx does not say how many there are, and a rank 0 may be of a batch script.
WITHOUT_SIZE = {"an indexed job of Kubernetes": (0, RANKS - 1),
                "prun of PMIx in a SLURM job": (0, RANKS - 1),
                "srun --mpi=pmix": (0,)}


def host_of(rank):
    return f"node{rank // RANKS_OF_A_HOST}"


def start(rank, variables, folder):
    command = [PROGRAM, "1"]
    if HAS_NAMESPACES:
        command = [*NAMESPACES, "sh", "-c",
                   'hostname "$0" && exec env LD_PRELOAD="$1" "$2" "$3"',
                   host_of(rank), os.environ["PRELOADED"], *command]
    environment = chain.simulated_environment(
        DLTAP_SIM_GPU=chain.GPU, DLTAP_OUTPUT=str(folder),
        **{name: str(value) for name, value in variables.items()})
    if not HAS_NAMESPACES:
        environment["LD_PRELOAD"] = os.environ["PRELOADED"]
    return subprocess.Popen(command, env=environment,
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def run_ranks(ranks, variables_of, folder):
    for first in range(0, len(ranks), AT_ONCE):
        started = [start(rank, variables_of(rank), folder)
                   for rank in ranks[first:first + AT_ONCE]]
        for process in started:
            said = process.communicate(timeout=chain.TIMEOUT_S)[1].decode()
            if process.returncode != 0:
                raise AssertionError(said[-3000:])


class Dataset:
    def __init__(self, folder, *traces):
        self.folder = pathlib.Path(folder, "set")
        self.environment = os.environ | {"LD_LIBRARY_PATH": str(DUCKDB)}
        chain.run([chain.DLTAP, "pack", "--parquet", self.folder, *traces],
                  self.environment)

    def ask(self, question):
        return json.loads(chain.run(
            [chain.DLTAP, "query", "--format", "json", self.folder, question],
            self.environment).stdout)


class SharedFolderTest(unittest.TestCase):
    def setUp(self):
        os.environ["PRELOADED"] = ":".join(
            [str(chain.BUILD / "lib" / "libdltap.so"),
             *chain.simulated_libraries()])
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_no_rank_is_lost_or_taken_for_another(self):
        shared = self.folder / "shared"
        run_ranks(range(RANKS), slurm, shared / "%q{SLURM_JOB_ID}")
        self.assertEqual([p.name for p in shared.iterdir()], ["4711"])
        traces = shared / "4711"
        self.assertEqual(len(list(traces.glob("*.dltap"))), RANKS)
        rows = Dataset(self.folder, traces).ask(
            "SELECT rank, host, world_size, complete, lost FROM runs "
            "ORDER BY rank")
        self.assertEqual([row["rank"] for row in rows], list(range(RANKS)))
        for row in rows:
            self.assertEqual((row["world_size"], row["complete"], row["lost"]),
                             (RANKS, True, 0), row)
            if HAS_NAMESPACES:
                self.assertEqual(row["host"], host_of(row["rank"]))

    def test_each_launcher_tells_the_rank(self):
        for launcher, variables_of in LAUNCHERS.items():
            with self.subTest(launcher), \
                    tempfile.TemporaryDirectory() as folder:
                ends = [0, RANKS - 1]
                run_ranks(ends, variables_of, pathlib.Path(folder, "rank-%r"))
                rows = Dataset(
                    folder, *(pathlib.Path(folder, f"rank-{rank}")
                              for rank in ends)).ask(
                    "SELECT rank, world_size FROM runs ORDER BY rank")
                self.assertEqual(
                    [(row["rank"], row["world_size"]) for row in rows],
                    [(rank, None if rank in WITHOUT_SIZE.get(launcher, ())
                      else RANKS) for rank in ends])


if __name__ == "__main__":
    unittest.main()
