// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/base/glue.h"

#include <gtest/gtest.h>

#include <string>

#include "analyzer/attribution/attribution.h"
#include "tests/support/trace_text.h"

namespace dltap::analyzer {
namespace {

constexpr char kFill[] =
    "void at::native::vectorized_elementwise_kernel<4, "
    "at::native::FillFunctor<float>>(int)";
constexpr char kCopy[] =
    "void at::native::unrolled_elementwise_kernel<"
    "at::native::direct_copy_kernel_cuda(at::TensorIteratorBase&)>(int)";
constexpr char kAdd[] =
    "void at::native::vectorized_elementwise_kernel<4, "
    "at::native::CUDAFunctor_add<float>>(int)";

// A thread's calls, one after the other, each with one kernel.
class GlueTest : public ::testing::Test {
 protected:
  size_t Launch(const std::string& kernel) {
    return Add("cudaLaunchKernel", kernel);
  }
  size_t Layer() { return Add("cublasSgemm_v2 m=8 n=8 k=8", "sgemm"); }
  void Pause(int us) { at_us_ += us; }

  ActivityId OwnerOf(size_t kernel) {
    model_ = TraceFromText(text_);
    attribution_ = Attribute(model_);
    return attribution_.processes[0].activities[kernel].glue_of;
  }

 private:
  size_t Add(const std::string& call, const std::string& kernel) {
    const std::string begin = std::to_string(at_us_);
    const std::string end = std::to_string(at_us_ + 4);
    const std::string number = std::to_string(++count_);
    text_ += "call t=" + begin + ".." + end + "us thread=0 " + call +
             "\nlaunchapi t=" + begin + ".." + end +
             "us thread=0 corr=" + number + " ext=" + begin +
             "us\nkernel t=" + end + ".." + std::to_string(at_us_ + 5) +
             "us device=0 stream=7 corr=" + number + " name=\"" + kernel +
             "\"\n";
    at_us_ += 10;
    return count_ - 1;
  }

  std::string text_ = "device 0 name=gpu\n";
  int at_us_ = 0;
  size_t count_ = 0;
  TraceModel model_;
  Attribution attribution_;
};

TEST_F(GlueTest, WhatPreparesALayerBelongsToIt) {
  const size_t fill = Launch(kFill);
  const size_t copy = Launch(kCopy);
  const size_t layer = Layer();
  EXPECT_EQ(OwnerOf(fill), ActivityId(layer));
  EXPECT_EQ(OwnerOf(copy), ActivityId(layer));
  EXPECT_FALSE(OwnerOf(layer).known());
}

// torch.nn.utils.clip_grad_norm_: sums of squares, over lists of gradients.
TEST_F(GlueTest, AFillInFrontOfAnOptimizersKernelBelongsToIt) {
  Layer();
  const size_t fill = Launch(kFill);
  const size_t norms = Launch("multi_tensor_apply_kernel<LpNormFunctor>");
  EXPECT_EQ(OwnerOf(fill), ActivityId(norms));
}

TEST_F(GlueTest, ACountOfCallsBelongsToTheLayerThatCounts) {
  // As a batch norm in training does.
  const size_t count = Launch(
      "void at::native::vectorized_elementwise_kernel<2, "
      "at::native::CUDAFunctorOnSelf_add<long>, std::array<char*, 2ul> >(int)");
  const size_t layer = Layer();
  EXPECT_EQ(OwnerOf(count), ActivityId(layer));
}

TEST_F(GlueTest, APauseDividesGlueBetweenTwoLayers) {
  const size_t first = Layer();
  const size_t after = Launch(kCopy);
  Pause(500);
  const size_t before = Launch(kCopy);
  const size_t second = Layer();
  EXPECT_EQ(OwnerOf(after), ActivityId(first));
  EXPECT_EQ(OwnerOf(before), ActivityId(second));
}

TEST_F(GlueTest, PointwiseWorkIsNoGlue) {
  const size_t add = Launch(kAdd);
  Layer();
  EXPECT_FALSE(OwnerOf(add).known());
}

TEST_F(GlueTest, GlueBeforePointwiseWorkBelongsToTheLayerBefore) {
  const size_t layer = Layer();
  const size_t copy = Launch(kCopy);
  Launch(kAdd);
  EXPECT_EQ(OwnerOf(copy), ActivityId(layer));
}

TEST_F(GlueTest, ALongRowOfFillsIsNobodysGlue) {
  // As when the gradients of a model are cleared.
  const size_t fill = Launch(kFill);
  for (int i = 0; i < 20; ++i) Launch(kFill);
  Layer();
  EXPECT_FALSE(OwnerOf(fill).known());
}

}  // namespace
}  // namespace dltap::analyzer
