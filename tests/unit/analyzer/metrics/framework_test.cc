// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/classes/framework.h"

#include "gtest/gtest.h"

namespace dltap::analyzer {
namespace {

Tallies Ran(const std::string& kernel) {
  Tallies tallies;
  tallies.kernels[{kernel, {}}] = {};
  return tallies;
}

TEST(FrameworkTest, TheOneThatIsLoaded) {
  EXPECT_EQ(FrameworkOf({"torch 2.11.0"}, {}), Framework::kTorch);
  EXPECT_EQ(FrameworkOf({"jax"}, {}), Framework::kJax);
  EXPECT_EQ(FrameworkOf({"torch 2.11.0", "torch 2.10.0"}, {}),
            Framework::kTorch);
  EXPECT_EQ(FrameworkOf({"torchvision 0.2"}, {}), Framework::kUnknown);
}

TEST(FrameworkTest, OfSeveralLoadedTheOneWhoseKernelsRan) {
  const Tallies torch = Ran("void at::native::fill<float>(int)");
  EXPECT_EQ(FrameworkOf({"torch 2.11.0, jax 0.8.0"}, torch), Framework::kTorch);
  EXPECT_EQ(FrameworkOf({"torch 2.11.0", "jax 0.8.0"}, torch),
            Framework::kTorch);
  EXPECT_EQ(FrameworkOf({"torch 2.11.0, jax 0.8.0"}, Ran("fusion_1")),
            Framework::kUnknown);
  EXPECT_EQ(FrameworkOf({}, torch), Framework::kTorch);
}

}  // namespace
}  // namespace dltap::analyzer
