# SPDX-License-Identifier: Apache-2.0
"""Tests the ways from a kernel to its call against each other.

What tells of a launch (a callback, or an API record inside a library call)
names a call, and must lie within it; if that call is a launch itself, the
kernel has its grid and block, which CUPTI reports apart from that. API records
outside library calls name none: the n-th of a thread must be its n-th recorded
launch, of the same grid and block.
"""

import collections
import re

WRONG = ("order_disagrees", "external_disagrees", "shape_disagrees")
LAUNCH = re.compile(
    r"^call t=(\d+)\S+ thread=(\d+) (?:__)?cudaLaunchKernel(?:_ptsz)? depth=0 .*"
    r"gridDim.x=(\d+) gridDim.y=(\d+) gridDim.z=(\d+) "
    r"blockDim.x=(\d+) blockDim.y=(\d+) blockDim.z=(\d+)", re.M)
API = re.compile(r"^launchapi t=(\d+)\S* thread=(\d+) corr=(\d+)"
                 r"(?: api=(\d+))?(?: ext=(\d+)ns)?", re.M)
KERNEL = re.compile(r"^kernel .*corr=(\d+) .*"
                    r"grid=(\d+),(\d+),(\d+) block=(\d+),(\d+),(\d+)", re.M)
CALL = re.compile(r"^call t=(\d+)\.\.(\d+)ns thread=(\d+)", re.M)
# cudaLaunchKernel, __cudaLaunchKernel, and both _ptsz.
LAUNCH_APIS = {"211", "214", "505", "506"}
CLOCK_SLACK_NS = 20_000


def check(dump: str) -> dict:
    shapes = {m[1]: m.groups()[1:] for m in KERNEL.finditer(dump)}
    launches, records = collections.defaultdict(dict), collections.defaultdict(
        list)
    for m in LAUNCH.finditer(dump):
        launches[m[2]][m[1]] = m.groups()[2:]
    calls = {(m[3], m[1]): int(m[2]) for m in CALL.finditer(dump)}
    result = collections.Counter()
    for m in API.finditer(dump):
        begin, thread, correlation, api, external = m.groups()
        if external is None:
            if api in LAUNCH_APIS:
                records[thread].append(correlation)
            continue
        end = calls.get((thread, external))
        inside = end is not None and (int(external) - CLOCK_SLACK_NS <=
                                      int(begin) <= end + CLOCK_SLACK_NS)
        result["external_agrees" if inside else "external_disagrees"] += 1
        launch = launches[thread].get(external)
        shape = shapes.get(correlation)
        if launch is not None and shape is not None:
            result["shape_agrees" if shape == launch
                   else "shape_disagrees"] += 1
    for thread, correlations in records.items():
        for launch, correlation in zip(launches[thread].values(),
                                       correlations):
            shape = shapes.get(correlation)
            if shape is not None:  # a launch that was captured has no kernel
                result["order_agrees" if shape == launch
                       else "order_disagrees"] += 1
    return {name: result[name]
            for kind in ("order", "external", "shape")
            for name in (f"{kind}_agrees", f"{kind}_disagrees")}
