// SPDX-License-Identifier: Apache-2.0
// Default bodies of the toy spec: outputs are written, a strong definition
// wins.
#include <gtest/gtest.h>

#include "entry_points.h"
#include "simgpu/base/default_call.h"
#include "toy.h"

namespace dltap::simgpu {

int g_code = 0;
int g_calls = 0;

int CountDefault(specs::EntryPoint, int result) {
  ++g_calls;
  return g_code != 0 ? g_code : result;
}

void* AllocateDefaultHandle() {
  static int handle;
  return &handle;
}

}  // namespace dltap::simgpu

// Strong: replaces the generated body.
extern "C" toyStatus_t toyCopy(void*, const void*, size_t, size_t,
                               toyCopyKind_t, toyStream_t) {
  return toyFailure;
}

namespace dltap::simgpu {
namespace {

class DefaultBodyTest : public testing::Test {
 protected:
  void SetUp() override { g_code = g_calls = 0; }
};

TEST_F(DefaultBodyTest, WritesOutputScalarsAndHandles) {
  int version = 5;
  toyStream_t bound = nullptr;
  EXPECT_EQ(toyBind(nullptr, &version, &bound), toySuccess);
  EXPECT_EQ(version, 0);
  EXPECT_EQ(bound, AllocateDefaultHandle());
  void* memory = &version;
  EXPECT_EQ(toyMalloc(&memory, 8), toySuccess);
  EXPECT_EQ(memory, nullptr) << "a handle is too small to serve as memory";
  EXPECT_STREQ(toyGetName(toySuccess), "");
  EXPECT_EQ(g_calls, 3);
}

TEST_F(DefaultBodyTest, NullOutputsAreLegal) {
  EXPECT_EQ(toyBind(nullptr, nullptr, nullptr), toySuccess);
  EXPECT_EQ(toyMalloc(nullptr, 8), toySuccess);
}

TEST_F(DefaultBodyTest, RefusalIsReturnedAndNothingWritten) {
  g_code = toyFailure;
  int version = 5;
  EXPECT_EQ(toyBind(nullptr, &version, nullptr), toyFailure);
  EXPECT_EQ(version, 5);
}

TEST_F(DefaultBodyTest, UnsupportedIsCountedAndNeverASuccess) {
  EXPECT_EQ(toyLaunch_v2(nullptr, nullptr, {}, 0), toyNotSupported);
  EXPECT_EQ(g_calls, 1);
  g_code = toyFailure;
  EXPECT_EQ(toyLaunch_v2(nullptr, nullptr, {}, 0), toyFailure);
}

TEST_F(DefaultBodyTest, StrongDefinitionReplacesTheDefault) {
  EXPECT_EQ(toyCopy(nullptr, nullptr, 0, 0, toyHostToDevice, nullptr),
            toyFailure);
  EXPECT_EQ(g_calls, 0);
}

}  // namespace
}  // namespace dltap::simgpu
