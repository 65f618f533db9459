// SPDX-License-Identifier: Apache-2.0
#include "simgpu/base/host_cost.h"

#include <gtest/gtest.h>

namespace dltap::simgpu {
namespace {

TEST(HostCostTest, WhatAToolsThreadAsksIsFree) {
  for (const char* name :
       {"cuptiActivityFlushAll", "cuptiGetTimestamp", "cudaGetDevice",
        "cudaGetLastError", "cuCtxGetCurrent", "cuDeviceGetAttribute",
        "cudaFuncGetAttributes", "cudaPointerGetAttributes",
        "cudaStreamGetCaptureInfo", "cudnnGetRNNTempSpaceSizes",
        "nvmlDeviceGetUtilizationRates", "__cudaRegisterFunction"}) {
    EXPECT_EQ(HostCostOf(name), 0u) << name;
  }
}

TEST(HostCostTest, PollingMovesTimeOn) {
  for (const char* name : {"cudaEventQuery", "cuEventQuery", "cudaStreamQuery",
                           "cuStreamQuery", "ncclCommGetAsyncError"}) {
    EXPECT_GT(HostCostOf(name), 0u) << name;
  }
}

TEST(HostCostTest, AKernelCostsAsMuchHoweverItIsLaunched) {
  for (const char* name :
       {"__cudaLaunchKernel", "__cudaLaunchKernel_ptsz", "cudaLaunchKernelExC",
        "cuLaunchKernel", "cuLaunchKernelEx"}) {
    EXPECT_EQ(HostCostOf(name), HostCostOf("cudaLaunchKernel")) << name;
  }
}

TEST(HostCostTest, GettersThatWorkCostMoreThanALaunch) {
  const uint32_t launch_ns = HostCostOf("cudaLaunchKernel");
  for (const char* name :
       {"cudaMemGetInfo", "cuMemGetInfo_v2", "cudaGetDeviceProperties",
        "cudaIpcGetMemHandle", "cuModuleGetFunction", "cuLibraryGetKernel",
        "cublasLtMatmulAlgoGetHeuristic",
        "cudnnGetConvolutionForwardAlgorithm_v7", "ncclGetUniqueId"}) {
    EXPECT_GT(HostCostOf(name), launch_ns) << name;
  }
}

TEST(HostCostTest, DescriptorsDoNotCostTheWorkThatTheyName) {
  const uint32_t launch_ns = HostCostOf("cudaLaunchKernel");
  for (const char* name :
       {"cudnnCreateConvolutionDescriptor", "cudnnSetConvolution2dDescriptor",
        "cudnnDestroyRNNDescriptor", "cudnnBackendSetAttribute",
        "cublasLtMatmulDescCreate", "cublasLtMatmulDescSetAttribute",
        "cublasLtMatrixLayoutCreate", "cublasLtMatmulPreferenceCreate",
        "cusolverDnCreateParams", "cusolverDnDestroyParams",
        "cusolverDnCreateSyevjInfo", "cusolverDnIRSParamsCreate",
        "cusparseCreateCsr", "cusparseCreateDnMat", "cusparseCreateConstDnVec",
        "cusparseCreateMatDescr", "cudaGraphAddMemcpyNode"}) {
    EXPECT_LT(HostCostOf(name), launch_ns) << name;
  }
}

TEST(HostCostTest, HandlesOfLibrariesAreSlow) {
  const uint32_t allocation_ns = HostCostOf("cudaMalloc");
  for (const char* name : {"cublasCreate_v2", "cublasLtCreate", "cudnnCreate",
                           "cusolverDnCreate", "cusparseCreate"}) {
    EXPECT_GT(HostCostOf(name), allocation_ns) << name;
  }
}

TEST(HostCostTest, PinningIsSlowAndStreamOrderedAllocationIsFast) {
  const uint32_t allocation_ns = HostCostOf("cudaMalloc");
  for (const char* name :
       {"cudaHostAlloc", "cudaMallocHost", "cuMemHostAlloc",
        "cuMemAllocHost_v2", "cudaHostRegister", "cuMemHostRegister_v2"}) {
    EXPECT_GT(HostCostOf(name), allocation_ns) << name;
  }
  for (const char* name : {"cudaMallocAsync", "cuMemAllocAsync",
                           "cuMemAllocFromPoolAsync", "cudaFreeAsync"}) {
    EXPECT_LT(HostCostOf(name), allocation_ns) << name;
  }
}

TEST(HostCostTest, OneCallStandsForManyLaunches) {
  EXPECT_GT(HostCostOf("cudaGraphLaunch"), HostCostOf("cudaLaunchKernel"));
  EXPECT_GT(HostCostOf("cudaGraphInstantiate"), HostCostOf("cudaGraphLaunch"));
  EXPECT_GT(HostCostOf("ncclCommInitRank"), HostCostOf("ncclAllReduce"));
  EXPECT_EQ(HostCostOf("ncclSend"), HostCostOf("ncclAllReduce"));
}

TEST(HostCostTest, UnlistedCallsAreCheap) {
  EXPECT_EQ(HostCostOf("cudaSetDevice"), 100u);
  EXPECT_EQ(HostCostOf("cublasSetStream_v2"), 100u);
}

}  // namespace
}  // namespace dltap::simgpu
