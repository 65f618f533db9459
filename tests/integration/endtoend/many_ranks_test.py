# SPDX-License-Identifier: Apache-2.0
"""Four ranks of which one is slow, recorded, packed and reported: the README's
sample of many ranks.

Usage: many_ranks_test.py [--write] DLTAP_DUCKDB_FOLDER
In virtual time, so that each run gives the same times. --write puts it into the
README anew."""
import os
import pathlib
import re
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import chain  # noqa: E402

README = chain.SOURCE / "README.md"
# From the verdict to the end of the map.
PART = re.compile(r"(?ms)^Rank 2 .*?^steps .*?$")
SAMPLE = re.compile(r"(?m)^    Rank 2 (?:.|\n)*?^    steps .*\n")
# What the allocator holds at most is by how real threads run.
MEASURED = re.compile(r"memory, at most: .* of 80.0")
PORT = "29653"
# Rank 2's kernels take 1.3 times as long.
SLOW = """test "$LOCAL_RANK" = 2 && export DLTAP_SIM_TIME_FACTORS={factors}
exec {python} {script} --steps 30 --batch 4096 --width 4096
"""


def report(folder: pathlib.Path) -> str:
    (folder / "factors").write_text("1.3 *\n")
    (folder / "slow.sh").write_text(SLOW.format(
        factors=folder / "factors", python=sys.executable,
        script=chain.SCRIPTS / "train_ddp.py"))
    chain.run([chain.DLTAP, "run", "-o", folder / "run", "--sim-clock",
               "virtual", "--gpu", "sim:h100-sxm", "--gpus", "4", "--",
               sys.executable, "-m", "torch.distributed.run", "--master-port",
               PORT, "--no-python", "--nproc-per-node", "4", "sh",
               folder / "slow.sh"], os.environ)
    chain.run([chain.DLTAP, "pack", "--parquet", folder / "jobs", "--run",
               "monday", folder / "run"], os.environ)
    return chain.run([chain.DLTAP, "report", folder / "jobs"],
                     os.environ).stdout


def sample() -> str:
    with tempfile.TemporaryDirectory() as folder:
        (part,) = PART.findall(report(pathlib.Path(folder)))
    return "".join(f"    {line}".rstrip() + "\n" for line in part.splitlines())


@chain.needs_torch
class ManyRanksTest(unittest.TestCase):
    def test_the_slow_rank_is_named_as_the_readme_shows(self):
        (shown,) = SAMPLE.findall(README.read_text())
        self.maxDiff = None
        self.assertEqual(
            MEASURED.sub("", shown).splitlines(),
            MEASURED.sub("", sample()).splitlines(),
            "tests/integration/endtoend/many_ranks_test.py --write renews it")


if __name__ == "__main__":
    if "--write" in sys.argv:
        text = README.read_text()
        README.write_text(SAMPLE.sub(lambda _: sample(), text))
        sys.exit()
    if not os.path.exists(sys.argv.pop()):
        print("skipped: no DuckDB; scripts/setup.sh --tests installs it")
        sys.exit(77)
    unittest.main()
