#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What setup.sh does when things go wrong, without a network.

A copy of scripts/ and third_party/ runs with an interpreter whose `pip
download` is played by this file: it lays down small wheels, or dies half-way.
So is npm.
"""
import os
import pathlib
import shutil
import stat
import subprocess
import sys
import tempfile
import textwrap
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]

FAKE_PYTHON = """\
#!{python}
import os, sys, time, zipfile
args = sys.argv[1:]
if args[:2] != ["-m", "pip"]:
    os.execv({python!r}, [{python!r}, *args])
with open(os.environ["FAKE_PIP_LOG"], "a") as log:
    log.write("download\\n")
dest = args[args.index("-d") + 1]
os.makedirs(dest)
mode = os.environ["FAKE_PIP"]
if mode == "no index":
    sys.exit("ERROR: No matching distribution found")
def wheel(name, *members):
    with zipfile.ZipFile(os.path.join(dest, name), "w") as archive:
        for member in members:
            archive.writestr("nvidia/cu13/" + member, "content of " + member)
wheel("nvidia_cuda_runtime-13.0-py3-none-any.whl",
      "include/cuda_runtime.h", "lib/libcudart.so.13")
if mode == "killed":
    os.kill(os.getppid(), 9)
    sys.exit(1)
time.sleep(float(os.environ.get("FAKE_PIP_SECONDS", 0)))
wheel("nvidia_cublas-13.1-py3-none-any.whl",
      "include/cublas_v2.h", "lib/libcublas.so.13")
