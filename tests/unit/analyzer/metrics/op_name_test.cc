// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/base/op_name.h"

#include <gtest/gtest.h>

#include "analyzer/metrics/figures/figures.h"
#include "tests/support/trace_text.h"

namespace dltap::analyzer {
namespace {

TEST(OpNameTest, ShortNameEndsBeforeTheArguments) {
  EXPECT_EQ(ShortKernelName("void ns::kernel<float, 4>(int, float*)"),
            "ns::kernel");
  EXPECT_EQ(ShortKernelName("ncclKernel(Args)"), "ncclKernel");
  EXPECT_EQ(ShortKernelName("sgemm_128x64"), "sgemm_128x64");
  EXPECT_EQ(ShortKernelName(""), "");
}

TEST(OpNameTest, ShortNameKeepsAnonymousNamespaces) {
  EXPECT_EQ(
      ShortKernelName("void at::native::(anonymous namespace)::fused<1>(int)"),
      "at::native::(anonymous namespace)::fused");
  EXPECT_EQ(ShortKernelName("void (anonymous namespace)::first(int)"),
            "(anonymous namespace)::first");
  EXPECT_EQ(ShortKernelName("_ZN12_GLOBAL__N_15firstEi"),
            "(anonymous namespace)::first");
}

TEST(OpNameTest, KernelsOfAnonymousNamespacesAreOpsOfTheirOwn) {
  const TraceModel model = TraceFromText(
      "device 0 name=gpu\n"
      "call t=0..1us cudaLaunchKernel launches=_ZN12_GLOBAL__N_15firstEi\n"
      "call t=2..3us cudaLaunchKernel launches=_ZN12_GLOBAL__N_16secondEi\n"
      "launchapi t=0..1us corr=1\n"
      "launchapi t=2..3us corr=2\n"
      "kernel t=1..10us device=0 corr=1 name=_ZN12_GLOBAL__N_15firstEi\n"
      "kernel t=10..30us device=0 corr=2 name=_ZN12_GLOBAL__N_16secondEi\n");
  const Summary summary = Summarise(model, Attribute(model));
  const auto& ops = FiguresOf(summary, std::nullopt).ops;
  ASSERT_EQ(ops.size(), 2u);
  EXPECT_EQ(ops[0].name, "cudaLaunchKernel (anonymous namespace)::second");
  EXPECT_EQ(ops[0].sums.gpu_ns, 20'000);
  EXPECT_EQ(ops[1].name, "cudaLaunchKernel (anonymous namespace)::first");
}

TEST(OpNameTest, OperatorsOfImportedTracesAreOps) {
  const TraceModel model = TraceFromText(
      "device 0 name=gpu\n"
      "range t=0..2us thread=0 kind=op name=aten::mul\n"
      "range t=3..5us thread=0 kind=op name=aten::relu\n"
      "call t=0..1us thread=0 cudaLaunchKernel\n"
      "call t=3..4us thread=0 cudaLaunchKernel\n"
      "call t=6..7us thread=0 cudaLaunchKernel\n"
      "launchapi t=0..1us thread=0 corr=1\n"
      "launchapi t=3..4us thread=0 corr=2\n"
      "launchapi t=6..7us thread=0 corr=3\n"
      "kernel t=8..38us device=0 corr=1 name=vectorized_elementwise_kernel\n"
      "kernel t=38..58us device=0 corr=2 name=vectorized_elementwise_kernel\n"
      "kernel t=58..68us device=0 corr=3 name=ns::mine<4>(int)\n");
  const Summary summary = Summarise(model, Attribute(model));
  const auto& ops = FiguresOf(summary, std::nullopt).ops;
  ASSERT_EQ(ops.size(), 3u);
  EXPECT_EQ(ops[0].name, "aten::mul");
  EXPECT_EQ(ops[1].name, "aten::relu");
  EXPECT_EQ(ops[2].name, "cudaLaunchKernel ns::mine");
}

}  // namespace
}  // namespace dltap::analyzer
