# SPDX-License-Identifier: Apache-2.0
"""What a dump tells of context switches, against what its samples do."""
import collections
import dataclasses
import re

SAMPLE = re.compile(r"sample t=(-?\d+)ns thread=(\d+) on_cpu=\d cpu=(\d+)ns "
                    r"run_delay=(\d+)ns")
OFF = re.compile(r"off_cpu t=(-?\d+)\.\.(-?\d+)ns thread=(\d+) "
                 r"preempted=(\d)")
KNOWN = re.compile(r"switches_known t=(-?\d+)\.\.(-?\d+)ns thread=(\d+)")


@dataclasses.dataclass(frozen=True)
class Told:
    """Of one thread, from a sample to another with all switches known, in ms."""
    switches: int
    runs_ms: float       # by switches
    preempted_ms: float
    cpu_ms: float        # by samples
    run_delay_ms: float


def by_thread(dump: str) -> list[Told]:
    samples, off, known = (collections.defaultdict(list) for _ in range(3))
    for line in dump.splitlines():
        if match := SAMPLE.match(line):
            at, thread, cpu, delay = map(int, match.groups())
            samples[thread].append((at, cpu, delay))
        elif match := OFF.match(line):
            begin, end, thread, preempted = map(int, match.groups())
            off[thread].append((begin, end, preempted))
        elif match := KNOWN.match(line):
            begin, end, thread = map(int, match.groups())
            known[thread].append((begin, end))
    return [told for thread in known
            if (told := of_thread(samples[thread], off[thread], known[thread]))]


def joined(off):
    """One that lasts over a look at the thread is told in parts."""
    out = []
    for begin, end, preempted in off:
        if out and out[-1][1:] == (begin, preempted):
            begin = out.pop()[0]
        out.append((begin, end, preempted))
    return out


def of_thread(samples, off, known):
    if any(a[1] != b[0] for a, b in zip(known, known[1:])):
        return None  # not throughout
    samples = [sample for sample in samples
               if known[0][0] <= sample[0] <= known[-1][1]]
    # What a thread ran from the last look at it to its end is not counted.
    while len(samples) > 1 and samples[-1][1] == samples[-2][1]:
        samples.pop()
    if len(samples) < 2:
        return None
    (begin, cpu, delay), (end, last_cpu, last_delay) = samples[0], samples[-1]
    inside = [(max(a, begin), min(b, end), preempted and b <= end)
              for a, b, preempted in joined(off) if b > begin and a < end]
    runs = end - begin - sum(b - a for a, b, _ in inside)
    # The kernel counts a wait for a CPU when it ends.
    preempted = sum(b - a for a, b, has_ended in inside if has_ended)
    return Told(len(inside), runs / 1e6, preempted / 1e6,
                (last_cpu - cpu) / 1e6, (last_delay - delay) / 1e6)
