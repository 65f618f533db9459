// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/runtime/call_delay.h"

#include "gtest/gtest.h"
#include "shim/tap/runtime/clock.h"
#include "shim/tap/runtime/process_page.h"

namespace dltap::shim {
namespace {

using specs::LayerClass;

// A delay of so many ticks of calls of that class; see call_delay.cc.
void SetDelay(LayerClass layer_class, uint64_t ticks) {
  g_process.delay.store(ticks << 8 | (static_cast<uint64_t>(layer_class) + 1));
}

class CallDelayTest : public testing::Test {
 protected:
  ~CallDelayTest() override {
    g_process.delay.store(0);
    g_process.seen_classes.store(0);
  }
};

TEST_F(CallDelayTest, OnlyTheClassWaits) {
  SetDelay(LayerClass::kGemm, 1000);
  EXPECT_FALSE(WaitDelay(LayerClass::kConv));
  const uint64_t begin = Ticks();
  EXPECT_TRUE(WaitDelay(LayerClass::kGemm));
  EXPECT_GE(Ticks() - begin, 1000);
}

TEST_F(CallDelayTest, NoDelayNoWait) {
  EXPECT_FALSE(WaitDelay(LayerClass::kConv));
  EXPECT_TRUE(WantsActivities());
}

TEST_F(CallDelayTest, ClassesThatAreCalledAreNoted) {
  WaitDelay(LayerClass::kGemm);
  WaitDelay(LayerClass::kComm);
  EXPECT_EQ(g_process.seen_classes.load(),
            (1u << static_cast<int>(LayerClass::kGemm)) |
                (1u << static_cast<int>(LayerClass::kComm)));
}

}  // namespace
}  // namespace dltap::shim
