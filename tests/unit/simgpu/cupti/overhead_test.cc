// SPDX-License-Identifier: Apache-2.0
// What CUPTI and the driver take for themselves, functions and compilations.
#include <cuda.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "tests/unit/simgpu/cupti/records_test.h"

namespace {

using namespace dltap::simgpu_test;  // NOLINT

constexpr char kPtx[] = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry first(.param .u64 a) { ret; }
.visible .entry second(.param .u64 a) { ret; }
)";

class CuptiOverheadTest : public RecordsTest {
 protected:
  static std::vector<CUpti_ActivityOverhead3> Of(
      CUpti_ActivityOverheadKind kind) {
    auto found =
        Delivered<CUpti_ActivityOverhead3>(CUPTI_ACTIVITY_KIND_OVERHEAD);
    std::erase_if(found,
                  [kind](const auto& o) { return o.overheadKind != kind; });
    return found;
  }
  static void Load() {
    CUmodule module = nullptr;
    CUfunction function = nullptr;
    ASSERT_EQ(cuModuleLoadData(&module, kPtx), CUDA_SUCCESS);
    ASSERT_EQ(cuModuleGetFunction(&function, module, "first"), CUDA_SUCCESS);
    uint64_t argument = 0;
    void* arguments[] = {&argument};
    for (int i = 0; i < 2; ++i) {
      ASSERT_EQ(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, nullptr,
                               arguments, nullptr),
                CUDA_SUCCESS);
    }
  }
};

TEST_F(CuptiOverheadTest, BuffersTakeTime) {
  Enable(CUPTI_ACTIVITY_KIND_OVERHEAD);
  cuptiSetThreadIdType(CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM);
  Flush();  // the request's record goes out with the first buffer
  Flush();
  const auto requests = Of(CUPTI_ACTIVITY_OVERHEAD_ACTIVITY_BUFFER_REQUEST);
  const auto flushes = Of(CUPTI_ACTIVITY_OVERHEAD_CUPTI_BUFFER_FLUSH);
  ASSERT_GE(requests.size(), 1);
  ASSERT_GE(flushes.size(), 1);
  EXPECT_LE(requests[0].start, requests[0].end);
  EXPECT_LE(requests[0].end, flushes[0].start);
  EXPECT_EQ(flushes[0].objectKind, CUPTI_ACTIVITY_OBJECT_THREAD);
  EXPECT_EQ(flushes[0].objectId.pt.processId, static_cast<uint32_t>(getpid()));
  EXPECT_EQ(flushes[0].objectId.pt.threadId, static_cast<uint32_t>(gettid()));
  cuptiSetThreadIdType(CUPTI_ACTIVITY_THREAD_ID_TYPE_DEFAULT);
}

TEST_F(CuptiOverheadTest, LoadingCompilingAndFirstLaunchesTakeTime) {
  Enable(CUPTI_ACTIVITY_KIND_OVERHEAD);
  Enable(CUPTI_ACTIVITY_KIND_DRIVER);
  Load();
  Flush();
  const auto compiling = Of(CUPTI_ACTIVITY_OVERHEAD_DRIVER_COMPILER);
  ASSERT_EQ(compiling.size(), 1);
  EXPECT_LT(compiling[0].start, compiling[0].end);
  const auto loading = Of(CUPTI_ACTIVITY_OVERHEAD_LAZY_FUNCTION_LOADING);
  ASSERT_EQ(loading.size(), 1);  // of two launches
  const auto instrumenting = Of(CUPTI_ACTIVITY_OVERHEAD_CUPTI_INSTRUMENTATION);
  EXPECT_EQ(instrumenting.size(), 1);
  const auto calls = Delivered<CUpti_ActivityAPI>(CUPTI_ACTIVITY_KIND_DRIVER);
  const auto launch =
      std::find_if(calls.begin(), calls.end(), [](const auto& call) {
        return call.cbid == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel;
      });
  ASSERT_NE(launch, calls.end());
  EXPECT_EQ(loading[0].correlationId, launch->correlationId);
  EXPECT_GE(loading[0].start, launch->start);
  EXPECT_LE(loading[0].end, launch->end);
}

TEST_F(CuptiOverheadTest, FunctionsOfALoadedModuleAreNamed) {
  Enable(CUPTI_ACTIVITY_KIND_FUNCTION);
  Load();
  Flush();
  const auto functions =
      Delivered<CUpti_ActivityFunction>(CUPTI_ACTIVITY_KIND_FUNCTION);
  ASSERT_EQ(functions.size(), 2);
  EXPECT_STREQ(functions[0].name, "first");
  EXPECT_STREQ(functions[1].name, "second");
  EXPECT_EQ(functions[0].moduleId, functions[1].moduleId);
  EXPECT_EQ(functions[1].functionIndex, 1);
  EXPECT_NE(functions[0].contextId, 0);
}

TEST_F(CuptiOverheadTest, CompilingPtxIsAJitOperation) {
  Enable(CUPTI_ACTIVITY_KIND_JIT);
  Load();
  Flush();
  const auto operations =
      Delivered<CUpti_ActivityJit2>(CUPTI_ACTIVITY_KIND_JIT);
  ASSERT_EQ(operations.size(), 1);
  EXPECT_EQ(operations[0].jitEntryType, CUPTI_ACTIVITY_JIT_ENTRY_PTX_TO_CUBIN);
  EXPECT_EQ(operations[0].jitOperationType,
            CUPTI_ACTIVITY_JIT_OPERATION_COMPILE);
  EXPECT_LT(operations[0].start, operations[0].end);
}

TEST_F(CuptiOverheadTest, ModulesAreForCallbacksOnly) {
  EXPECT_EQ(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MODULE),
            CUPTI_ERROR_INVALID_KIND);
}

}  // namespace

int main(int argc, char** argv) {
  setenv("DLTAP_SIM_GPU", "h100-sxm", 1);
  setenv("DLTAP_SIM_QUIET", "1", 1);
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
