// SPDX-License-Identifier: Apache-2.0
// Which memory becomes stale where a kernel does not compute: launched here by
// name, with arguments laid out as frameworks lay them out.
#include <cuda.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "tests/unit/simgpu/named_kernels.h"

namespace {

// void both(float*, float const*, int)
constexpr char kPointers[] = "_Z4bothPfPKfi";
// void f(at::cuda::detail::TensorInfo<float, unsigned int>,
//        at::cuda::detail::TensorInfo<float const, unsigned int>)
constexpr char kTensors[] = "_Z1fN2at4cuda6detail10TensorInfoIfjEES2_IKfjE";
// void g(Lambda): an object of which nothing is known
constexpr char kObject[] = "_Z1g6Lambda";
// void h(at::native::Lambda)
constexpr char kPytorchObject[] = "_Z1hN2at6native6LambdaE";
// A name that tells no parameters.
constexpr char kBare[] = "triton_poi_fused_0";

constexpr float kValue = 2.5F;

class WriteTargetsTest : public NamedKernelTest {
 protected:
  WriteTargetsTest()
      : NamedKernelTest({kPointers, kTensors, kObject, kPytorchObject, kBare}) {
  }

  void SetUp() override {
    NamedKernelTest::SetUp();
    for (const CUdeviceptr at : {a(), b(), c()}) Fill(at, 4, kValue);
  }

  CUdeviceptr a() const { return data_; }
  CUdeviceptr b() const { return data_ + 512; }
  CUdeviceptr c() const { return data_ + 1024; }

  void ExpectStale(bool a_is, bool b_is, bool c_is) {
    EXPECT_EQ(a_is ? 0 : kValue, ReadScalar(a()));
    EXPECT_EQ(b_is ? 0 : kValue, ReadScalar(b()));
    EXPECT_EQ(c_is ? 0 : kValue, ReadScalar(c()));
  }
};

TEST_F(WriteTargetsTest, PointersUnlessToConstants) {
  CUdeviceptr to = a();
  CUdeviceptr from = b();
  int count = 4;
  void* arguments[] = {&to, &from, &count};
  Launch(kPointers, arguments);
  ExpectStale(true, false, false);
}

TEST_F(WriteTargetsTest, TensorsByValueUnlessConstant) {
  std::array<CUdeviceptr, 27> to{a(), c()};  // what follows is no address
  std::array<CUdeviceptr, 27> from{b()};
  void* arguments[] = {&to, &from};
  Launch(kTensors, arguments);
  ExpectStale(true, false, false);
}

TEST_F(WriteTargetsTest, AnywhereBehindAnUnknownObject) {
  std::array<CUdeviceptr, 32> object{1, 2, b()};
  void* arguments[] = {&object};
  Launch(kObject, arguments);
  ExpectStale(true, true, true);
}

TEST_F(WriteTargetsTest, WhereAPytorchObjectPointsTo) {
  std::array<CUdeviceptr, 256> object{1, 2, b()};
  void* arguments[] = {&object};
  Launch(kPytorchObject, arguments);
  ExpectStale(false, true, false);
}

TEST_F(WriteTargetsTest, AnywhereWithoutParameters) {
  CUdeviceptr to = a();
  void* arguments[] = {&to};
  Launch(kBare, arguments);
  ExpectStale(true, true, true);
}

TEST_F(WriteTargetsTest, AtEachReplayOfAGraph) {
  CUdeviceptr to = a();
  CUdeviceptr from = b();
  int count = 4;
  void* arguments[] = {&to, &from, &count};
  CUstream stream = nullptr;
  CUgraph graph = nullptr;
  CUgraphExec exec = nullptr;
  ASSERT_EQ(CUDA_SUCCESS, cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  ASSERT_EQ(CUDA_SUCCESS,
            cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
  Launch(kPointers, arguments, stream);
  ASSERT_EQ(CUDA_SUCCESS, cuStreamEndCapture(stream, &graph));
  ASSERT_EQ(CUDA_SUCCESS, cuGraphInstantiate(&exec, graph, 0));
  ExpectStale(false, false, false);
  for (int replay = 0; replay < 2; ++replay) {
    Fill(a(), 4, kValue);
    EXPECT_EQ(kValue, ReadScalar(a()));
    ASSERT_EQ(CUDA_SUCCESS, cuGraphLaunch(exec, stream));
    ASSERT_EQ(CUDA_SUCCESS, cuStreamSynchronize(stream));
    ExpectStale(true, false, false);
  }
  cuGraphExecDestroy(exec);
  cuGraphDestroy(graph);
  cuStreamDestroy(stream);
}

}  // namespace
