# SPDX-License-Identifier: Apache-2.0
"""Tests the two ways from a kernel to its call against each other.

Outside library calls the n-th launch API record of a thread must be the n-th
recorded launch (order); its kernel then has the launch's grid and block, which
CUPTI reports apart from the order. Inside them an API record names its call
(external correlation), and must lie within it.
"""

import collections
import re

WRONG = ("order_disagrees", "external_disagrees")
LAUNCH = re.compile(
    r"^call \S+ thread=(\d+) (?:__)?cudaLaunchKernel(?:_ptsz)? depth=0 .*"
    r"gridDim.x=(\d+) gridDim.y=(\d+) gridDim.z=(\d+) "
    r"blockDim.x=(\d+) blockDim.y=(\d+) blockDim.z=(\d+)", re.M)
API = re.compile(r"^launchapi t=(\d+)\S* thread=(\d+) corr=(\d+) api=(\d+)"
                 r"(?: ext=(\d+)ns)?", re.M)
KERNEL = re.compile(r"^kernel .*corr=(\d+) .*"
                    r"grid=(\d+),(\d+),(\d+) block=(\d+),(\d+),(\d+)", re.M)
CALL = re.compile(r"^call t=(\d+)\.\.(\d+)ns thread=(\d+)", re.M)
# cudaLaunchKernel, __cudaLaunchKernel, and both _ptsz.
LAUNCH_APIS = {"211", "214", "505", "506"}
CLOCK_SLACK_NS = 20_000


def check(dump: str) -> dict:
    shapes = {m[1]: m.groups()[1:] for m in KERNEL.finditer(dump)}
    launches, records = collections.defaultdict(list), collections.defaultdict(
        list)
    for m in LAUNCH.finditer(dump):
        launches[m[1]].append(m.groups()[1:])
    calls = {(m[3], m[1]): int(m[2]) for m in CALL.finditer(dump)}
    result = collections.Counter(order_agrees=0, order_disagrees=0,
                                 external_agrees=0, external_disagrees=0)
    for m in API.finditer(dump):
        begin, thread, correlation, api, external = m.groups()
        if external is not None:
            end = calls.get((thread, external))
            inside = end is not None and (int(external) - CLOCK_SLACK_NS <=
                                          int(begin) <= end + CLOCK_SLACK_NS)
            result["external_agrees" if inside else "external_disagrees"] += 1
        elif api in LAUNCH_APIS:
            records[thread].append(correlation)
    for thread, correlations in records.items():
        for launch, correlation in zip(launches[thread], correlations):
            shape = shapes.get(correlation)
            if shape is not None:  # a launch that was captured has no kernel
                result["order_agrees" if shape == launch
                       else "order_disagrees"] += 1
    return dict(result)
