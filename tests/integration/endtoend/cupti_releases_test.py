# SPDX-License-Identifier: Apache-2.0
"""Each CUPTI release's records give the same kernels in the trace."""

import pathlib
import re
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import chain  # noqa: E402

RELEASES = ("11.8", "12.4", "12.8", "13.0")
PROGRAM = chain.cpp("cnn", "--capture", steps=3)
RECORD = re.compile(r"^(kernel|memcpy|memset|graphnode|kernelvariant) ")
# Correlation ids count what the program called before CUPTI was switched on.
VARYING = re.compile(r" (start|duration|corr)=\S+")


def device_records(release: str) -> list[str]:
    """What the trace says of device work, without times and correlation ids."""
    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(folder, "trace")
        chain.run_tapped(PROGRAM.command, trace,
                         DLTAP_SIM_CUPTI_VERSION=release,
                         DLTAP_SIM_CLOCK="virtual")
        dump = chain.dltap("dump", trace).stdout
    return sorted(VARYING.sub("", line) for line in dump.splitlines()
                  if RECORD.match(line))


class CuptiReleasesTest(unittest.TestCase):
    maxDiff = 2000

    def test_every_release_gives_the_same_records(self):
        newest = device_records(RELEASES[-1])
        self.assertGreater(len(newest), 20)
        for release in RELEASES[:-1]:
            with self.subTest(release):
                self.assertEqual(device_records(release), newest)


if __name__ == "__main__":
    unittest.main()
