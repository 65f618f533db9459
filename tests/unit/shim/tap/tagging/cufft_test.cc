// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/tagging/cufft.h"

#include <cufft.h>
#include <gtest/gtest.h>

#include "tests/unit/shim/tap/tagging/fake_tagging_runtime.h"

namespace dltap::shim::tagging {
namespace {

using opmodel::Dim;
using opmodel::DType;
using opmodel::Operation;
using opmodel::OpKind;

class CufftTest : public ::testing::Test {
 protected:
  uint32_t Packed(int32_t plan) {
    uint32_t id = 0;
    hooks::CufftExecute::Pack(reinterpret_cast<uint8_t*>(&id), plan);
    return id;
  }
  Operation Only(int32_t plan) {
    const std::vector<Operation> nodes = runtime_.operations[Packed(plan)];
    return nodes.size() == 1 ? nodes[0] : Operation{};
  }

  FakeTaggingRuntime runtime_;
};

TEST_F(CufftTest, AnExecutionIsWhatItsPlanWasMadeFor) {
  hooks::CufftPlan1d::After(0, /*plan=*/0, 1024, CUFFT_C2C, 8);
  const Operation op = Only(0);
  EXPECT_EQ(op.kind, OpKind::kFft);
  EXPECT_EQ(op.storage, DType::kC64);
  EXPECT_EQ(op[Dim::kRows], 8);
  EXPECT_EQ(op[Dim::kElementsIn], 8 * 1024);
  EXPECT_EQ(op[Dim::kElementsOut], 8 * 1024);
}

TEST_F(CufftTest, TheLastAxisOfAComplexSideIsHalf) {
  int sizes[] = {32, 64};
  hooks::CufftPlanMany::After(0, /*plan=*/1, 2, sizes, CUFFT_D2Z, 3);
  const Operation op = Only(1);
  EXPECT_EQ(op.storage, DType::kF64);
  EXPECT_EQ(op[Dim::kElementsIn], 3 * 32 * 64);
  EXPECT_EQ(op[Dim::kElementsOut], 3 * 32 * 2 * 33);
}

TEST_F(CufftTest, APlanMayBeMadeByType) {
  long long sizes[] = {4, 4, 8};
  hooks::CufftXtPlanMany::After(0, 2, 3, sizes, CUDA_C_32F, CUDA_R_32F, 2);
  EXPECT_EQ(Only(2)[Dim::kElementsIn], 2 * 4 * 4 * 2 * 5);
  EXPECT_EQ(Only(2)[Dim::kElementsOut], 2 * 4 * 4 * 8);
}

TEST_F(CufftTest, TheVendorSaysWhichPlanItMade) {
  int plan = 77;
  hooks::CufftPlan2d::After(0, static_cast<void*>(&plan), 16, 16, CUFFT_Z2Z);
  EXPECT_EQ(Only(77)[Dim::kElementsIn], 256);
}

TEST_F(CufftTest, AnUnknownPlanIsNoGuess) {
  EXPECT_EQ(Packed(4711), 0u);
  hooks::CufftPlan1d::After(/*status=*/1, 4711, 64, CUFFT_C2C, 1);
  EXPECT_EQ(Packed(4711), 0u);
}

TEST_F(CufftTest, ADestroyedPlanIsForgotten) {
  hooks::CufftPlan1d::After(0, 5, 64, CUFFT_C2C, 1);
  EXPECT_NE(Packed(5), 0u);
  hooks::CufftPlanGone::Before(5);
  EXPECT_EQ(Packed(5), 0u);
}

TEST_F(CufftTest, APlanMadeAnewTakesTheNewSizes) {
  hooks::CufftPlan1d::After(0, 6, 64, CUFFT_C2C, 1);
  hooks::CufftPlan1d::After(0, 6, 128, CUFFT_C2C, 1);
  EXPECT_EQ(Only(6)[Dim::kElementsIn], 128);
}

TEST_F(CufftTest, APlanOfOneOfTwoCopiesIsNoGuess) {
  hooks::CufftPlan1d::After(0, 8, 64, CUFFT_C2C, 1);
  runtime_.has_copies = true;
  hooks::CufftPlan1d::After(0, 8, 128, CUFFT_C2C, 1);  // the other copy's
  EXPECT_EQ(Packed(8), 0u);
}

TEST_F(CufftTest, HalfPrecisionHasNoWordAndNoSize) {
  long long sizes[] = {64};
  hooks::CufftXtPlanMany::After(0, 7, 1, sizes, CUDA_C_16F, CUDA_C_16F, 1);
  EXPECT_EQ(Only(7).kind, OpKind::kFft);
  EXPECT_EQ(Only(7)[Dim::kElementsIn], 0);
}

}  // namespace
}  // namespace dltap::shim::tagging
