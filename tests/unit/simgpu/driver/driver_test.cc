// SPDX-License-Identifier: Apache-2.0
#include <cuda.h>
#include <gtest/gtest.h>

#include <cstring>

namespace {

constexpr char kPtx[] =
    "// a comment\n.version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry AddOne(.param .u64 data)\n{\n ret;\n}\n";

class DriverTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(CUDA_SUCCESS, cuInit(0));
    ASSERT_EQ(CUDA_SUCCESS, cuDevicePrimaryCtxRetain(&context_, 0));
    ASSERT_EQ(CUDA_SUCCESS, cuCtxSetCurrent(context_));
  }
  void TearDown() override { cuDevicePrimaryCtxRelease(0); }
  CUcontext context_ = nullptr;
};

TEST_F(DriverTest, NoContextNoMemory) {
  ASSERT_EQ(CUDA_SUCCESS, cuCtxSetCurrent(nullptr));
  CUdeviceptr address = 0;
  EXPECT_EQ(CUDA_ERROR_INVALID_CONTEXT, cuMemAlloc(&address, 100));
}

TEST_F(DriverTest, CopiesThroughTheDriver) {
  CUdeviceptr address = 0;
  ASSERT_EQ(CUDA_SUCCESS, cuMemAlloc(&address, 400));
  ASSERT_EQ(CUDA_SUCCESS, cuMemsetD32(address, 0x01020304, 100));
  unsigned result[100] = {};
  ASSERT_EQ(CUDA_SUCCESS, cuMemcpyDtoH(result, address, sizeof(result)));
  EXPECT_EQ(0x01020304u, result[0]);
  EXPECT_EQ(0x01020304u, result[99]);
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemsetD32(address + 1, 0, 1));
  EXPECT_EQ(CUDA_SUCCESS, cuMemFree(address));
}

TEST_F(DriverTest, ModuleNamesComeFromTheImage) {
  CUmodule module = nullptr;
  ASSERT_EQ(CUDA_SUCCESS, cuModuleLoadData(&module, kPtx));
  unsigned count = 0;
  ASSERT_EQ(CUDA_SUCCESS, cuModuleGetFunctionCount(&count, module));
  EXPECT_EQ(1u, count);
  CUfunction function = nullptr;
  ASSERT_EQ(CUDA_SUCCESS, cuModuleGetFunction(&function, module, "AddOne"));
  const char* name = nullptr;
  ASSERT_EQ(CUDA_SUCCESS, cuFuncGetName(&name, function));
  EXPECT_STREQ("AddOne", name);
  EXPECT_EQ(CUDA_SUCCESS, cuLaunchKernel(function, 8, 1, 1, 128, 1, 1, 0,
                                         nullptr, nullptr, nullptr));
  EXPECT_EQ(CUDA_SUCCESS, cuModuleUnload(module));
  EXPECT_EQ(CUDA_ERROR_INVALID_HANDLE,
            cuLaunchKernel(function, 8, 1, 1, 128, 1, 1, 0, nullptr, nullptr,
                           nullptr));
  EXPECT_EQ(CUDA_ERROR_INVALID_IMAGE, cuModuleLoadData(&module, "no image"));
}

TEST_F(DriverTest, LinkedImageHoldsTheNamesOfItsInputs) {
  char ptx[] =
      "//\n.version 9.0\n.target sm_90\n.address_size 64\n"
      ".visible .global .align 4 .u32 error_code;\n"
      ".visible .entry added(.param .u64 p) { ret; }\n";
  char junk[] = "neither cubin nor PTX";
  CUlinkState state;
  CUjit_option option = CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES;
  void* log_bytes = reinterpret_cast<void*>(4096);
  ASSERT_EQ(CUDA_SUCCESS, cuLinkCreate(1, &option, &log_bytes, &state));
  EXPECT_EQ(CUDA_ERROR_INVALID_IMAGE,
            cuLinkAddData(state, CU_JIT_INPUT_PTX, junk, sizeof(junk), "junk",
                          0, nullptr, nullptr));
  EXPECT_EQ(CUDA_SUCCESS,
            cuLinkAddData(state, CU_JIT_INPUT_PTX, ptx, sizeof(ptx), "ptx", 0,
                          nullptr, nullptr));
  void* cubin = nullptr;
  size_t bytes = 0;
  ASSERT_EQ(CUDA_SUCCESS, cuLinkComplete(state, &cubin, &bytes));
  EXPECT_EQ(nullptr, log_bytes);
  EXPECT_GT(bytes, 64u);
  CUmodule module;
  ASSERT_EQ(CUDA_SUCCESS, cuModuleLoadData(&module, cubin));
  unsigned count = 0;
  EXPECT_EQ(CUDA_SUCCESS, cuModuleGetFunctionCount(&count, module));
  EXPECT_EQ(1u, count);
  CUfunction function;
  const char* name = nullptr;
  ASSERT_EQ(CUDA_SUCCESS, cuModuleGetFunction(&function, module, "added"));
  EXPECT_EQ(CUDA_SUCCESS, cuFuncGetName(&name, function));
  EXPECT_STREQ("added", name);
  EXPECT_EQ(CUDA_ERROR_NOT_FOUND,
            cuModuleGetFunction(&function, module, "not_added"));
  CUdeviceptr variable = 0;
  EXPECT_EQ(CUDA_SUCCESS,
            cuModuleGetGlobal(&variable, &bytes, module, "error_code"));
  EXPECT_EQ(4u, bytes);
  EXPECT_EQ(CUDA_SUCCESS, cuModuleUnload(module));
  EXPECT_EQ(CUDA_SUCCESS, cuLinkDestroy(state));
  EXPECT_EQ(CUDA_ERROR_INVALID_HANDLE, cuLinkDestroy(state));
}

