// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/attribution.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/trace_text.h"

namespace dltap::analyzer {
namespace {

class AttributionTest : public ::testing::Test {
 protected:
  void Given(const std::string& text) {
    model_ = TraceFromText(text);
    attribution_ = Attribute(model_);
  }
  const Attributed& Activity(size_t i) const {
    return attribution_.processes[0].activities[i];
  }
  LayerClass ClassOf(size_t i) const { return Activity(i).layer_class; }

  TraceModel model_;
  Attribution attribution_;
};

TEST_F(AttributionTest, KernelInsideALibraryCallHasTheCallsClass) {
  Given(
      "device 0 name=gpu\n"
      "call t=0..9us thread=0 cublasSgemm_v2 m=8 n=8 k=8\n"
      "launchapi t=2..3us thread=0 corr=7 ext=0us\n"
      "kernel t=20..30us device=0 corr=7 name=softmax_warp_forward\n");
  EXPECT_EQ(ClassOf(0), LayerClass::kGemm);
  EXPECT_EQ(Activity(0).joined_by, JoinedBy::kCorrelation);
  EXPECT_EQ(Activity(0).class_from, ClassFrom::kApiArguments);
}

TEST_F(AttributionTest, KernelWithoutCallIsJoinedByNone) {
  Given(
      "device 0 name=gpu\n"
      "kernel t=10..30us device=0 corr=99 name=softmax_warp_forward\n");
  EXPECT_EQ(Activity(0).joined_by, JoinedBy::kNone);
  EXPECT_EQ(ClassOf(0), LayerClass::kSoftmax);
  EXPECT_EQ(Activity(0).class_from, ClassFrom::kKernelName);
  EXPECT_EQ(attribution_.processes[0].kernels_without_launch.size(), 1);
}

TEST_F(AttributionTest, PlainLaunchIsJoinedByOrderAndNamedByItsKernel) {
  Given(
      "device 0 name=gpu\n"
      "call t=0..2us thread=0 cudaLaunchKernel launches=gelu\n"
      "call t=3..5us thread=0 cudaLaunchKernel launches=dropout\n"
      "launchapi t=1..2us thread=0 corr=1\n"
      "launchapi t=4..5us thread=0 corr=2\n"
      "kernel t=20..30us device=0 corr=2 name=dropout\n"
      "kernel t=40..50us device=0 corr=1 name=gelu\n");
  EXPECT_EQ(Activity(0).joined_by, JoinedBy::kCallOrder);
  EXPECT_EQ(Activity(0).submitted_by, CallId(1));
  EXPECT_EQ(Activity(1).submitted_by, CallId(0));
  EXPECT_EQ(ClassOf(0), LayerClass::kDropout);
}

TEST_F(AttributionTest, ALaunchWithoutKernelIsCounted) {
  Given(
      "device 0 name=gpu\n"
      "call t=0..2us thread=0 cudaLaunchKernel\n"
      "call t=3..5us thread=0 cudaLaunchKernel failed\n");
  EXPECT_EQ(attribution_.processes[0].launches_without_kernel.size(), 1);
}

TEST_F(AttributionTest, AKernelLaunchedWhileRecordingBeganIsNotAStray) {
  Given(
      "device 0 name=gpu\n"
      "not_observed t=0..100us device=0 cause=recording_off\n"
      "call t=90..99us thread=0 cudaLaunchKernel launches=gelu\n"
      "kernel t=102..110us device=0 corr=1 name=gelu\n"
      "kernel t=150..160us device=0 corr=2 name=gelu\n");
  EXPECT_EQ(attribution_.processes[0].launches_without_kernel.size(), 0);
  EXPECT_EQ(attribution_.processes[0].kernels_without_launch.size(), 1);
}

TEST_F(AttributionTest, ReplayedNodesBelongToTheCapturedCall) {
  Given(
      "device 0 name=gpu\n"
      "call t=0..9us thread=0 cublasSgemm_v2 capturing m=8 n=8 k=8\n"
      "call t=50..55us thread=0 cudaGraphLaunch\n"
      "call t=90..95us thread=0 cudaGraphLaunch\n"
      "launchapi t=51..54us thread=0 corr=5\n"
      "launchapi t=91..94us thread=0 corr=6\n"
      "graphnode 70 thread=0 call=0us\n"
      "graphnode 71 original=70\n"
      "kernel t=60..65us device=0 corr=5 graph=1 graph_node=71 name=x\n"
      "kernel t=99..104us device=0 corr=6 graph=1 graph_node=71 name=x\n");
  for (size_t i : {0, 1}) {
    EXPECT_EQ(Activity(i).owner, CallId(0));
    EXPECT_EQ(Activity(i).submitted_by, CallId(i + 1));
    EXPECT_EQ(Activity(i).joined_by, JoinedBy::kGraphNode);
    EXPECT_EQ(ClassOf(i), LayerClass::kGemm);
  }
  // Each replay does the captured call's work once.
  EXPECT_EQ(attribution_.processes[0].works.size(), 2);
}

// CUPTI tells of a clone twice: as created, by the instantiation, and as
// cloned.
TEST_F(AttributionTest, AClonedNodeBelongsToTheCallOfItsOriginal) {
  const std::string created = "graphnode 71 thread=0 call=20us\n";
  const std::string cloned = "graphnode 71 original=70\n";
  for (const std::string& told : {created + cloned, cloned + created}) {
    Given(
        "device 0 name=gpu\n"
        "call t=0..9us thread=0 cublasSgemm_v2 capturing m=8 n=8 k=8\n"
        "call t=20..30us thread=0 cudaGraphInstantiate\n"
        "call t=50..55us thread=0 cudaGraphLaunch\n"
        "launchapi t=51..54us thread=0 corr=5\n"
        "graphnode 70 thread=0 call=0us\n" +
        told +
        "kernel t=60..65us device=0 corr=5 graph=1 graph_node=71 name=x\n");
    EXPECT_EQ(Activity(0).owner, CallId(0));
    EXPECT_EQ(ClassOf(0), LayerClass::kGemm);
  }
}

TEST_F(AttributionTest, ANodeWhoseCaptureWasNotSeenKeepsItsName) {
  Given(
      "device 0 name=gpu\n"
      "call t=50..55us thread=0 cudaGraphLaunch\n"
      "launchapi t=51..54us thread=0 corr=5\n"
      "kernel t=60..65us device=0 corr=5 graph=1 graph_node=71 "
      "name=softmax_warp_forward\n");
  EXPECT_EQ(ClassOf(0), LayerClass::kSoftmax);
  EXPECT_FALSE(Activity(0).owner.known());
  EXPECT_EQ(Activity(0).submitted_by, CallId(0));
}

TEST_F(AttributionTest, FusedGraphTakesTheStrongestNode) {
  Given(
      "device 0 name=gpu\n"
      "operation 1 pointwise elements_in=9\n"
      "operation 1 conv_forward batch=1 channels_in=1\n"
      "call t=0..9us thread=0 cudnnBackendExecute operation=1\n"
      "launchapi t=2..3us thread=0 corr=7 ext=0us\n"
      "kernel t=20..30us device=0 corr=7 name=x\n");
  EXPECT_EQ(ClassOf(0), LayerClass::kConv);
  EXPECT_EQ(Activity(0).direction, Direction::kForward);
  EXPECT_EQ(Activity(0).class_from, ClassFrom::kCudnnGraph);
}

TEST_F(AttributionTest, TwoProductsAroundASoftmaxInOneGraphAreAttention) {
  Given(
      "device 0 name=gpu\n"
      "operation 1 gemm m=8 n=8 k=8\n"
      "operation 1 reduction elements_in=9\n"
      "operation 1 pointwise elements_in=9\n"
      "operation 1 gemm m=8 n=8 k=8\n"
      "call t=0..9us thread=0 cudnnBackendExecute operation=1\n"
      "launchapi t=2..3us thread=0 corr=7 ext=0us\n"
      "kernel t=20..30us device=0 corr=7 name=x\n");
  EXPECT_EQ(ClassOf(0), LayerClass::kAttention);
}

// cuDNN's backward pass begins with the reduction of O dO.
TEST_F(AttributionTest, FiveProductsAfterAReductionAreAttentionBackward) {
  Given(
      "device 0 name=gpu\n"
      "operation 1 pointwise elements_in=9\n"
      "operation 1 reduction elements_in=9\n"
      "operation 1 gemm batch=8 m=64 n=48 k=32\n"
      "operation 1 pointwise elements_in=9\n"
      "operation 1 gemm batch=8 m=48 n=32 k=64\n"
      "operation 1 gemm batch=8 m=64 n=48 k=32\n"
      "operation 1 gemm batch=8 m=64 n=32 k=48\n"
      "operation 1 gemm batch=8 m=48 n=32 k=64\n"
      "call t=0..9us thread=0 cudnnBackendExecute operation=1\n"
      "launchapi t=2..3us thread=0 corr=7 ext=0us\n"
      "kernel t=20..30us device=0 corr=7 name=x\n");
  EXPECT_EQ(ClassOf(0), LayerClass::kAttention);
  EXPECT_EQ(Activity(0).direction, Direction::kBackward);
}

TEST_F(AttributionTest, TwoProductsWithoutASoftmaxAreNoAttention) {
  Given(
      "device 0 name=gpu\n"
      "operation 1 gemm batch=8 m=64 n=48 k=32\n"
      "operation 1 activation_forward elements_in=9\n"
      "operation 1 gemm batch=8 m=64 n=32 k=48\n"
      "call t=0..9us thread=0 cudnnBackendExecute operation=1\n"
      "launchapi t=2..3us thread=0 corr=7 ext=0us\n"
      "kernel t=20..30us device=0 corr=7 name=x\n");
  EXPECT_EQ(ClassOf(0), LayerClass::kGemm);
}

// S = QK' of 8 x 16 x 16 with products of 4, its softmax, and SV; `mask` stands
// between.
std::string ComposedAttention(const std::string& mask) {
  return "device 0 name=gpu\n"
         "operation 1 gemm storage=bf16 batch=8 m=16 n=16 k=4\n" +
         mask +
         "operation 1 reduction storage=f32 elements_in=2048 elements_out=128\n"
         "operation 1 gemm storage=bf16 batch=8 m=16 n=4 k=16\n"
         "call t=0..9us thread=0 cudnnBackendExecute operation=1\n"
         "launchapi t=2..3us thread=0 corr=7 ext=0us\n"
         "kernel t=20..30us device=0 corr=7 name=x\n";
}

TEST_F(AttributionTest, DiagonalMaskLeavesHalfOfComposedAttention) {
  const auto flops = [this](const std::string& mask) {
    Given(ComposedAttention(mask));
    return attribution_.processes[0].KindOf(Activity(0).work).cost->flops;
  };
  const double whole = 2 * 2.0 * 8 * 16 * 16 * 4;
  EXPECT_EQ(flops(""), whole);
  // Rows compared with columns, position by position.
  EXPECT_EQ(flops("operation 1 pointwise storage=i32 math=bool "
                  "elements_in=4096 elements_out=2048\n"),
            whole / 2);
  // Columns compared with the length of each row: padding.
  EXPECT_EQ(flops("operation 1 pointwise storage=i32 math=bool "
                  "elements_in=2056 elements_out=2048\n"),
            whole);
}

// As many as PyTorch counts for a product whose bias has a kernel of its own.
TEST_F(AttributionTest, AFusedBiasAddsNoFlopsToAProduct) {
  Given(
      "device 0 name=gpu\n"
      "operation 1 gemm storage=f32 batch=1 m=16 n=32 k=8\n"
      "operation 1 pointwise storage=f32 math=f32 elements_in=512 "
      "elements_out=512\n"
      "call t=0..9us thread=0 cublasLtMatmul operation=1\n"
      "launchapi t=2..3us thread=0 corr=7 ext=0us\n"
      "kernel t=20..30us device=0 corr=7 name=x\n");
  EXPECT_EQ(attribution_.processes[0].KindOf(Activity(0).work).cost->flops,
            2.0 * 16 * 32 * 8);
}

constexpr char kUnfusedAttention[] =
    "device 0 name=gpu\n"
    "call t=0..2us thread=0 cublasGemmStridedBatchedEx m=64 n=64 k=32 "
    "batchCount=12\n"
    "call t=3..5us thread=0 cudaLaunchKernel launches=softmax_warp_forward\n"
    "call t=6..8us thread=0 cublasGemmStridedBatchedEx m=32 n=64 k=64 "
    "batchCount=12\n"
    "call t=9..12us thread=0 cublasSgemm_v2 m=64 n=64 k=64\n"
    "launchapi t=1..2us thread=0 corr=1 ext=0us\n"
    "launchapi t=4..5us thread=0 corr=2\n"
    "launchapi t=7..8us thread=0 corr=3 ext=6us\n"
    "launchapi t=10..11us thread=0 corr=4 ext=9us\n"
    "kernel t=20..30us device=0 stream=7 corr=1 name=gemm\n"
    "kernel t=30..35us device=0 stream=7 corr=2 name=softmax_warp_forward\n"
    "kernel t=35..45us device=0 stream=7 corr=3 name=gemm\n"
    "kernel t=45..60us device=0 stream=7 corr=4 name=gemm\n";

TEST_F(AttributionTest, BatchedProductsAroundASoftmaxBecomeAttention) {
  Given(kUnfusedAttention);
  for (size_t i : {0, 1, 2}) {
    EXPECT_EQ(ClassOf(i), LayerClass::kAttention) << i;
    EXPECT_EQ(Activity(i).class_from, ClassFrom::kComposite) << i;
  }
  EXPECT_EQ(ClassOf(3), LayerClass::kGemm);  // the projection
  EXPECT_EQ(attribution_.processes[0].composite_ns, 25'000);
}

TEST_F(AttributionTest, RegroupingCanBeLeftOut) {
  const TraceModel model = TraceFromText(kUnfusedAttention);
  const Attribution plain = Attribute(model, {.composite = false});
  EXPECT_EQ(plain.processes[0].activities[0].layer_class, LayerClass::kGemm);
  EXPECT_EQ(plain.processes[0].activities[1].layer_class, LayerClass::kSoftmax);
}

TEST_F(AttributionTest, AutogradsThreadIsBackwardAndWhatFollowsUpdates) {
  Given(
      "device 0 name=gpu\n"
      "thread 0 tid=1 name=python\n"
      "thread 1 tid=2 name=pt_autograd_0\n"
      "call t=0..2us thread=0 cublasSgemm_v2 m=8 n=8 k=8\n"
      "call t=10..12us thread=1 cublasSgemm_v2 m=8 n=8 k=8\n"
      "call t=20..22us thread=0 cudaLaunchKernel launches=addcdiv_elementwise\n"
      "call t=30..32us thread=0 cublasSgemm_v2 m=8 n=8 k=8\n"
      "launchapi t=1..2us thread=0 corr=1 ext=0us\n"
      "launchapi t=11..12us thread=1 corr=2 ext=10us\n"
      "launchapi t=21..22us thread=0 corr=3\n"
      "launchapi t=31..32us thread=0 corr=4 ext=30us\n"
      "kernel t=40..41us device=0 corr=1 name=a\n"
      "kernel t=50..51us device=0 corr=2 name=b\n"
      "kernel t=60..61us device=0 corr=3 name=addcdiv_elementwise\n"
      "kernel t=70..71us device=0 corr=4 name=d\n");
  EXPECT_EQ(Activity(0).direction, Direction::kForward);
  EXPECT_EQ(Activity(1).direction, Direction::kBackward);
  EXPECT_EQ(Activity(2).direction, Direction::kUpdate);
  EXPECT_EQ(Activity(3).direction, Direction::kForward);
}

TEST_F(AttributionTest, AnOptimizersStepDoesNotSwallowWhatRunsInIt) {
  Given(
      "device 0 name=gpu\n"
      "range t=0..90us thread=0 name=\"Optimizer.step#SGD.step\" kind=user\n"
      "range t=1..9us thread=0 name=\"nccl:all_reduce\" kind=op\n"
      "range t=10..19us thread=0 name=\"aten::mm\" kind=op\n"
      "call t=2..5us thread=0 cudaLaunchKernel\n"
      "call t=12..15us thread=0 cudaLaunchKernel\n"
      "call t=22..25us thread=0 cudaLaunchKernel\n"
      "launchapi t=3..4us thread=0 corr=1\n"
      "launchapi t=13..14us thread=0 corr=2\n"
      "launchapi t=23..24us thread=0 corr=3\n"
      "kernel t=30..31us device=0 corr=1 name=ncclDevKernel_AllReduce\n"
      "kernel t=32..33us device=0 corr=2 name=orthogonalise\n"
      "kernel t=34..35us device=0 corr=3 name=own_step\n");
  EXPECT_EQ(ClassOf(0), LayerClass::kComm);
  EXPECT_EQ(Activity(0).direction, Direction::kNone);
  EXPECT_EQ(ClassOf(1), LayerClass::kGemm);
  EXPECT_EQ(Activity(1).direction, Direction::kUpdate);
  EXPECT_EQ(ClassOf(2), LayerClass::kOptimizer);
}

TEST_F(AttributionTest, WhatACheckpointsNodeRunsIsRecompute) {
  Given(
      "device 0 name=gpu\n"
      "range t=0..90us thread=0 name=CheckpointFunctionBackward kind=op\n"
      "range t=1..9us thread=0 name=\"aten::addmm\" kind=op\n"
      "range t=10..19us thread=0 name=AddmmBackward0 kind=op backward\n"
      "range t=11..18us thread=0 name=\"aten::mm\" kind=op\n"
      "call t=2..5us thread=0 cudaLaunchKernel\n"
      "call t=12..15us thread=0 cudaLaunchKernel\n"
      "launchapi t=3..4us thread=0 corr=1\n"
      "launchapi t=13..14us thread=0 corr=2\n"
      "kernel t=30..31us device=0 corr=1 name=some_gemm\n"
      "kernel t=32..33us device=0 corr=2 name=another_gemm\n");
  EXPECT_EQ(Activity(0).direction, Direction::kRecompute);
  EXPECT_EQ(Activity(1).direction, Direction::kBackward);
}

TEST_F(AttributionTest, AMultiHeadAttentionLeavesItsProjections) {
  Given(
      "device 0 name=gpu\n"
      "range t=0..90us thread=0 name=\"aten::_native_multi_head_attention\" "
      "kind=op\n"
      "range t=1..80us thread=0 name=\"aten::addmm\" kind=op\n"
      "call t=2..5us thread=0 cudaLaunchKernel\n"
      "launchapi t=3..4us thread=0 corr=1\n"
      "kernel t=20..30us device=0 corr=1 name=some_gemm\n");
  EXPECT_EQ(ClassOf(0), LayerClass::kGemm);
}

TEST_F(AttributionTest, AMemsetInsideALibraryCallStaysAMemset) {
  Given(
      "device 0 name=gpu\n"
      "call t=0..9us thread=0 cublasSgemm_v2 m=8 n=8 k=8\n"
      "launchapi t=2..3us thread=0 corr=7 ext=0us\n"
      "memset t=20..30us device=0 corr=7 bytes=64\n");
  EXPECT_EQ(ClassOf(0), LayerClass::kMemset);
  EXPECT_TRUE(Activity(0).work.known());
}

TEST_F(AttributionTest, AContainerRangeDecidesForAllInsideIt) {
  Given(
      "device 0 name=gpu\n"
      "range t=0..90us thread=0 name=\"aten::lstm\" kind=op\n"
      "range t=1..80us thread=0 name=\"aten::addmm\" kind=op\n"
      "call t=2..5us thread=0 cudaLaunchKernel\n"
      "launchapi t=3..4us thread=0 corr=1\n"
      "kernel t=20..30us device=0 corr=1 name=some_gemm\n");
  EXPECT_EQ(ClassOf(0), LayerClass::kRnn);
  EXPECT_EQ(Activity(0).class_from, ClassFrom::kAnnotation);
}

TEST_F(AttributionTest, AForwardNameInABackwardOperatorIsBackward) {
  Given(
      "device 0 name=gpu\n"
      "range t=0..90us thread=0 name=ConvolutionBackward0 kind=op backward\n"
      "range t=1..40us thread=0 name=\"aten::convolution_backward\" kind=op\n"
      "call t=2..5us thread=0 cudaLaunchKernel\n"
      "call t=12..15us thread=0 cudaLaunchKernel\n"
      "launchapi t=3..4us thread=0 corr=1\n"
      "launchapi t=13..14us thread=0 corr=2\n"
      "kernel t=30..31us device=0 corr=1 name=xmma_fprop_kernel\n"
      "kernel t=32..33us device=0 corr=2 name=xmma_wgrad_kernel\n");
  EXPECT_EQ(Activity(0).direction, Direction::kBackward);
  EXPECT_EQ(Activity(1).direction, Direction::kBackwardWeight);
}

// In own traces nothing tells of the operator around it.
TEST_F(AttributionTest, APlainCopyIsACopyInAContainer) {
  Given(
      "device 0 name=gpu\n"
      "range t=0..90us thread=0 name=\"aten::lstm\" kind=op\n"
      "call t=2..5us thread=0 cudaLaunchKernel\n"
      "launchapi t=3..4us thread=0 corr=1\n"
      "kernel t=20..30us device=0 corr=1 "
      "name=\"void at::native::elementwise_kernel<128, "
      "at::native::direct_copy_kernel_cuda(int)::{lambda()#1}>(int)\"\n");
  EXPECT_EQ(ClassOf(0), LayerClass::kLayout);
}

TEST_F(AttributionTest, AClampWithinAnActivationIsOne) {
  Given(
      "device 0 name=gpu\n"
      "range t=0..90us thread=0 name=\"aten::hardtanh\" kind=op\n"
      "range t=1..80us thread=0 name=\"aten::clamp\" kind=op\n"
      "call t=2..5us thread=0 cudaLaunchKernel\n"
      "launchapi t=3..4us thread=0 corr=1\n"
      "kernel t=20..30us device=0 corr=1 name=launch_clamp_scalar\n");
  EXPECT_EQ(ClassOf(0), LayerClass::kActivation);
}

TEST_F(AttributionTest, ALossMayBeNamedForEmbeddings) {
  for (const std::string loss :
       {"aten::hinge_embedding_loss", "aten::cosine_embedding_loss",
        "aten::margin_ranking_loss"}) {
    Given("device 0 name=gpu\nrange t=0..90us thread=0 name=\"" + loss +
          "\" kind=op\ncall t=2..5us thread=0 cudaLaunchKernel\n"
          "launchapi t=3..4us thread=0 corr=1\n"
          "kernel t=20..30us device=0 corr=1 name=some_kernel\n");
    EXPECT_EQ(ClassOf(0), LayerClass::kLoss) << loss;
  }
}

TEST_F(AttributionTest, WhatIsCheckedSortedOrBoundedIsSaidByItsKernel) {
  const auto class_in = [this](const std::string& op,
                               const std::string& kernel) {
    Given("device 0 name=gpu\nrange t=0..90us thread=0 name=\"" + op +
          "\" kind=op\ncall t=2..5us thread=0 cudaLaunchKernel\n"
          "launchapi t=3..4us thread=0 corr=1\n"
          "kernel t=20..30us device=0 corr=1 name=\"" +
          kernel + "\"\n");
    return ClassOf(0);
  };
  EXPECT_EQ(class_in("aten::_assert_async", "some_kernel"), LayerClass::kOther);
  EXPECT_EQ(class_in("aten::randperm", "cub::DeviceRadixSortKernel"),
            LayerClass::kReduction);
  EXPECT_EQ(class_in("aten::clamp_min",
                     "at::native::vectorized_elementwise_"
                     "kernel<maximum_kernel_cuda>"),
            LayerClass::kElementwise);
}

}  // namespace
}  // namespace dltap::analyzer
