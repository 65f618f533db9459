// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/base/efficiency.h"

#include <gtest/gtest.h>

#include "analyzer/attribution/calls/call_meaning.h"
#include "opmodel/gpu_table.h"

namespace dltap::analyzer {
namespace {

using opmodel::Dim;
using opmodel::DType;
using opmodel::OpKind;

constexpr int64_t kSecond = 1'000'000'000;

// The peak in TFLOP/s that a kernel of one second is measured against.
double PeakOf(OpKind kind, DType math) {
  opmodel::Operation op;
  op.kind = kind;
  op.storage = op.math = math;
  op[Dim::kM] = op[Dim::kN] = op[Dim::kK] = 4096;
  op[Dim::kElementsIn] = op[Dim::kElementsOut] = 1 << 20;
  ProcessAttribution attribution;
  const auto cost = opmodel::CostOf(op);
  attribution.work_kinds.push_back({op, cost, cost->flops});
  attribution.works.push_back({CallId(), OperationId(), 0, kSecond});
  Activity activity{};
  activity.kind = ActivityKind::kKernel;
  activity.end_ns = kSecond;
  Attributed attributed;
  attributed.work = WorkId(0);
  const opmodel::GpuSpec* gpu = opmodel::FindGpu("h100-sxm");
  return EfficiencyOf(attribution, activity, attributed, kSecond, gpu)
             .peak_flops *
         1e-12;
}

TEST(EfficiencyTest, ProductsAreMeasuredAgainstTheirPrecision) {
  EXPECT_DOUBLE_EQ(PeakOf(OpKind::kGemm, DType::kF64), 66.9);
  EXPECT_DOUBLE_EQ(PeakOf(OpKind::kGemm, DType::kF32), 66.9);
  EXPECT_DOUBLE_EQ(PeakOf(OpKind::kGemm, DType::kTf32), 494.7);
  EXPECT_DOUBLE_EQ(PeakOf(OpKind::kGemm, DType::kF16), 989.4);
  EXPECT_DOUBLE_EQ(PeakOf(OpKind::kGemm, DType::kBf16), 989.4);
  EXPECT_DOUBLE_EQ(PeakOf(OpKind::kGemm, DType::kF8E4M3), 1978.9);
  EXPECT_DOUBLE_EQ(PeakOf(OpKind::kGemm, DType::kF8E5M2), 1978.9);
  EXPECT_DOUBLE_EQ(PeakOf(OpKind::kGemm, DType::kI8), 1978.9);
}

TEST(EfficiencyTest, TensorCoresAreNoPeakOfWorkOnSingleElements) {
  for (const DType narrow : {DType::kF32, DType::kF16, DType::kBf16}) {
    EXPECT_DOUBLE_EQ(PeakOf(OpKind::kNormForward, narrow), 66.9);
    EXPECT_DOUBLE_EQ(PeakOf(OpKind::kSoftmaxBackward, narrow), 66.9);
  }
  EXPECT_DOUBLE_EQ(PeakOf(OpKind::kActivationForward, DType::kF64), 33.45);
}

}  // namespace
}  // namespace dltap::analyzer