TEST_F(DriverTest, ProcAddressFollowsTheVersion) {
  CUdriverProcAddressQueryResult status;
  void* newest = nullptr;
  ASSERT_EQ(CUDA_SUCCESS,
            cuGetProcAddress("cuMemAlloc", &newest, 13000, 0, &status));
  EXPECT_EQ(reinterpret_cast<void*>(&cuMemAlloc), newest);  // cuMemAlloc_v2
  void* oldest = nullptr;
  ASSERT_EQ(CUDA_SUCCESS,
            cuGetProcAddress("cuMemAlloc", &oldest, 2000, 0, &status));
  EXPECT_NE(newest, oldest);
  void* per_thread = nullptr;
  ASSERT_EQ(
      CUDA_SUCCESS,
      cuGetProcAddress("cuLaunchKernel", &per_thread, 13000,
                       CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, &status));
  EXPECT_NE(reinterpret_cast<void*>(&cuLaunchKernel), per_thread);
  EXPECT_EQ(CUDA_ERROR_NOT_FOUND,
            cuGetProcAddress("cuNoSuchThing", &newest, 13000, 0, &status));
  EXPECT_EQ(CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND, status);
  EXPECT_EQ(CUDA_ERROR_NOT_FOUND,
            cuGetProcAddress("cuLaunchKernelEx", &newest, 11000, 0, &status));
  EXPECT_EQ(CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT, status);
}

TEST_F(DriverTest, ExportTablesAreRefused) {
  const void* table = &table;
  CUuuid id{};
  EXPECT_NE(CUDA_SUCCESS, cuGetExportTable(&table, &id));
  EXPECT_EQ(nullptr, table);
}

TEST_F(DriverTest, GraphNodeByNode) {
  CUmodule module = nullptr;
  ASSERT_EQ(CUDA_SUCCESS, cuModuleLoadData(&module, kPtx));
  CUgraph graph = nullptr;
  ASSERT_EQ(CUDA_SUCCESS, cuGraphCreate(&graph, 0));
  CUgraphNodeParams params{};
  params.type = CU_GRAPH_NODE_TYPE_KERNEL;
  ASSERT_EQ(CUDA_SUCCESS,
            cuModuleGetFunction(&params.kernel.func, module, "AddOne"));
  params.kernel.gridDimX = params.kernel.gridDimY = params.kernel.gridDimZ = 1;
  params.kernel.blockDimX = 64;
  params.kernel.blockDimY = params.kernel.blockDimZ = 1;
  CUgraphNode node = nullptr;
  ASSERT_EQ(CUDA_SUCCESS,
            cuGraphAddNode(&node, graph, nullptr, nullptr, 0, &params));
  CUgraphExec exec = nullptr;
  ASSERT_EQ(CUDA_SUCCESS, cuGraphInstantiate(&exec, graph, 0));
  CUDA_KERNEL_NODE_PARAMS changed{};
  ASSERT_EQ(CUDA_SUCCESS, cuGraphKernelNodeGetParams(node, &changed));
  changed.gridDimX = 9;
  EXPECT_EQ(CUDA_SUCCESS, cuGraphExecKernelNodeSetParams(exec, node, &changed));
  EXPECT_EQ(CUDA_SUCCESS, cuGraphLaunch(exec, nullptr));
  EXPECT_EQ(CUDA_SUCCESS, cuCtxSynchronize());
  EXPECT_EQ(CUDA_SUCCESS, cuGraphExecDestroy(exec));
  EXPECT_EQ(CUDA_SUCCESS, cuGraphDestroy(graph));
  EXPECT_EQ(CUDA_SUCCESS, cuModuleUnload(module));
}

}  // namespace
