# SPDX-License-Identifier: Apache-2.0
"""make.py FOLDER [NAME=NUMBER ...] [fault=KIND:RANK:STEP:FACTOR ...] [run=NAME]

Writes a simulated job as a data set, for tests that are no Python."""
import pathlib
import sys

import job
import write


def main() -> None:
    folder, *words = sys.argv[1:]
    options, faults, run = {}, [], "one"
    for word in words:
        name, value = word.split("=", 1)
        if name == "run":
            run = value
        elif name == "fault":
            kind, rank, step, factor = value.split(":")
            faults.append(job.Fault(kind, int(rank), int(step), float(factor)))
        else:
            options[name] = int(value)
    write.write(job.Simulation(job.Job(faults=tuple(faults), **options)),
                pathlib.Path(folder), run=run)


if __name__ == "__main__":
    main()
