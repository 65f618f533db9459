// SPDX-License-Identifier: Apache-2.0
// Kernels that compute: PyTorch's names, launched here with arguments laid out
// as PyTorch lays them out.
#include <cuda.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>

#include "tests/unit/simgpu/named_kernels.h"

namespace {

// CUDAFunctorOnSelf_add<float>: {float other; float alpha}
constexpr char kAddScalar[] =
    "_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_"
    "21CUDAFunctorOnSelf_addIfEESt5arrayIPcLm2EEEEviT0_T1_";
// A functor that nobody here knows.
constexpr char kUnknownFunctor[] =
    "_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_10OddFunctorIfEE"
    "St5arrayIPcLm1EEEEviT0_T1_";
constexpr char kUpdateScale[] =
    "_ZN2at6native28amp_update_scale_cuda_kernelEPfPiPKfddi";
// ZeroFunctor<Half, 1, 1, 0> on TensorListMetadata<1>
constexpr char kZeroLists[] =
    "_ZN2at6native12_GLOBAL__N_125multi_tensor_apply_kernelINS1_"
    "18TensorListMetadataILi1EEENS1_11ZeroFunctorIN3c104HalfELi1ELi1ELi0EEEJEEE"
    "vT_T0_DpT1_";
// void loss(float*)
constexpr char kPointerKernel[] = "_Z4lossPf";

class SemanticTest : public NamedKernelTest {
 protected:
  SemanticTest()
      : NamedKernelTest({kAddScalar, kUnknownFunctor, kUpdateScale,
                         kPointerKernel, kZeroLists}) {}

