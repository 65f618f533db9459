#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lays NVIDIA's CUDA wheels out as one toolkit tree.

usage: unpack_cuda_wheels.py [--headers-only A,B] DEST WHEEL...

Every wheel holds nvidia/<component>/{include,lib,bin,nvvm}; the tree merges
them. Of the distributions named by --headers-only only include/ is kept.
Adds what the wheels lack and linking needs: libX.so beside libX.so.N, lib64.
"""
import argparse
import os
import re
import shutil
import sys
import zipfile

MEMBER = re.compile(r"nvidia/[^/]+/(include|lib|lib64|bin|nvvm)/(.+)$")


def unpack(wheel: str, dest: str, headers_only: bool) -> None:
    with zipfile.ZipFile(wheel) as archive:
        for info in archive.infolist():
            match = MEMBER.match(info.filename)
            if not match or info.is_dir() or info.filename.endswith("__init__.py"):
                continue
            top, rest = match.groups()
            if headers_only and top != "include" or ".alt.so" in rest:
                continue
            path = os.path.join(dest, "lib" if top == "lib64" else top, rest)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with archive.open(info) as source, open(path, "wb") as target:
                shutil.copyfileobj(source, target, 1 << 20)
            os.chmod(path, (info.external_attr >> 16) & 0o777 or 0o644)


def add_links(dest: str) -> None:
    lib = os.path.join(dest, "lib")
    for name in sorted(os.listdir(lib)):
        match = re.match(r"(lib[^.]+)\.so\.\d+$", name)
        if match and not os.path.lexists(os.path.join(lib, match[1] + ".so")):
            os.symlink(name, os.path.join(lib, match[1] + ".so"))
    if not os.path.lexists(os.path.join(dest, "lib64")):
        os.symlink("lib", os.path.join(dest, "lib64"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--headers-only", default="")
    parser.add_argument("dest")
    parser.add_argument("wheels", nargs="+")
    args = parser.parse_args()
    slim = set(args.headers_only.split(","))
    for wheel in args.wheels:
        try:
            distribution = os.path.basename(wheel).split("-")[0]
            unpack(wheel, args.dest, distribution in slim)
        except zipfile.BadZipFile as error:
            sys.exit(f"{wheel}: not a wheel ({error}); remove it and run again")
    add_links(args.dest)


if __name__ == "__main__":
    main()
