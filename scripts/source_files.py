# SPDX-License-Identifier: Apache-2.0
"""Which files the gates look at."""
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
NOT_OURS = ("build", ".git", "__pycache__")


def source_files(root: pathlib.Path = ROOT) -> list[str]:
    """Paths below `root`, sorted: what git knows or would add; without git
    (a source tarball, a test's scratch folder) all but build folders."""
    listing = subprocess.run(
        ["git", "-C", root, "ls-files", "-co", "--exclude-standard"],
        capture_output=True, text=True, check=False)
    top = subprocess.run(["git", "-C", root, "rev-parse", "--show-toplevel"],
                         capture_output=True, text=True, check=False)
    if listing.returncode == 0 and top.stdout.strip() == str(root.resolve()):
        paths = listing.stdout.splitlines()
    else:
        paths = [str(p.relative_to(root)) for p in root.rglob("*")
                 if not any(part.startswith(NOT_OURS)
                            for part in p.relative_to(root).parts)]
    return sorted(path for path in paths if (root / path).is_file())


def read_lines(root: pathlib.Path, path: str) -> list[str]:
    return (root / path).read_text("utf-8", "replace").splitlines()
