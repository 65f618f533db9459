// SPDX-License-Identifier: Apache-2.0
// Programs whose C library is not quite the C library: sanitizers and
// allocators own names that a profiler is tempted to call.
#include <filesystem>

#include "gtest/gtest.h"
#include "tests/integration/tap/tapped_program.h"

namespace dltap {
namespace {

// Compiler and sanitizer of each build of the two programs, as far as this
// machine has them.
class SanitizedTest : public testing::TestWithParam<const char*> {
 protected:
  static void Compare(const std::string& name, const std::string& before_tap) {
    TappedProgram program(name);
    // What the program leaks on purpose is none of this test's business.
    program.With("ASAN_OPTIONS=detect_leaks=0").Among(before_tap, "");
    const Outcome outcome = program.Run({});
    const Outcome bare =
        TappedProgram(name.substr(0, name.find('.'))).RunBare({});
    EXPECT_EQ(outcome.output, bare.output) << name;
    EXPECT_EQ(outcome.status, bare.status) << name;
    EXPECT_GE(Recorded(program.Read(), "cudaLaunchKernel"), 1u) << name;
  }
};

TEST_P(SanitizedTest, BehavesAsWithoutUs) {
  const std::string build = GetParam();
  const std::string folder = DLTAP_TEST_PROGRAMS "/tap_";
  if (!std::filesystem::exists(folder + "versions." + build)) {
    GTEST_SKIP() << "there is no compiler for it";
  }
  // A shared libasan wants to stand first.
  const bool is_first = build == "gcc.address";
  for (const char* name : {"versions.", "dlsym_user."}) {
    Compare(name + build, is_first ? DLTAP_TEST_LIBASAN : "");
  }
}

INSTANTIATE_TEST_SUITE_P(Builds, SanitizedTest,
                         testing::Values("gcc.address", "gcc.address.static",
                                         "gcc.thread", "gcc.thread.static",
                                         "gcc.undefined", "clang.address",
                                         "clang.thread", "clang.undefined"),
                         [](const auto& test) {
                           std::string name = test.param;
                           for (char& c : name) c = c == '.' ? '_' : c;
                           return name;
                         });

// One recording inside another, by another installation.
TEST(SecondCopyTest, OnlyTheFirstCopyRecords) {
  const TempDir other;
  const std::string copy = other.path() + "/libdltap.so";
  std::filesystem::copy_file(DLTAP_TAP_LIBRARY, copy);
  TappedProgram program("launches");
  const Outcome bare = program.RunBare({"100"});
  program.Among("", copy);
  const Outcome outcome = program.Run({"100"});
  EXPECT_EQ(outcome.output, bare.output);
  EXPECT_EQ(outcome.status, bare.status);
  EXPECT_EQ(Recorded(program.Read(), "cudaLaunchKernel"), 101u);
  EXPECT_EQ(program.Files().size(), 1u);
}

class AllocatorTest : public testing::TestWithParam<const char*> {};

TEST_P(AllocatorTest, PreloadedBeforeAndBehindUs) {
  std::string path = GetParam();
  if (path[0] != '/') path = std::string(DLTAP_TEST_PROGRAMS "/") + path;
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is missing";
  for (const bool is_behind : {false, true}) {
    for (const char* name : {"versions", "dlsym_user"}) {
      TappedProgram program(name);
      program.Among(is_behind ? "" : path, is_behind ? path : "");
      const Outcome bare = program.RunBare({});
      const Outcome outcome = program.Run({});
      EXPECT_EQ(outcome.output, bare.output) << name << is_behind;
      EXPECT_EQ(outcome.status, bare.status) << name << is_behind;
      EXPECT_GE(Recorded(program.Read(), "cudaLaunchKernel"), 1u);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Libraries, AllocatorTest,
    testing::Values("libtap_early_malloc.so",
                    "/usr/lib/x86_64-linux-gnu/libjemalloc.so.2",
                    "/usr/lib/x86_64-linux-gnu/libtcmalloc_minimal.so.4"));

}  // namespace
}  // namespace dltap
