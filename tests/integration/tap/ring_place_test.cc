// SPDX-License-Identifier: Apache-2.0
// Where the ring file lies, and what becomes of it when its process is killed.
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "analyzer/reader/ring_rescue.h"
#include "analyzer/reader/trace_reader.h"
#include "gtest/gtest.h"
#include "shim/trace/layout.h"
#include "tests/integration/tap/tapped_program.h"

namespace dltap {
namespace {

namespace fs = std::filesystem;

// Of the killed program's only data file; empty: it lies beside it.
std::string RingInSharedMemory(const TappedProgram& program) {
  for (const std::string& file : program.Files()) {
    std::string ring =
        "/dev/shm/dltap-" + fs::path(file).filename().string() + ".ring";
    if (fs::exists(ring)) return ring;
  }
  return {};
}

// Whether its data file says so; meanwhile somebody may have moved it.
bool NamesARingInSharedMemory(const TappedProgram& program) {
  for (const std::string& file : program.Files()) {
    std::ifstream data(program.directory() + "/" + file, std::ios::binary);
    std::stringstream bytes;
    bytes << data.rdbuf();
    if (bytes.str().find("/dev/shm/dltap-") != std::string::npos) return true;
  }
  return false;
}

// Another program's start may move the ring there meanwhile.
void RemoveFolder(const std::string& path) {
  std::error_code error;
  do {
    fs::remove_all(path, error);
  } while (error == std::errc::no_such_file_or_directory ||
           error == std::errc::directory_not_empty);
}

class RingPlaceTest : public testing::Test {
 protected:
  RingPlaceTest() : program_("launches") {
    uint64_t launches = 0;
    while (launches == 0) {
      RemoveFolder(program_.directory());
      program_.RunAndKill({"100000000"}, kill_after_us_);
      kill_after_us_ *= 2;
      if (program_.Files().empty()) continue;
      ring_ = RingInSharedMemory(program_);
      launches = Recorded(program_.Read(), "cudaLaunchKernel");
    }
  }