  void AddScalar(CUdeviceptr to, CUdeviceptr from, int count, float value) {
    std::array<float, 2> functor = {value, 1};
    std::array<CUdeviceptr, 2> data = {to, from};
    void* arguments[] = {&count, &functor, &data};
    Launch(kAddScalar, arguments);
  }
};

TEST_F(SemanticTest, ScalarThatAKernelComputedIsRead) {
  Fill(data_, 100, 2.5F);
  EXPECT_EQ(2.5F, ReadScalar(data_));
  EXPECT_EQ(2.5F, ReadScalar(data_ + 99 * sizeof(float)));
  EXPECT_EQ(0, ReadScalar(data_ + 100 * sizeof(float)));
}

TEST_F(SemanticTest, AfterAnUnknownKernelAScalarIsZero) {
  Fill(data_, 100, 2.5F);
  LaunchUnknown();
  EXPECT_EQ(0, ReadScalar(data_));
}

TEST_F(SemanticTest, ArgumentsInOneBufferAreNotRead) {
  Fill(data_, 100, 2.5F);
  Launch(kFill, nullptr);
  EXPECT_EQ(0, ReadScalar(data_));
}

TEST_F(SemanticTest, KernelThatDoesNotComputeSpoilsItsOutputAlone) {
  Fill(data_, 100, 2.5F);
  const CUdeviceptr other = data_ + 4096;
  Fill(other, 100, 3.5F);
  Fill(other, 10, 0, nullptr, kUnknownFunctor);
  EXPECT_EQ(2.5F, ReadScalar(data_));
  EXPECT_EQ(0, ReadScalar(other));
}

TEST_F(SemanticTest, StaleNumbersCountAsZero) {
  Fill(data_, 1, 1);
  AddScalar(data_ + 512, data_, 1, 2);
  EXPECT_EQ(3, ReadScalar(data_ + 512));
  LaunchUnknown();
  AddScalar(data_ + 512, data_, 1, 2);
  EXPECT_EQ(2, ReadScalar(data_ + 512));
}

TEST_F(SemanticTest, LargeKernelsTakeTimeAlone) {
  Fill(data_, 1 << 20, 2.5F);
  float read[8] = {};
  ASSERT_EQ(CUDA_SUCCESS, cuMemcpyDtoH(read, data_, sizeof(read)));
  EXPECT_EQ(0, read[0]);
  EXPECT_EQ(0, ReadScalar(data_));
}

TEST_F(SemanticTest, PointerToNowhereIsNotTouched) {
  Fill(data_ + kBytes - 4, 100, 2.5F);
  Fill(16, 100, 2.5F);
  AddScalar(data_, 16, 1, 2);
  EXPECT_EQ(0, ReadScalar(data_ + kBytes - 4));
}

TEST_F(SemanticTest, CapturedKernelComputesAtEachReplay) {
  CUstream stream = nullptr;
  ASSERT_EQ(CUDA_SUCCESS, cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  ASSERT_EQ(CUDA_SUCCESS,
            cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
  Fill(data_, 8, 2.5F, stream);
  CUgraph graph = nullptr;
  ASSERT_EQ(CUDA_SUCCESS, cuStreamEndCapture(stream, &graph));
  EXPECT_EQ(0, ReadScalar(data_));
  CUgraphExec exec = nullptr;
  ASSERT_EQ(CUDA_SUCCESS, cuGraphInstantiate(&exec, graph, 0));
  for (int replay = 0; replay < 2; ++replay) {
    ASSERT_EQ(CUDA_SUCCESS, cuMemsetD32(data_, 0, 8));
    ASSERT_EQ(CUDA_SUCCESS, cuGraphLaunch(exec, stream));
    ASSERT_EQ(CUDA_SUCCESS, cuStreamSynchronize(stream));
    EXPECT_EQ(2.5F, ReadScalar(data_));
  }
  cuGraphExecDestroy(exec);
  cuGraphDestroy(graph);
  cuStreamDestroy(stream);
}

// In stream order: not before the host function that comes first.
TEST_F(SemanticTest, ComputesAfterTheHostFunctionBeforeIt) {
  static float seen = -1;
  static CUdeviceptr data = 0;
  data = data_;
  CUstream stream = nullptr;
  ASSERT_EQ(CUDA_SUCCESS, cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  ASSERT_EQ(CUDA_SUCCESS, cuMemsetD32(data_, 0, 8));
  ASSERT_EQ(CUDA_SUCCESS,
            cuLaunchHostFunc(
                stream, [](void*) { seen = *reinterpret_cast<float*>(data); },
                nullptr));
  Fill(data_, 8, 2.5F, stream);
  ASSERT_EQ(CUDA_SUCCESS, cuStreamSynchronize(stream));
  EXPECT_EQ(0, seen);
  EXPECT_EQ(2.5F, ReadScalar(data_));
  cuStreamDestroy(stream);
}

// TensorListMetadata<1> of PyTorch up to 2.12 and since.
template <size_t kTensors, size_t kBlocks, typename Index>
struct TensorLists {
  void* addresses[kTensors];
  int64_t elements[kTensors];
  Index block_to_tensor[kBlocks];
  int block_to_chunk[kBlocks];
  int first_tensor;
};
using SmallLists = TensorLists<110, 320, uint8_t>;
using LargeLists = TensorLists<770, 2240, uint16_t>;

class ListsTest : public SemanticTest {
 protected:
  // Zeroes two halves by lists whose unused bytes hold `garbage`.
  template <typename Lists>
  float ZeroAmong(uint8_t garbage) {
    Fill(data_, 1, 2.5F);
    Lists lists;
    std::memset(&lists, garbage, sizeof lists);
    lists.addresses[0] = reinterpret_cast<void*>(data_);
    lists.elements[0] = 2;
    lists.block_to_tensor[0] = 0;
    lists.block_to_chunk[0] = 0;
    uint8_t functor = 0;
    void* arguments[] = {&lists, &functor};
    Launch(kZeroLists, arguments);
    return ReadScalar(data_);
  }
};

TEST_F(ListsTest, EitherLayoutIsKnownByWhatItPointsTo) {
  for (const uint8_t garbage : {0, 0x18, 0xff}) {
    EXPECT_EQ(0, ZeroAmong<SmallLists>(garbage)) << garbage;
    EXPECT_EQ(0, ZeroAmong<LargeLists>(garbage)) << garbage;
  }
}

TEST_F(ListsTest, LeftoversOfAnotherLayoutAreNotBelieved) {
  Fill(data_, 1, 2.5F);
  LargeLists lists{};
  auto& leftovers = reinterpret_cast<SmallLists&>(lists);
  leftovers.elements[0] = int64_t{1} << 60;
  lists.addresses[0] = reinterpret_cast<void*>(data_);
  lists.elements[0] = 2;
  uint8_t functor = 0;
  void* arguments[] = {&lists, &functor};
  Launch(kZeroLists, arguments);
  // Not by the zero rule: another number beside it is still there.
  Fill(data_ + 4, 1, 1);
  std::array<float, 8> read{};
  ASSERT_EQ(CUDA_SUCCESS, cuMemcpyDtoH(read.data(), data_, sizeof read));
  EXPECT_EQ(0, read[0]);
  EXPECT_EQ(1, read[1]);
}

class ScaleTest : public SemanticTest {
 protected:
  void Update(float found_inf, int interval) {
    Fill(data_ + 1024, 1, found_inf);
    std::array<CUdeviceptr, 3> pointers = {data_, data_ + 512, data_ + 1024};
    double growth = 2;
    double backoff = 0.5;
    void* arguments[] = {&pointers[0], &pointers[1], &pointers[2],
                         &growth,      &backoff,     &interval};
    Launch(kUpdateScale, arguments);
  }
  void SetUp() override {
    SemanticTest::SetUp();
    Fill(data_, 1, 65536);
    ASSERT_EQ(CUDA_SUCCESS, cuMemsetD32(data_ + 512, 0, 1));
  }
};

TEST_F(ScaleTest, GrowsAfterTheIntervalAndShrinksAtInfinity) {
  Update(0, 2);
  EXPECT_EQ(65536, ReadScalar(data_));
  Update(0, 2);
  EXPECT_EQ(131072, ReadScalar(data_));
  Update(1, 2);
  EXPECT_EQ(65536, ReadScalar(data_));
}

TEST_F(ScaleTest, IsKnownUntilSomethingMayHaveWrittenThere) {
  Update(0, 2000);
  LaunchUnknown();
  EXPECT_EQ(65536, ReadScalar(data_));
  CUdeviceptr pointer = data_;
  void* arguments[] = {&pointer};
  Launch(kPointerKernel, arguments);
  EXPECT_EQ(0, ReadScalar(data_));
}

}  // namespace
