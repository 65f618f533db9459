// SPDX-License-Identifier: Apache-2.0
// The real specs, as the analyzer sees them.
#include "shim/specs/entry_point.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <set>
#include <string>

#include "shim/specs/words.h"

namespace dltap::specs {
namespace {

// The arguments of that meaning, "*" between them.
std::string Argument(const EntryPointInfo& info, Meaning meaning) {
  std::string found;
  for (const ArgumentMeaning& m : info.arguments) {
    if (m.meaning != meaning) continue;
    found += (found.empty() ? "" : "*") + std::string(m.argument);
  }
  return found.empty() ? "(none)" : found;
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
    EXPECT_EQ(info.layer_class, LayerClass::kGemm) << symbol;
    EXPECT_EQ(Argument(info, Meaning::kDimK), "k") << symbol;
    EXPECT_TRUE(Argument(info, Meaning::kDtypeAll) != "(none)" ||
                Argument(info, Meaning::kDtypeA) != "(none)")
        << symbol;
  }
  EXPECT_EQ(Argument(Info("cublasSgemm_v2"), Meaning::kDtypeAll), "=f32");
  EXPECT_EQ(Argument(Info("cublasHgemm_64"), Meaning::kDtypeAll), "=f16");
  EXPECT_EQ(Argument(Info("cublasZgemm_v2"), Meaning::kDtypeAll), "=c128");
  EXPECT_EQ(Argument(Info("cublasScasum_v2"), Meaning::kDtypeAll), "=c64");
  EXPECT_EQ(Argument(Info("cublasIdamax_v2"), Meaning::kDtypeAll), "=f64");
  EXPECT_EQ(Argument(Info("cublasGemmStridedBatchedEx"), Meaning::kDimBatch),
            "batchCount");
}

TEST(EntryPointTest, FirstVersionOfCublasHasNoHandle) {
  EXPECT_EQ(Argument(Info("cublasSgemm"), Meaning::kHandle), "(none)");
  EXPECT_EQ(Argument(Info("cublasSgemm_v2"), Meaning::kHandle), "handle");
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
    EXPECT_NE(Argument(info, Meaning::kDimGridX), "(none)") << symbol;
    EXPECT_NE(Argument(info, Meaning::kStream), "(none)") << symbol;
    EXPECT_NE(Argument(info, Meaning::kKernel), "(none)") << symbol;
  }
  EXPECT_EQ(Info("cudaGraphLaunch").kind, Kind::kGraphLaunch);
  EXPECT_EQ(Info("cuGraphLaunch_ptsz").kind, Kind::kGraphLaunch);
}

TEST(EntryPointTest, CopiesKnowTheirBytes) {
  EXPECT_EQ(Argument(Info("cudaMemcpyAsync"), Meaning::kBytes), "count");
  EXPECT_EQ(Argument(Info("cudaMemcpy2DAsync"), Meaning::kBytes),
            "width*height");
  EXPECT_EQ(Argument(Info("cuMemsetD32Async"), Meaning::kBytes), "N*=4");
  EXPECT_EQ(Argument(Info("cuMemcpyHtoDAsync_v2"), Meaning::kCopyKind), "=h2d");
  EXPECT_TRUE(Info("cudaMemcpy").blocking);
  EXPECT_FALSE(Info("cudaMemcpyAsync").blocking);
  for (const EntryPointInfo& info : AllEntryPoints()) {
    if (info.role != Role::kRecord || info.kind != Kind::kMemset) continue;
    EXPECT_NE(Argument(info, Meaning::kBytes), "(none)") << info.symbol;
  }
}

TEST(EntryPointTest, CudnnCallsHaveClassAndDirection) {
  const auto expect = [](std::string_view symbol, std::string_view layer_class,
                         std::string_view direction) {
    EXPECT_EQ(Info(symbol).layer_class, FromName<LayerClass>(layer_class))
        << symbol;
    EXPECT_EQ(Name(Info(symbol).direction), direction) << symbol;
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

// Their names begin as those of settings do.
TEST(EntryPointTest, WhatSetsUpAFactorizationIsRecorded) {
  for (std::string_view symbol :
       {"cusolverRfSetupHost", "cusolverRfSetupDevice",
        "cusolverRfBatchSetupHost", "cusolverSpDcsrqrSetup"}) {
    EXPECT_EQ(Info(symbol).role, Role::kRecord) << symbol;
  }
  EXPECT_EQ(Info("cusolverRfSetAlgs").role, Role::kState);
}

TEST(EntryPointTest, FunctionsOfManyClassesAreDescribed) {
  std::set<std::optional<LayerClass>> classes;
  for (const EntryPointInfo& info : AllEntryPoints()) {
    classes.insert(info.layer_class);
  }
  EXPECT_THAT(classes,
              testing::IsSupersetOf<std::optional<LayerClass>>(
                  {std::nullopt, LayerClass::kAttention, LayerClass::kComm,
                   LayerClass::kConv, LayerClass::kGemm, LayerClass::kNorm,
                   LayerClass::kRnn}));
}

TEST(EntryPointTest, AnArgumentHasOneMeaning) {
  for (const EntryPointInfo& info : AllEntryPoints()) {
    std::map<std::string_view, Meaning> meanings;
    for (const ArgumentMeaning& m : info.arguments) {
      if (m.argument.starts_with('=')) continue;
      EXPECT_EQ(meanings.try_emplace(m.argument, m.meaning).first->second,
                m.meaning)
          << info.symbol << ": " << m.argument;
    }
  }
}

TEST(EntryPointTest, DriverFunctionsAreAlsoFetchedByAddress) {
  EXPECT_TRUE(Info("cuLaunchKernel").routes & kRouteGetProcAddress);
  EXPECT_EQ(Info("cudaMalloc").routes, kRouteSymbol | kRouteDlsym);
  EXPECT_TRUE(Info("nvtxRangePushA").routes & kRouteInjection);
}

}  // namespace
}  // namespace dltap::specs
