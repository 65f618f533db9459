// SPDX-License-Identifier: Apache-2.0
// Context switches of threads that sleep more or launch less than others.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/integration/tap/tapped_program.h"

namespace dltap {
namespace {

constexpr int64_t kNsPerSecond = 1'000'000'000;

struct Span {
  int64_t begin_ns;
  int64_t end_ns;
};

// In which the switches of the program's only thread are known, in time; of
// spans that follow each other one.
std::vector<Span> KnownOf(const analyzer::TraceModel& model) {
  std::vector<Span> known;
  for (const analyzer::SwitchesKnown& span :
       model.processes.at(0).switches_known) {
    if (!known.empty() && known.back().end_ns >= span.begin_ns) {
      known.back().end_ns = std::max(known.back().end_ns, span.end_ns);
    } else {
      known.push_back({span.begin_ns, span.end_ns});
    }
  }
  return known;
}

int SaidSwitches(const std::string& output) {
  const size_t at = output.find("switches ");
  return at == std::string::npos ? 0 : std::atoi(output.c_str() + at + 9);
}

TEST(TapSwitchesTest, AThreadThatOnlySleepsLosesNone) {
  TappedProgram program("sleeps");
  program.With("DLTAP_LEVEL=host");
  const Outcome outcome = program.Run({"idle"});
  const analyzer::TraceModel model = program.Read();
  const std::vector<Span> known = KnownOf(model);
  if (known.empty()) GTEST_SKIP() << "the kernel does not tell";
  EXPECT_EQ(Lost(model, "switches_lost"), 0u);
  EXPECT_EQ(known.size(), 1u);
  EXPECT_GE(known.back().end_ns - known.front().begin_ns, 2 * kNsPerSecond);
  // Both switches of a sleep, of which a span begins with the first; each was
  // counted once by the kernel.
  EXPECT_GE(static_cast<int>(model.processes[0].off_cpu.size()),
            SaidSwitches(outcome.output));
}

TEST(TapSwitchesTest, AThreadIsLetGoWhileItSwitchesMoreThan5000TimesASecond) {
  TappedProgram program("sleeps");
  program.With("DLTAP_LEVEL=host");
  const Outcome outcome = program.Run({"burst"});
  const std::vector<Span> known = KnownOf(program.Read());
  if (known.empty()) GTEST_SKIP() << "the kernel does not tell";
  // Each sleep is two of the ring's, and an idle machine makes 18,000 of them.
  if (SaidSwitches(outcome.output) < 10'000) {
    GTEST_SKIP() << "a busy machine: the sleeps took too long";
  }
  ASSERT_EQ(known.size(), 2u);
  EXPECT_LT(known[0].end_ns - known[0].begin_ns, kNsPerSecond / 2);
  EXPECT_GE(known[1].begin_ns - known[0].end_ns, 29 * kNsPerSecond / 10);
  EXPECT_LT(known[1].begin_ns - known[0].end_ns, 4 * kNsPerSecond);
}

}  // namespace
}  // namespace dltap