  int kill_after_us_ = 50'000;
  TappedProgram program_;
  std::string ring_;
};

TEST_F(RingPlaceTest, ReadersFindItByTheNameInTheDataFile) {
  if (ring_.empty()) GTEST_SKIP() << "no room in shared memory";
  const analyzer::TraceModel whole = program_.Read();
  EXPECT_EQ(Lost(whole, "ring_missing"), 0u);
  fs::remove(ring_);
  // Where the start of another traced program may have moved it.
  const std::string name = fs::path(ring_).filename().string();
  fs::remove(program_.directory() + "/" + name.substr(strlen("dltap-")));
  std::vector<std::string> problems;
  const auto read = analyzer::ReadTrace({program_.directory()}, &problems);
  ASSERT_TRUE(read.ok());
  const analyzer::TraceModel& rest = *read;
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_NE(problems[0].find("is not there"), std::string::npos);
  EXPECT_EQ(Lost(rest, "ring_missing"), 1u);
  EXPECT_LE(Recorded(rest, "cudaLaunchKernel"),
            Recorded(whole, "cudaLaunchKernel"));
}

TEST_F(RingPlaceTest, TheNextStartMovesItBesideItsDataFile) {
  if (ring_.empty()) GTEST_SKIP() << "no room in shared memory";
  const uint64_t before = Recorded(program_.Read(), "cudaLaunchKernel");
  TappedProgram("launches").Run({"10"});
  EXPECT_FALSE(fs::exists(ring_));
  EXPECT_EQ(Recorded(program_.Read(), "cudaLaunchKernel"), before);
  EXPECT_EQ(Lost(program_.Read(), "ring_missing"), 0u);
}

TEST_F(RingPlaceTest, ARescueThatWasKilledIsNotInTheWay) {
  if (ring_.empty()) GTEST_SKIP() << "no room in shared memory";
  const std::string name = fs::path(ring_).filename().string();
  const std::string moved =
      program_.directory() + "/" + name.substr(strlen("dltap-"));
  std::ofstream(moved + ".new") << "the first bytes";
  if (!fs::exists(ring_)) GTEST_SKIP() << "another program has moved it";
  analyzer::RescueRings(program_.directory());
  EXPECT_FALSE(fs::exists(ring_));
  EXPECT_FALSE(fs::exists(moved + ".new"));
}

TEST_F(RingPlaceTest, AMovedOneTakesNoSpaceForWhatWasNeverWritten) {
  if (ring_.empty()) GTEST_SKIP() << "no room in shared memory";
  TappedProgram("launches").Run({"10"});
  const std::string name = fs::path(ring_).filename().string();
  const std::string moved =
      program_.directory() + "/" + name.substr(strlen("dltap-"));
  struct stat status;
  ASSERT_EQ(stat(moved.c_str(), &status), 0);
  EXPECT_GT(status.st_size, 4 << 20);
  EXPECT_LT(status.st_blocks * 512, status.st_size * 2 / 3);
}

TEST_F(RingPlaceTest, AMoverThatWasKilledIsNotInTheWay) {
  if (ring_.empty()) GTEST_SKIP() << "no room in shared memory";
  const uint64_t before = Recorded(program_.Read(), "cudaLaunchKernel");
  const std::string name = fs::path(ring_).filename().string();
  const std::string moved =
      program_.directory() + "/" + name.substr(strlen("dltap-"));
  std::ofstream(moved + ".new") << "the first bytes";
  if (!fs::exists(ring_)) GTEST_SKIP() << "another program has moved it";
  TappedProgram("launches").Run({"10"});
  EXPECT_FALSE(fs::exists(ring_));
  EXPECT_FALSE(fs::exists(moved + ".new"));
  EXPECT_EQ(Recorded(program_.Read(), "cudaLaunchKernel"), before);
}

TEST_F(RingPlaceTest, TheNextStartRemovesItWhenItsFolderIsGone) {
  if (ring_.empty()) GTEST_SKIP() << "no room in shared memory";
  RemoveFolder(program_.directory());
  TappedProgram("launches").Run({"10"});
  EXPECT_FALSE(fs::exists(ring_));
}

TEST(RingPlaceOfOthersTest, OneThatNeverBeganIsRemoved) {
  const std::string path =
      "/dev/shm/dltap-empty-" + std::to_string(getpid()) + ".ring";
  if (!std::ofstream(path).is_open()) GTEST_SKIP() << "no shared memory";
  fs::last_write_time(
      path, fs::file_time_type::clock::now() - std::chrono::minutes(5));
  TappedProgram("launches").Run({"10"});
  EXPECT_FALSE(fs::exists(path));
  fs::remove(path);
}

// What would be moved while the program runs, for a while: it surely does in
// the second before it is killed.
std::vector<std::string> RescuedMeanwhile(
    TappedProgram& program, std::vector<std::string> arguments,
    const std::function<void()>& hide = [] {}) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point killed = Clock::now() + std::chrono::seconds(1);
  std::thread runner(
      [&] { program.RunAndKill(std::move(arguments), 1'000'000); });
  hide();
  std::vector<std::string> moved;
  while (Clock::now() < killed && moved.empty()) {
    if (program.Files().empty()) continue;
    const std::vector<std::string> now =
        analyzer::RescueRings(program.directory());
    if (Clock::now() < killed) moved = now;
  }
  runner.join();
  return moved;
}

TEST(RingRescueTest, LeavesTheRingsOfProcessesThatLive) {
  TappedProgram program("launches");
  EXPECT_TRUE(RescuedMeanwhile(program, {"100000000"}).empty());
}

// As in a sandbox. Of the calling thread alone.
bool HideProcesses() {
  return unshare(CLONE_FS | CLONE_NEWNS) == 0 &&
         mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         mount("dltap_test", "/proc", "tmpfs", 0, nullptr) == 0;
}

TEST(RingRescueTest, LeavesThemWhereProcessesCannotBeSeen) {
  TappedProgram program("launches");
  bool are_hidden = false;
  std::vector<std::string> moved;
  std::thread([&] {
    moved = RescuedMeanwhile(program, {"100000000"},
                             [&] { are_hidden = HideProcesses(); });
  }).join();
  if (!are_hidden) GTEST_SKIP() << "a namespace of mounts needs privileges";
  EXPECT_TRUE(moved.empty());
}

// There it has a pid that nobody has, or another process, where we are.
TEST(RingRescueTest, LeavesThemInOtherSpacesOfProcessIds) {
  TappedProgram program("/usr/bin/unshare");
  const std::string command =
      "echo 29999 > /proc/sys/kernel/ns_last_pid; " DLTAP_TEST_PROGRAMS
      "/tap_launches 100000000; :";
  if (program.RunBare({"-pf", "--mount-proc", "true"}).exit_code() != 0) {
    GTEST_SKIP() << "a space of process ids needs privileges";
  }
  EXPECT_TRUE(RescuedMeanwhile(program, {"-pf", "--mount-proc", "--kill-child",
                                         "sh", "-c", command})
                  .empty());
  // It has been killed, and is gone once somebody has waited for it.
  for (int i = 0; i < 1000 && !RingInSharedMemory(program).empty(); ++i) {
    analyzer::RescueRings(program.directory());
  }
  EXPECT_TRUE(RingInSharedMemory(program).empty());
  EXPECT_EQ(Lost(program.Read(), "ring_missing"), 0u);
}

// There its start is told by another clock.
class OtherTimeTest : public testing::Test {
 protected:
  OtherTimeTest() : program_("/usr/bin/unshare") {}
  bool MayBe() {
    return program_.RunBare({"-Tf", "--boottime=1000000", "true"})
               .exit_code() == 0;
  }
  static std::vector<std::string> Arguments() {
    return {"-Tf", "--boottime=1000000", "--kill-child",
            std::string(DLTAP_TEST_PROGRAMS) + "/tap_launches", "100000000"};
  }
  TappedProgram program_;
};

TEST_F(OtherTimeTest, RescueLeavesTheRingsOfProcessesThatLive) {
  if (!MayBe()) GTEST_SKIP() << "a time namespace needs privileges";
  EXPECT_TRUE(RescuedMeanwhile(program_, Arguments()).empty());
}

TEST_F(OtherTimeTest, TheNextStartLeavesTheRingOfAProcessThatLives) {
  if (!MayBe()) GTEST_SKIP() << "a time namespace needs privileges";
  std::atomic<bool> has_ended = false;
  std::thread runner([&] {
    program_.RunAndKill(Arguments(), 2'000'000);
    has_ended = true;
  });
  std::string ring;
  while (!has_ended && ring.empty()) ring = RingInSharedMemory(program_);
  TappedProgram("launches").Run({"1000"});
  const bool is_there = ring.empty() || fs::exists(ring);
  if (!has_ended) {
    EXPECT_TRUE(is_there);
  }
  runner.join();
}

TEST_F(RingPlaceTest, RescueMovesItBesideItsDataFile) {
  if (ring_.empty()) GTEST_SKIP() << "no room in shared memory";
  const uint64_t before = Recorded(program_.Read(), "cudaLaunchKernel");
  const std::vector<std::string> moved =
      analyzer::RescueRings(program_.directory());
  EXPECT_FALSE(fs::exists(ring_));
  struct stat status;
  for (const std::string& ring : moved) {
    ASSERT_EQ(stat(ring.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0600u);
    EXPECT_LT(status.st_blocks * 512, status.st_size * 2 / 3);
  }
  EXPECT_EQ(Recorded(program_.Read(), "cudaLaunchKernel"), before);
}

void SetFileSpace(const std::string& ring, uint32_t space) {
  std::fstream file(ring, std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(offsetof(trace::RingFileHeader, file_space));
  file.write(reinterpret_cast<const char*>(&space), sizeof(space));
}

TEST_F(RingPlaceTest, ThatOfAnotherSpaceOfFilesIsMovedADayAfterItWasSeen) {
  if (ring_.empty()) GTEST_SKIP() << "no room in shared memory";
  const uint64_t before = Recorded(program_.Read(), "cudaLaunchKernel");
  const auto long_ago =
      fs::file_time_type::clock::now() - std::chrono::hours(25);
  SetFileSpace(ring_, ~0u);
  fs::last_write_time(ring_, long_ago);  // it has lived long
  TappedProgram("launches").Run({"10"});
  TappedProgram("launches").Run({"10"});
  ASSERT_TRUE(fs::exists(ring_));
  EXPECT_EQ(Recorded(program_.Read(), "cudaLaunchKernel"), before);
  fs::last_write_time(ring_, long_ago);
  TappedProgram("launches").Run({"10"});
  EXPECT_FALSE(fs::exists(ring_));
  EXPECT_EQ(Recorded(program_.Read(), "cudaLaunchKernel"), before);
}

// A sandbox, say, hides what the kernel says of it.
TEST(RingPlaceOfOthersTest, WhoCannotBeSeenIsNotTakenForGone) {
  TempDir other;
  TappedProgram program("/usr/bin/unshare");
  if (program.RunBare({"-m", "true"}).exit_code() != 0) {
    GTEST_SKIP() << "a namespace of mounts needs privileges";
  }
  const std::string launches = DLTAP_TEST_PROGRAMS "/tap_launches ";
  const Outcome outcome = program.Run(
      {"-m", "sh", "-c",
       "mount --make-rprivate /; " + launches + "100000000 > /dev/null & " +
           "sleep 0.5; mount -t tmpfs dltap_test /proc/$!; DLTAP_OUTPUT=" +
           other.path() + "/out " + launches + "10; for file in " +
           program.directory() +
           "/*; do ls /dev/shm/dltap-${file##*/}.ring; "
           "done; kill -9 $!"});
  if (!NamesARingInSharedMemory(program)) {
    GTEST_SKIP() << "no room in shared memory";
  }
  for (const std::string& file : program.Files()) {
    EXPECT_FALSE(file.ends_with(".ring")) << file;
  }
  EXPECT_NE(outcome.output.find("/dev/shm/dltap-"), std::string::npos);
  EXPECT_NE(outcome.output.find("calls 25"), std::string::npos);
}

// A pipe of that name, as any user may make one.
TEST(RingPlaceOfOthersTest, APipeOfARingsNameStopsNobody) {
  const std::string pipe =
      "/dev/shm/dltap-pipe-" + std::to_string(getpid()) + ".ring";
  if (mkfifo(pipe.c_str(), 0644) != 0) GTEST_SKIP() << "no shared memory";
  TappedProgram program("launches");
  EXPECT_EQ(program.Run({"10"}).exit_code(), 3);
  fs::remove(pipe);
  const analyzer::TraceModel model = program.Read();
  EXPECT_TRUE(model.processes.at(0).complete);
  EXPECT_EQ(Lost(model, "flush_deadline"), 0u);
}

// An exec keeps pid and start time, and so the ring's name where the folders
// differ.
TEST(RingPlaceOfExecedTest, TheRingOfTheProgramBeforeMakesRoom) {
  TempDir second;
  TappedProgram program("endings");
  program.With("SECOND=" + second.path() + "/out");
  EXPECT_EQ(program.Run({"exec_elsewhere"}).signal_number(), SIGKILL);
  EXPECT_EQ(Recorded(program.Read(), "cudaLaunchKernel"), 100u);
  TappedProgram next("endings");
  next.Into(second.path() + "/out");
  EXPECT_EQ(NamesARingInSharedMemory(next), NamesARingInSharedMemory(program));
  EXPECT_EQ(Recorded(next.Read(), "cudaLaunchKernel"), 100u);
  EXPECT_EQ(Lost(next.Read(), "ring_missing"), 0u);
}

// The ring file has room for a path of 379 bytes.
TEST(RingPlaceOfLongPathTest, IsBesideTheDataFile) {
  TempDir temp;
  TappedProgram program("endings");
  std::string folder = temp.path();
  for (int i = 0; i < 5; ++i) folder += "/" + std::string(100, 'x');
  program.Into(folder);
  EXPECT_EQ(program.Run({"kill"}).signal_number(), SIGKILL);
  EXPECT_TRUE(RingInSharedMemory(program).empty());
  EXPECT_EQ(program.Files().size(), 2u);
  EXPECT_EQ(Recorded(program.Read(), "cudaLaunchKernel"), 100u);
}

// The trace of a killed program, where another one cannot see it: a folder
// covered by a mount in a namespace or under a root of its own.
class RingOfOtherSpaceTest : public testing::TestWithParam<const char*> {
 protected:
  // `first` is killed, `then` runs where its folder is covered.
  std::string Script(const std::string& first, const std::string& then) {
    const std::string folder = fs::path(program_.directory()).parent_path();
    const bool has_root = GetParam() == std::string("root");
    const std::string root = has_root ? root_.path() : "";
    const std::string cover =
        "mount -t tmpfs dltap_test " + root + folder + " && ";
    const std::string run =
        "env DLTAP_OUTPUT=" + other_.path() + "/out " + then;
    return "mount --make-rprivate / && { " + first +
           " & sleep 0.5; kill -9 $!; wait $!; } ; " +
           (has_root ? "mount --rbind / " + root + " && " + cover + "chroot " +
                           root + " " + run
                     : "unshare -m sh -c '" + cover + run + "'");
  }
  TempDir root_;
  TempDir other_;
  TappedProgram program_{"/usr/bin/unshare"};
};

TEST_P(RingOfOtherSpaceTest, IsLeftWhereItsReadersFindIt) {
  if (program_.RunBare({"-m", "true"}).exit_code() != 0) {
    GTEST_SKIP() << "a namespace of mounts needs privileges";
  }
  const std::string launches = DLTAP_TEST_PROGRAMS "/tap_launches ";
  const std::string count = other_.Write("count", std::string(8, '\0'));
  program_.Run({"-m", "sh", "-c",
                Script(launches + "100000000 " + count, launches + "10")});
  const std::string ring = RingInSharedMemory(program_);
  if (ring.empty() && !NamesARingInSharedMemory(program_)) {
    GTEST_SKIP() << "no room in shared memory";
  }
  TappedProgram second("launches");
  second.Into(other_.path() + "/out");
  EXPECT_EQ(Recorded(second.Read(), "cudaLaunchKernel"), 11u);
  uint64_t returned = 0;
  std::ifstream(count, std::ios::binary)
      .read(reinterpret_cast<char*>(&returned), sizeof(returned));
  const analyzer::TraceModel model = program_.Read();
  EXPECT_GT(returned, 0u);
  EXPECT_GE(Recorded(model, "cudaLaunchKernel") + Lost(model, "ring_full"),
            returned);
  EXPECT_EQ(Lost(model, "ring_missing"), 0u);
  fs::remove(ring);
}

INSTANTIATE_TEST_SUITE_P(Ways, RingOfOtherSpaceTest,
                         testing::Values("namespace", "root"));

// They live for milliseconds and end by _exit: each looks after those before.
TEST(RingPlaceOfEndedTest, APoolOfShortProcessesDoesNotFillSharedMemory) {
  TappedProgram program("forks");
  program.With("DLTAP_LEVEL=host");
  EXPECT_EQ(program.Run({"pool"}).exit_code(), 0);
  size_t in_memory = 0;
  uintmax_t on_disk = 0;
  for (const std::string& file : program.Files()) {
    in_memory += fs::exists("/dev/shm/dltap-" + file + ".ring") ? 1 : 0;
    struct stat status;
    const std::string path = program.directory() + "/" + file;
    ASSERT_EQ(stat(path.c_str(), &status), 0);
    on_disk += static_cast<uintmax_t>(status.st_blocks) * 512;
  }
  EXPECT_LE(in_memory, 90u);
  EXPECT_LE(on_disk, uintmax_t{240} << 20);
  EXPECT_EQ(Recorded(program.Read(), "cudaLaunchKernel"), 3u * 120);
}

TEST(RingPlaceOfEndedTest, AnEndedProcessLeavesNone) {
  TappedProgram program("launches");
  program.Run({"1000"});
  EXPECT_TRUE(program.Read().processes.at(0).complete);
  EXPECT_TRUE(RingInSharedMemory(program).empty());
  EXPECT_EQ(program.Files().size(), 1u);
}

}  // namespace
}  // namespace dltap
