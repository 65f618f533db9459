// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/runtime/config.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace dltap::shim {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> g_warnings;

Config Parse(std::vector<const char*> environment, bool secure = false) {
  g_warnings.clear();
  environment.push_back(nullptr);
  return ParseConfig(environment.data(), secure,
                     [](const char* line) { g_warnings.push_back(line); });
}

TEST(ConfigTest, EmptyEnvironmentGivesDefaults) {
  const Config config = Parse({"PATH=/bin"});
  EXPECT_FALSE(config.disabled);
  EXPECT_FALSE(config.start_paused);
  EXPECT_TRUE(config.pointers);
  EXPECT_FALSE(config.tensorflow_names);
  EXPECT_EQ(config.level, Level::kKernels);
  EXPECT_EQ(config.max_bytes, uint64_t{2048} << 20);
  EXPECT_EQ(config.policy, SizePolicy::kRing);
  EXPECT_STREQ(config.output, "");
  EXPECT_THAT(g_warnings, IsEmpty());
}

TEST(ConfigTest, EveryVariableIsRead) {
  const Config config =
      Parse({"DLTAP_OUTPUT=/tmp/x", "DLTAP_MAX_MB=10", "DLTAP_LEVEL=host",
             "DLTAP_START=off", "DLTAP_LOG=debug", "DLTAP_DISABLE=1",
             "DLTAP_CLOCK=monotonic", "DLTAP_POINTERS=0", "DLTAP_TF_NAMES=1"});
  EXPECT_STREQ(config.output, "/tmp/x");
  EXPECT_EQ(config.max_bytes, uint64_t{10} << 20);
  EXPECT_EQ(config.level, Level::kHost);
  EXPECT_TRUE(config.start_paused);
  EXPECT_EQ(config.log, LogLevel::kDebug);
  EXPECT_TRUE(config.disabled);
  EXPECT_EQ(config.clock, ClockKind::kMonotonic);
  EXPECT_FALSE(config.pointers);
  EXPECT_TRUE(config.tensorflow_names);
  EXPECT_THAT(g_warnings, IsEmpty());
}

TEST(ConfigTest, DelaysAreMicroseconds) {
  const Config config =
      Parse({"DLTAP_DELAYS=20,50,100", "DLTAP_DELAY_WINDOW_MS=250"});
  EXPECT_THAT(config.delays_us, ElementsAre(20, 50, 100, 0, 0, 0, 0, 0));
  EXPECT_EQ(config.delay_window_ms, 250);
  EXPECT_THAT(g_warnings, IsEmpty());
  EXPECT_EQ(Parse({"DLTAP_DELAYS="}).delays_us[0], 0);
  EXPECT_THAT(g_warnings, IsEmpty());
}

TEST(ConfigTest, BadDelaysAreNone) {
  for (const char* bad :
       {"DLTAP_DELAYS=0", "DLTAP_DELAYS=20;50", "DLTAP_DELAYS=-1",
        "DLTAP_DELAYS=10001", "DLTAP_DELAYS=1,2,3,4,5,6,7,8",
        "DLTAP_DELAYS=20us", "DLTAP_DELAY_WINDOW_MS=99",
        "DLTAP_DELAY_WINDOW_MS=1e3"}) {
    const Config config = Parse({bad});
    EXPECT_EQ(config.delays_us[0], 0) << bad;
    EXPECT_EQ(config.delay_window_ms, 500) << bad;
    EXPECT_EQ(g_warnings.size(), 1) << bad;
  }
}

TEST(ConfigTest, SizeMayNameItsPolicy) {
  EXPECT_EQ(Parse({"DLTAP_MAX_MB=64:ring"}).policy, SizePolicy::kRing);
  EXPECT_EQ(Parse({"DLTAP_MAX_MB=64:ring"}).max_bytes, uint64_t{64} << 20);
  EXPECT_EQ(Parse({"DLTAP_MAX_MB=64"}).policy, SizePolicy::kRing);
  EXPECT_EQ(Parse({"DLTAP_MAX_MB=0.5:ring"}).max_bytes, 512u << 10);
  EXPECT_EQ(Parse({"DLTAP_MAX_MB=1.25"}).max_bytes, 1280u << 10);
  EXPECT_EQ(Parse({"DLTAP_MAX_MB=64:stop"}).policy, SizePolicy::kStop);
}

TEST(ConfigTest, BadValueKeepsTheDefaultAndSaysWhatIsUnderstood) {
  for (const char* bad :
       {"DLTAP_MAX_MB=", "DLTAP_MAX_MB=0", "DLTAP_MAX_MB=0.25",
        "DLTAP_MAX_MB=1.x", "DLTAP_MAX_MB=.5", "DLTAP_MAX_MB=-1",
        "DLTAP_MAX_MB=9x", "DLTAP_MAX_MB=1:keep", "DLTAP_MAX_MB=99999999999"}) {
    EXPECT_EQ(Parse({bad}).max_bytes, uint64_t{2048} << 20) << bad;
    EXPECT_THAT(g_warnings, ElementsAre(HasSubstr("megabytes"))) << bad;
  }
  EXPECT_EQ(Parse({"DLTAP_LEVEL=counters"}).level, Level::kKernels);
  EXPECT_THAT(g_warnings, ElementsAre(HasSubstr("host or kernels")));
}

TEST(ConfigTest, UnknownNamesAreToldOthersAreNotOurs) {
  Parse({"DLTAP_OUTPUTS=x"});
  EXPECT_THAT(g_warnings, ElementsAre(HasSubstr("DLTAP_OUTPUTS")));
  Parse({"DLTAP_SIM_GPU=l4", "DLTAP_SIM_ANYTHING=1", "DLTAP_TOOLS=/x",
         "DLTAP_CUDA_ROOT=/y", "dltap_x=1", "XDLTAP_Y=2"});
  EXPECT_THAT(g_warnings, IsEmpty());
}

TEST(ConfigTest, SetUidProcessIsLeftAlone) {
  EXPECT_TRUE(Parse({"DLTAP_OUTPUT=/etc"}, true).disabled);
}

TEST(ConfigTest, TooLongOutputIsRefused) {
  const std::string variable = "DLTAP_OUTPUT=" + std::string(2000, 'x');
  EXPECT_STREQ(Parse({variable.c_str()}).output, "");
  EXPECT_EQ(g_warnings.size(), 1u);
}

TEST(FindVariableTest, NameMustMatchWhole) {
  const char* const environment[] = {"RANKS=9", "RANK=3", nullptr};
  EXPECT_STREQ(FindVariable(environment, "RANK"), "3");
  EXPECT_EQ(FindVariable(environment, "RAN"), nullptr);
}

}  // namespace
}  // namespace dltap::shim
