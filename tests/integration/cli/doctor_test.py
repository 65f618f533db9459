# SPDX-License-Identifier: Apache-2.0
"""Does `dltap doctor` say what a recording would see? With real programs.

Usage: doctor_test.py DLTAP
"""

import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

DLTAP = ""
OTHER_USER = 65534


class DoctorTest(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def doctor(self, *command, inside=(), **variables):
        """Findings by subject, and the exit code; run by the command `inside`,
        if any."""
        words = ["--", *map(str, command)] if command else []
        done = subprocess.run(
            [*inside, DLTAP, "doctor", "--gpu", "sim:h100-sxm", "--json", *words],
            capture_output=True, text=True,
            env=os.environ | {"DLTAP_OUTPUT": str(self.folder)} | variables)
        document = json.loads(done.stdout)
        self.assertEqual(document["schema"], "dltap.doctor")
        self.assertEqual(done.returncode, 0 if document["complete"] else 1)
        found = {row["subject"]: row for row in document["findings"]}
        return found, done.returncode

    def compiled(self, name, text, *flags):
        source = self.folder / f"{name}.c"
        source.write_text(text)
        program = self.folder / name
        subprocess.run(["gcc", "-o", program, source, *flags], check=True)
        return program

    def nothing_is_seen(self, command, words):
        found, code = self.doctor(*command)
        self.assertEqual((found["program"]["verdict"], code), ("nothing", 1))
        self.assertIn(words, found["program"]["text"])
        self.assertTrue(found["program"]["advice"])

    def test_dynamic_program_is_seen_whole(self):
        found, code = self.doctor("/bin/true")
        self.assertEqual((found["program"]["verdict"], code), ("ok", 0))

    def test_python_names_its_frameworks(self):
        python = self.folder / "venv/bin/python"
        packages = self.folder / "venv/lib/python3.11/site-packages/torch"
        python.parent.mkdir(parents=True)
        (packages / "lib").mkdir(parents=True)
        python.symlink_to(sys.executable)
        (packages / "version.py").write_text(
            "cuda: Optional[str] = '12.8'\n")
        shutil.copy("/bin/true", packages / "lib/libtorch_cuda.so")
        found, code = self.doctor(python, "train.py")
        self.assertEqual(code, 0)
        self.assertEqual(found["frameworks"]["text"], "torch, for CUDA 12")
        self.assertNotIn("cudart", found)

    def test_static_executable_is_not_seen(self):
        self.nothing_is_seen(
            [self.compiled("static", "int main() { return 0; }", "-static")],
            "static executable")

    def copied(self, mode, owner=None):
        program = self.folder / "copied"
        shutil.copy("/bin/cat", program)
        if owner is not None:
            os.chown(program, owner, owner)
        program.chmod(mode)
        return program

    @unittest.skipIf(os.getuid(), "needs root, to give a file away")
    def test_set_uid_program_is_not_seen(self):
        for mode, words in ((0o4755, "set-uid"), (0o2755, "set-gid")):
            self.nothing_is_seen([self.copied(mode, OTHER_USER)], words)

    def test_a_bit_that_changes_nothing_hides_nothing(self):
        """Set-uid of the user who runs it: the loader preloads as ever."""
        program = self.copied(0o6755)
        library = pathlib.Path(DLTAP).parent.parent / "lib/libdltap.so"
        maps = subprocess.run(
            [program, "/proc/self/maps"], text=True, capture_output=True,
            env=os.environ | {"LD_PRELOAD": str(library)}).stdout
        self.assertIn("libdltap.so", maps)
        found, code = self.doctor(program)
        self.assertEqual((found["program"]["verdict"], code), ("ok", 0))

    @unittest.skipIf(os.getuid(), "needs root, to give a file capabilities")
    def test_capabilities_of_a_file_hide_it_from_other_users(self):
        program = self.copied(0o755)
        net_admin = (0x02000001, 1 << 12, 0, 0, 0)  # VFS_CAP_REVISION_2
        os.setxattr(program, "security.capability",
                    struct.pack("<5I", *net_admin))
        found, code = self.doctor(program)
        self.assertEqual((found["program"]["verdict"], code), ("ok", 0))
        self.folder.chmod(0o777)
        if subprocess.run(["test", "-x", DLTAP], user=OTHER_USER).returncode:
            self.skipTest("another user cannot run this build")
        done = subprocess.run([DLTAP, "doctor", "--", program], text=True,
                              capture_output=True, user=OTHER_USER)
        self.assertRegex(done.stdout, "(?m)^nothing .*capabilities")

    def loaded_by(self, loader):
        """A program with this interpreter."""
        program = self.folder / "loaded"
        image = pathlib.Path("/bin/true").read_bytes()
        own = b"/lib64/ld-linux-x86-64.so.2\0"
        self.assertEqual(image.count(own), 1)
        program.write_bytes(image.replace(own, loader.ljust(len(own), b"\0")))
        program.chmod(0o755)
        return program

    def test_program_of_another_c_library_is_not_seen(self):
        self.nothing_is_seen([self.loaded_by(b"/lib/ld-musl-x86_64.so.1")],
                             "another C library")

    def test_loaders_of_glibc_have_many_names(self):
        for loader in (b"/lib64/ld-lsb-x86-64.so.3", b"/opt/lib/ld-2.17.so"):
            found, code = self.doctor(self.loaded_by(loader))
            self.assertEqual((found["program"]["verdict"], code), ("ok", 0))

    def test_other_architecture_is_not_seen(self):
        program = self.folder / "other"
        image = bytearray(pathlib.Path("/bin/true").read_bytes())
        image[18:20] = (183).to_bytes(2, "little")  # EM_AARCH64
        program.write_bytes(image)
        program.chmod(0o755)
        self.nothing_is_seen([program], "x86-64")

    def test_missing_and_damaged_programs_are_said(self):
        self.nothing_is_seen(["/nonexistent/program"], "was not found")
        plain = self.folder / "plain"
        plain.write_text("hello")
        plain.chmod(0o755)
        self.nothing_is_seen([plain], "no program")
        cut = self.folder / "cut"
        cut.write_bytes(pathlib.Path("/bin/true").read_bytes()[:100])
        cut.chmod(0o755)
        self.assertEqual(self.doctor(cut)[1], 1)

    def test_script_is_judged_by_its_interpreter(self):
        script = self.folder / "train"
        script.write_text(f"#!/usr/bin/env sh\n:\n")
        script.chmod(0o755)
        found, code = self.doctor(script)
        self.assertEqual(code, 0)
        self.assertIn("runs by", found["program"]["text"])

    def test_runtime_that_is_linked_in_is_said(self):
        text = ('const char* text = "CUDA driver version is insufficient for '
                'CUDA runtime version"; int main() { return !text; }')
        found, code = self.doctor(self.compiled("linked", text))
        self.assertEqual((found["cudart"]["verdict"], code), ("lost", 1))
        self.assertIn("-cudart shared", found["cudart"]["advice"])

    def test_other_tools_are_named(self):
        found, code = self.doctor("/bin/true",
                                  CUDA_INJECTION64_PATH="/opt/tool.so")
        self.assertEqual((found["tools"]["verdict"], code), ("lost", 1))
        found, code = self.doctor("/bin/true", LD_PRELOAD="libc.so.6")
        self.assertEqual((found["tools"]["verdict"], code), ("note", 0))

    def test_place_of_the_trace_is_tried(self):
        file = self.folder / "file"
        file.write_text("x")
        found, code = self.doctor("/bin/true", DLTAP_OUTPUT=f"{file}/%p")
        self.assertEqual((found["output"]["verdict"], code), ("nothing", 1))
        found, code = self.doctor("/bin/true", DLTAP_MAX_MB="16000000")
        self.assertEqual((found["output"]["verdict"], code), ("note", 0))

    def output_in(self, options, limit):
        """What is said of a place of its own, mounted with these options."""
        place = self.folder / "place"
        place.mkdir(exist_ok=True)
        if subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs",
                           place], capture_output=True).returncode:
            self.skipTest("nothing can be mounted here")
        try:
            found, _ = self.doctor("/bin/true", DLTAP_OUTPUT=str(place),
                                   DLTAP_MAX_MB=limit)
        finally:
            subprocess.run(["umount", place], check=True)
        return found["output"]["verdict"]

    @unittest.skipIf(os.getuid(), "needs root, to mount a small folder")
    def test_a_full_place_takes_no_trace(self):
        self.assertEqual(self.output_in("size=4k", "64:ring"), "nothing")
        self.assertEqual(self.output_in("nr_inodes=1", "64:ring"), "nothing")
        self.assertEqual(self.output_in("size=32m", "64:ring"), "note")

    @unittest.skipIf(os.getuid(), "needs root, to mount a folder")
    def test_a_place_that_does_not_count_its_room_is_not_full(self):
        self.assertEqual(self.output_in("size=0,nr_inodes=0", "64:ring"), "ok")

    @unittest.skipIf(os.getuid(), "needs root, to mount a small folder")
    def test_a_limit_below_a_megabyte_is_read(self):
        self.assertEqual(self.output_in("size=32m", "0.5:ring"), "ok")

    @unittest.skipIf(os.getuid(), "needs root, to mount shared memory")
    def test_shared_memory_that_the_tap_does_not_use_is_said(self):
        """64 MB is what containers have, and less than it asks for."""
        for size, is_said in (("64m", True), ("300m", False)):
            inside = ["unshare", "--mount", "sh", "-c",
                      f"mount -t tmpfs -o size={size} tmpfs /dev/shm && "
                      'exec "$@"', "sh"]
            if subprocess.run([*inside, "true"],
                              capture_output=True).returncode:
                self.skipTest("nothing can be mounted here")
            found, _ = self.doctor("/bin/true", inside=inside)
            self.assertEqual("shared_memory" in found, is_said, size)

    def test_what_the_environment_switches_off_is_said(self):
        found, code = self.doctor("/bin/true", DLTAP_DISABLE="1")
        self.assertEqual((found["disabled"]["verdict"], code), ("nothing", 1))
        found, code = self.doctor("/bin/true", DLTAP_LEVEL="host")
        self.assertEqual((found["level"]["verdict"], code), ("lost", 1))

    def test_machine_without_a_gpu_is_said(self):
        if any(pathlib.Path(path).exists() for path in
               ("/proc/driver/nvidia/version", "/dev/nvidiactl", "/dev/dxg")):
            self.skipTest("this machine has a GPU")
        done = subprocess.run([DLTAP, "doctor"], capture_output=True,
                              text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("no NVIDIA driver", done.stdout)
        self.assertTrue(done.stdout.endswith("not all will be seen\n"))

    def test_no_version_of_cuda_is_made_up(self):
        done = subprocess.run([DLTAP, "doctor", "--", "/nonexistent/program"],
                              capture_output=True, text=True)
        self.assertNotIn("libcupti.so.0", done.stdout)


if __name__ == "__main__":
    DLTAP = sys.argv.pop(1)
    unittest.main()