"""


FAKE_NPM = """\
#!/bin/sh
echo "$*" >>"$FAKE_NPM_LOG"
[ "$FAKE_NPM" = works ] || exit 1
mkdir node_modules
"""


class SetupTest(unittest.TestCase):
    def setUp(self):
        self.scratch = pathlib.Path(tempfile.mkdtemp(prefix="setup_test."))
        self.addCleanup(shutil.rmtree, self.scratch)
        self.tools = self.scratch / "tools"
        self.log = self.scratch / "pip.log"
        self.log.touch()
        self.python = self.program(
            "python", FAKE_PYTHON.format(python=sys.executable))
        self.program("npm", FAKE_NPM)
        self.program("node", "#!/bin/sh\n")
        self.npm_log = self.scratch / "npm.log"
        self.clone = self.make_clone("clone")

    def program(self, name, text):
        path = self.scratch / "bin" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(textwrap.dedent(text))
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return path

    def make_clone(self, name):
        clone = self.scratch / name
        for folder in ("scripts", "third_party"):
            shutil.copytree(ROOT / folder, clone / folder)
        return clone

    def start(self, *options, clone=None, pip="works", npm="works",
              **environment):
        own = {"DLTAP_TOOLS": str(self.tools), "FAKE_PIP": pip,
               "FAKE_PIP_LOG": str(self.log), "FAKE_NPM": npm,
               "FAKE_NPM_LOG": str(self.npm_log),
               "PATH": f"{self.scratch}/bin:{os.environ['PATH']}"}
        environment = os.environ | own | environment
        command = [(clone or self.clone) / "scripts" / "setup.sh",
                   "--no-packages", *map(str, options)]
        return subprocess.Popen(command, env=environment, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def setup(self, *options, **how):
        if "--python" not in options:
            options += ("--python", self.python)
        process = self.start(*options, **how)
        out, err = process.communicate(timeout=60)
        self.assertEqual(out, "")
        return process.returncode, err

    def downloads(self):
        return len(self.log.read_text().splitlines())

    def toolkits(self):
        return sorted(p.name for p in self.tools.glob("cuda-*"))

    def choice(self):
        lines = (self.clone / "build/toolchain.env").read_text().splitlines()
        return dict(line.split("=", 1) for line in lines)

    def test_fresh_machine_gets_a_toolkit(self):
        status, err = self.setup()
        self.assertEqual(status, 0, err)
        self.assertIn("1.8 GB to download", err)
        root = pathlib.Path(self.choice()["DLTAP_CUDA_ROOT"])
        self.assertTrue((root / "include/cuda_runtime.h").exists())
        self.assertTrue((root / "include/cublas_v2.h").exists())
        # cuBLAS is kept as headers only; linking needs libX.so and lib64.
        self.assertFalse((root / "lib/libcublas.so.13").exists())
        self.assertEqual(os.readlink(root / "lib/libcudart.so"),
                         "libcudart.so.13")
        self.assertTrue((root / "lib64/libcudart.so.13").exists())

    def test_second_run_is_silent_and_leaves_the_choice_untouched(self):
        self.setup()
        before = (self.clone / "build/toolchain.env").stat().st_mtime_ns
        status, err = self.setup()
        self.assertEqual((status, err), (0, ""))
        self.assertEqual(self.downloads(), 1)
        after = (self.clone / "build/toolchain.env").stat().st_mtime_ns
        self.assertEqual(before, after)

    def test_packages_of_the_page_are_fetched_once_as_locked(self):
        self.setup()
        self.setup()
        calls = self.npm_log.read_text().splitlines()
        self.assertEqual(len(calls), 1)
        self.assertTrue(calls[0].startswith("ci --ignore-scripts"), calls)
        web = pathlib.Path(self.choice()["DLTAP_WEB_TOOLS"])
        self.assertTrue((web / "node_modules").is_dir())
        self.assertTrue((web / "package.json").exists())

    def test_failed_npm_does_not_count(self):
        status, err = self.setup(npm="fails")
        self.assertNotEqual(status, 0)
        self.assertIn("is an npm registry reachable?", err)
        self.assertEqual(list(self.tools.glob("web-*")), [])
        self.assertFalse((self.clone / "build/toolchain.env").exists())

    def test_without_npm_it_says_what_is_missing_and_goes_on(self):
        bare = self.scratch / "bare"
        bare.mkdir()
        for program in pathlib.Path("/usr/bin").iterdir():
            if program.name not in ("node", "npm"):
                (bare / program.name).symlink_to(program)
        status, err = self.setup(PATH=str(bare))
        self.assertEqual(status, 0, err)
        self.assertIn("no npm here", err)
        self.assertNotIn("DLTAP_WEB_TOOLS", self.choice())

    def test_failed_download_does_not_count(self):
        status, err = self.setup(pip="no index")
        self.assertNotEqual(status, 0)
        self.assertIn("is a Python package index reachable?", err)
        self.assertEqual(self.toolkits(), [])
        self.assertFalse((self.clone / "build/toolchain.env").exists())

    def test_killed_half_way_does_not_count(self):
        status, _ = self.setup(pip="killed")
        self.assertEqual(status, -9)
        self.assertEqual(self.toolkits(), [])
        self.assertEqual(len(list(self.tools.glob("work.*"))), 1)
        status, err = self.setup()
        self.assertEqual(status, 0, err)
        self.assertEqual(self.downloads(), 2)
        self.assertEqual(len(self.toolkits()), 1)
        self.assertEqual(list(self.tools.glob("work.*")), [])

    def test_two_clones_at_once_download_once(self):
        other = self.make_clone("other")
        running = [self.start("--python", self.python, clone=clone,
                              FAKE_PIP_SECONDS="0.5")
                   for clone in (self.clone, other)]
        for process in running:
            _, err = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 0, err)
        self.assertEqual(self.downloads(), 1)
        self.assertEqual((other / "build/toolchain.env").read_text(),
                         (self.clone / "build/toolchain.env").read_text())

    def test_changed_lock_gets_a_toolkit_of_its_own(self):
        self.setup()
        with open(self.clone / "third_party/cuda.lock", "a") as lock:
            lock.write("# changed\n")
        status, err = self.setup()
        self.assertEqual(status, 0, err)
        self.assertEqual(len(self.toolkits()), 2)

    def test_given_toolkit_downloads_nothing(self):
        toolkit = self.scratch / "toolkit"
        (toolkit / "include").mkdir(parents=True)
        (toolkit / "include/cuda_runtime.h").touch()
        status, err = self.setup("--cuda-root", toolkit)
        self.assertEqual(status, 0, err)
        self.assertNotIn("CUDA", err)
        self.assertEqual(self.downloads(), 0)
        self.assertEqual(self.choice()["DLTAP_CUDA_ROOT"], str(toolkit))
        self.assertEqual(self.choice()["DLTAP_PYTHON"], str(self.python))

    def test_folder_that_is_no_toolkit_is_refused(self):
        status, err = self.setup("--cuda-root", self.scratch)
        self.assertNotEqual(status, 0)
        self.assertIn("holds no include/cuda_runtime.h", err)

    def test_full_disk_is_told_before_the_download(self):
        self.program("df", """\
            #!/bin/sh
            echo "Filesystem 1024-blocks Used Available Capacity Mounted on"
            echo "/dev/sda1 1000000 900000 100000 90% /"
            """)
        path = f"{self.scratch / 'bin'}:{os.environ['PATH']}"
        status, err = self.setup(PATH=path)
        self.assertNotEqual(status, 0)
        self.assertIn("97 MB are free", err)
        self.assertEqual(self.downloads(), 0)

    def test_old_compiler_is_named(self):
        self.program("g++", "#!/bin/sh\necho 10\n")
        path = f"{self.scratch / 'bin'}:{os.environ['PATH']}"
        status, err = self.setup(PATH=path)
        self.assertNotEqual(status, 0)
        self.assertIn("g++ is version 10; 12 is needed", err)

    def test_unknown_option_is_refused(self):
        status, err = self.setup("--cuda")
        self.assertNotEqual(status, 0)
        self.assertIn("unknown option --cuda", err)


if __name__ == "__main__":
    unittest.main()
