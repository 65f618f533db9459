// SPDX-License-Identifier: Apache-2.0
// DLTAP_MAX_MB: the trace never exceeds it, whatever the program defines, and
// what is left explains itself.
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "tests/integration/tap/tapped_program.h"

namespace dltap {
namespace {

// On disk, of each data file; the ring file lies elsewhere or beside them.
std::map<std::string, uint64_t> AllocatedByFile(const std::string& directory) {
  std::map<std::string, uint64_t> bytes;
  std::error_code error;
  std::filesystem::directory_iterator it(directory, error);
  for (; !error && it != std::filesystem::directory_iterator();
       it.increment(error)) {
    struct stat status;
    if (it->path().extension() == ".dltap" &&
        stat(it->path().c_str(), &status) == 0) {
      bytes[it->path()] = static_cast<uint64_t>(status.st_blocks) * 512;
    }
  }
  return bytes;
}

// Files change while they are looked at one by one. Each only grows, and then
// only shrinks or goes, so that between two looks it held the lesser of both:
// what all of these did at one moment, at least.
uint64_t AllocatedBytes(const std::string& directory) {
  const auto before = AllocatedByFile(directory);
  uint64_t bytes = 0;
  for (const auto& [file, after] : AllocatedByFile(directory)) {
    const auto it = before.find(file);
    if (it != before.end()) bytes += std::min(it->second, after);
  }
  return bytes;
}

// Later ones are called stem.N.dltap.
bool HasFirstSegment(const std::vector<std::string>& files) {
  return std::ranges::any_of(files, [](const std::string& file) {
    const std::string number =
        std::filesystem::path(file).stem().extension().string();
    return number.empty() || !std::ranges::all_of(number.substr(1), isdigit);
  });
}

struct Case {
  const char* limit;
  uint64_t bytes;
  const char* what;
  const char* count;
};

class TapBoundedTest : public testing::TestWithParam<Case> {};

TEST_P(TapBoundedTest, StaysWithinTheLimitAndExplainsItself) {
  const Case& param = GetParam();
  TappedProgram program("definers");
  program.With(std::string("DLTAP_MAX_MB=") + param.limit);
  std::atomic<bool> ended = false;
  uint64_t most = 0;
  std::thread watch([&] {
    while (!ended) {
      most = std::max(most, AllocatedBytes(program.directory()));
    }
  });
  const Outcome outcome = program.Run({param.what, param.count});
  ended = true;
  watch.join();
  EXPECT_EQ(outcome.exit_code(), 0);
  EXPECT_LE(most, param.bytes);
  EXPECT_LE(AllocatedBytes(program.directory()), param.bytes);
  const analyzer::TraceModel model = program.Read();
  ASSERT_EQ(model.processes.size(), 1u);
  EXPECT_TRUE(model.processes[0].complete);
  EXPECT_FALSE(model.processes[0].command.empty());
  EXPECT_GT(Recorded(model, "cudaLaunchKernel"), 100u);
  EXPECT_EQ(Recorded(model, "unknown"), 0u);
  EXPECT_EQ(Lost(model, "dangling_id"), 0u);
  EXPECT_EQ(Lost(model, "definition_lost"), 0u);
  EXPECT_EQ(Lost(model, "missing_slots"), 0u);
  EXPECT_EQ(Lost(model, "overwritten") > 0, !HasFirstSegment(program.Files()));
}

// Thousands of short ones may end so.
TEST(TapSpaceTest, AProcessThatIsKilledLeavesLittleSpaceTaken) {
  TappedProgram program("endings");
  program.Run({"_exit"});
  EXPECT_EQ(Recorded(program.Read(), "cudaLaunchKernel"), 100u);
  EXPECT_LT(AllocatedBytes(program.directory()), 2u << 20);
}

INSTANTIATE_TEST_SUITE_P(
    Limits, TapBoundedTest,
    testing::Values(Case{"64:ring", 64 << 20, "launches", "3000000"},
                    Case{"4:ring", 4 << 20, "launches", "500000"},
                    Case{"1", 1 << 20, "launches", "500000"},
                    Case{"0.5:ring", 1 << 19, "launches", "100000"},
                    Case{"4:ring", 4 << 20, "texts", "200000"},
                    Case{"1:ring", 1 << 20, "texts", "200000"},
                    Case{"0.5:ring", 1 << 19, "texts", "20000"},
                    Case{"1:ring", 1 << 20, "kernels", "20000"},
                    Case{"1:ring", 1 << 20, "threads", "8000"}),
    [](const auto& info) {
      std::string name = std::string(info.param.what) + info.param.limit;
      std::erase_if(name, [](char c) { return !isalnum(c); });
      return name + std::to_string(info.index);
    });

}  // namespace
}  // namespace dltap
