// SPDX-License-Identifier: Apache-2.0
// The real specs, as the analyzer sees them.
#include "shim/specs/entry_point.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "analyzer/model/layer_class.h"

namespace dltap::specs {
namespace {

std::string Meaning(std::span<const ArgumentMeaning> meanings,
                    std::string_view meaning) {
  for (const ArgumentMeaning& m : meanings) {
    if (m.meaning == meaning) return std::string(m.argument);
  }
  return "(none)";
}

const EntryPointInfo& Info(std::string_view symbol) {
  const EntryPointInfo* info = FindEntryPoint(symbol);
  if (info == nullptr) {
    ADD_FAILURE() << symbol << " is unknown";
    static constexpr EntryPointInfo kNone = {};
    return kNone;
  }
  return *info;
}

TEST(EntryPointTest, EveryFunctionIsFoundByItsSymbol) {
  ASSERT_GT(AllEntryPoints().size(), 2500u);
  for (const EntryPointInfo& info : AllEntryPoints()) {
    EXPECT_EQ(FindEntryPoint(info.symbol), &info) << info.symbol;
  }
  EXPECT_EQ(FindEntryPoint("cudaNoSuchFunction"), nullptr);
  EXPECT_EQ(FindEntryPoint(""), nullptr);
}

TEST(EntryPointTest, NoFunctionIsWithoutRole) {
  for (const EntryPointInfo& info : AllEntryPoints()) {
    EXPECT_NE(info.role, Role::kUnknown) << info.symbol;
    EXPECT_EQ(info.role == Role::kNot, !info.reason.empty()) << info.symbol;
  }
}

TEST(EntryPointTest, GemmFamiliesHaveShapesAndTypes) {
  for (std::string_view symbol :
       {"cublasSgemm_v2", "cublasSgemm_v2_64", "cublasSgemm", "cublasHgemm",
        "cublasGemmEx", "cublasGemmEx_64", "cublasSgemmStridedBatched",
        "cublasGemmStridedBatchedEx", "cublasDgemmBatched_64"}) {
    const EntryPointInfo& info = Info(symbol);
    EXPECT_EQ(info.role, Role::kRecord) << symbol;
    EXPECT_EQ(info.layer_class, "gemm") << symbol;
    EXPECT_EQ(Meaning(info.dims, "k"), "k") << symbol;
    EXPECT_FALSE(info.dtypes.empty()) << symbol;
  }
  EXPECT_EQ(Meaning(Info("cublasSgemm_v2").dtypes, "all"), "=f32");
  EXPECT_EQ(Meaning(Info("cublasHgemm_64").dtypes, "all"), "=f16");
  EXPECT_EQ(Meaning(Info("cublasZgemm_v2").dtypes, "all"), "=c128");
  EXPECT_EQ(Meaning(Info("cublasScasum_v2").dtypes, "all"), "=c64");
  EXPECT_EQ(Meaning(Info("cublasIdamax_v2").dtypes, "all"), "=f64");
  EXPECT_EQ(Meaning(Info("cublasGemmStridedBatchedEx").dims, "batch"),
            "batchCount");
}

TEST(EntryPointTest, FirstVersionOfCublasHasNoHandle) {
  EXPECT_EQ(Info("cublasSgemm").handle, "");
  EXPECT_EQ(Info("cublasSgemm_v2").handle, "handle");
}

TEST(EntryPointTest, LaunchesOfEveryKindAreRecorded) {
  for (std::string_view symbol :
       {"cudaLaunchKernel", "cudaLaunchKernel_ptsz", "__cudaLaunchKernel",
        "__cudaLaunchKernel_ptsz", "cudaLaunchKernelExC",
        "cudaLaunchKernelExC_ptsz", "cudaLaunchCooperativeKernel",
        "cuLaunchKernel", "cuLaunchKernel_ptsz", "cuLaunchKernelEx",
        "cuLaunchKernelEx_ptsz", "cuLaunchCooperativeKernel"}) {
    const EntryPointInfo& info = Info(symbol);
    EXPECT_EQ(info.role, Role::kRecord) << symbol;
    EXPECT_EQ(info.kind, Kind::kLaunch) << symbol;
    EXPECT_NE(Meaning(info.dims, "grid_x"), "(none)") << symbol;
    EXPECT_NE(info.stream, "") << symbol;
  }
  EXPECT_EQ(Info("cudaGraphLaunch").kind, Kind::kGraphLaunch);
  EXPECT_EQ(Info("cuGraphLaunch_ptsz").kind, Kind::kGraphLaunch);
}

TEST(EntryPointTest, CopiesKnowTheirBytes) {
  EXPECT_THAT(Info("cudaMemcpyAsync").bytes, testing::ElementsAre("count"));
  EXPECT_THAT(Info("cudaMemcpy2DAsync").bytes,
              testing::ElementsAre("width", "height"));
  EXPECT_THAT(Info("cuMemsetD32Async").bytes, testing::ElementsAre("N", "=4"));
  EXPECT_EQ(Info("cuMemcpyHtoDAsync_v2").copy_kind, "=h2d");
  EXPECT_TRUE(Info("cudaMemcpy").blocking);
  EXPECT_FALSE(Info("cudaMemcpyAsync").blocking);
  for (const EntryPointInfo& info : AllEntryPoints()) {
    if (info.role != Role::kRecord || info.kind != Kind::kMemset) continue;
    EXPECT_FALSE(info.bytes.empty()) << info.symbol;
  }
}

TEST(EntryPointTest, CudnnCallsHaveClassAndDirection) {
  const auto expect = [](std::string_view symbol, std::string_view layer_class,
                         std::string_view direction) {
    EXPECT_EQ(Info(symbol).layer_class, layer_class) << symbol;
    EXPECT_EQ(Info(symbol).direction, direction) << symbol;
    EXPECT_EQ(Info(symbol).role, Role::kRecord) << symbol;
  };
  expect("cudnnConvolutionForward", "conv", "forward");
  expect("cudnnConvolutionBackwardData", "conv", "backward_data");
  expect("cudnnConvolutionBackwardFilter", "conv", "backward_weight");
  expect("cudnnRNNForward", "rnn", "forward");
  expect("cudnnRNNBackwardWeights_v8", "rnn", "backward_weight");
  expect("cudnnRNNForwardTraining", "rnn", "forward");
  expect("cudnnBatchNormalizationBackwardEx", "norm", "backward");
  expect("cudnnPoolingForward", "pool", "forward");
  expect("cudnnSoftmaxBackward", "softmax", "backward");
  expect("cudnnActivationForward", "activation", "forward");
  expect("cudnnDropoutForward", "dropout", "forward");
  EXPECT_EQ(Info("cudnnBackendExecute").kind, Kind::kCudnnExecute);
}

TEST(EntryPointTest, AutotuningIsMarked) {
  EXPECT_TRUE(Info("cudnnFindConvolutionForwardAlgorithmEx").autotune);
  EXPECT_FALSE(Info("cudnnConvolutionForward").autotune);
}

TEST(EntryPointTest, FrequentQueriesAreOnlyCounted) {
  for (std::string_view symbol :
       {"cudaGetDevice", "cudaGetLastError", "cudaPeekAtLastError",
        "cudaStreamIsCapturing", "cudaEventQuery", "cudaPointerGetAttributes",
        "cuCtxGetCurrent", "cuDevicePrimaryCtxGetState"}) {
    EXPECT_EQ(Info(symbol).role, Role::kCount) << symbol;
  }
}

TEST(EntryPointTest, AnalyzerKnowsEveryClassAndDirection) {
  std::set<std::string_view> classes;
  for (const EntryPointInfo& info : AllEntryPoints()) {
    classes.insert(info.layer_class);
    if (info.layer_class.empty()) continue;
    EXPECT_TRUE(analyzer::LayerClassFromName(info.layer_class)) << info.symbol;
    EXPECT_TRUE(info.direction.empty() ||
                analyzer::DirectionFromName(info.direction))
        << info.symbol;
  }
  EXPECT_THAT(classes, testing::IsSupersetOf({"", "attention", "comm", "conv",
                                              "gemm", "norm", "rnn"}));
}

TEST(EntryPointTest, DriverFunctionsAreAlsoFetchedByAddress) {
  EXPECT_TRUE(Info("cuLaunchKernel").routes & kRouteGetProcAddress);
  EXPECT_EQ(Info("cudaMalloc").routes, kRouteSymbol | kRouteDlsym);
  EXPECT_TRUE(Info("nvtxRangePushA").routes & kRouteInjection);
}

}  // namespace
}  // namespace dltap::specs
