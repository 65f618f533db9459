// SPDX-License-Identifier: Apache-2.0
// CUDA arrays: which can be made, what they cost, and what copies do to them.
#include <cuda.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

#include "tests/unit/simgpu/support.h"

// The functions that copy runs of bytes.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace {

constexpr cudaChannelFormatDesc kFloats{32, 0, 0, 0,
                                        cudaChannelFormatKindFloat};
constexpr cudaChannelFormatDesc kBytes4{8, 8, 8, 8,
                                        cudaChannelFormatKindUnsigned};

class ArrayTest : public RuntimeTest {
 protected:
  void SetUp() override {
    RuntimeTest::SetUp();
    ASSERT_OK(cudaMallocArray(&array_, &kFloats, kWidth, kHeight));
    std::iota(host_.begin(), host_.end(), 1.0f);
  }
  void TearDown() override {
    EXPECT_OK(cudaFreeArray(array_));
    RuntimeTest::TearDown();
  }

  void Fill() {
    ASSERT_OK(cudaMemcpy2DToArray(array_, 0, 0, host_.data(), kRow, kRow,
                                  kHeight, cudaMemcpyHostToDevice));
  }
  // What the array holds.
  std::vector<float> Read() const {
    std::vector<float> out(kWidth * kHeight);
    EXPECT_OK(cudaMemcpy2DFromArray(out.data(), kRow, array_, 0, 0, kRow,
                                    kHeight, cudaMemcpyDeviceToHost));
    return out;
  }
  CUarray driver_array() const { return reinterpret_cast<CUarray>(array_); }

  static constexpr size_t kWidth = 8;
  static constexpr size_t kHeight = 4;
  static constexpr size_t kRow = kWidth * sizeof(float);
  cudaArray_t array_ = nullptr;
  std::vector<float> host_ = std::vector<float>(kWidth * kHeight);
};

TEST_F(ArrayTest, InfoIsWhatTheArrayWasMadeOf) {
  cudaChannelFormatDesc desc{};
  cudaExtent extent{1, 1, 1};
  unsigned flags = 9;
  ASSERT_OK(cudaArrayGetInfo(&desc, &extent, &flags, array_));
  EXPECT_EQ(32, desc.x);
  EXPECT_EQ(0, desc.y);
  EXPECT_EQ(cudaChannelFormatKindFloat, desc.f);
  EXPECT_EQ(kWidth, extent.width);
  EXPECT_EQ(kHeight, extent.height);
  EXPECT_EQ(0u, extent.depth);
  EXPECT_EQ(0u, flags);
  CUDA_ARRAY_DESCRIPTOR described{};
  ASSERT_EQ(CUDA_SUCCESS, cuArrayGetDescriptor(&described, driver_array()));
  EXPECT_EQ(CU_AD_FORMAT_FLOAT, described.Format);
  EXPECT_EQ(1u, described.NumChannels);
  EXPECT_EQ(kWidth, described.Width);
  EXPECT_OK(cudaArrayGetInfo(nullptr, nullptr, nullptr, array_));
}

TEST_F(ArrayTest, MemoryIsTakenAndGivenBack) {
  size_t before = 0;
  size_t during = 0;
  size_t after = 0;
  size_t total = 0;
  ASSERT_OK(cudaMemGetInfo(&before, &total));
  cudaArray_t large = nullptr;
  ASSERT_OK(cudaMallocArray(&large, &kBytes4, 4096, 1024));
  ASSERT_OK(cudaMemGetInfo(&during, &total));
  ASSERT_OK(cudaFreeArray(large));
  ASSERT_OK(cudaMemGetInfo(&after, &total));
  EXPECT_EQ(size_t{16} << 20, before - during);
  EXPECT_EQ(before, after);
  // 16384^3 elements of 16 bytes.
  constexpr cudaChannelFormatDesc kWide{32, 32, 32, 32,
                                        cudaChannelFormatKindFloat};
  EXPECT_EQ(cudaErrorMemoryAllocation,
            cudaMalloc3DArray(&large, &kWide, {16384, 16384, 16384}));
}

struct Shape {
  cudaExtent extent;
  unsigned flags;
  bool possible;
};
constexpr unsigned kLayered = cudaArrayLayered;
constexpr unsigned kCube = cudaArrayCubemap;
constexpr Shape kShapes[] = {
    {{131072, 0, 0}, 0, true},
    {{131073, 0, 0}, 0, false},
    {{0, 0, 0}, 0, false},
    {{32769, 0, 0}, cudaArraySurfaceLoadStore, false},
    {{1024, 65536, 0}, 0, true},
    {{1024, 65537, 0}, 0, false},
    {{64, 64, 16384}, 0, true},
    {{64, 64, 32768}, 0, true},  // the alternate limits
    {{16384, 64, 32768}, 0, false},
    {{64, 0, 8}, 0, false},  // depth without height
    {{64, 0, 8}, kLayered, true},
    {{64, 64, 2049}, kLayered, false},
    {{64, 64, 6}, kCube, true},
    {{64, 64, 12}, kCube, false},
    {{64, 32, 6}, kCube, false},
    {{64, 64, 12}, kCube | kLayered, true},
    {{64, 64, 10}, kCube | kLayered, false},
    {{40000, 64, 0}, cudaArrayTextureGather, false},
    {{64, 64, 0}, 0x10, false},
};

TEST_F(ArrayTest, ShapesAreThoseOfTheTableOfExtents) {
  for (const Shape& shape : kShapes) {
    cudaArray_t array = nullptr;
    EXPECT_EQ(shape.possible ? cudaSuccess : cudaErrorInvalidValue,
              cudaMalloc3DArray(&array, &kBytes4, shape.extent, shape.flags))
        << shape.extent.width << " " << shape.extent.height << " "
        << shape.extent.depth << " " << shape.flags;
    EXPECT_OK(cudaFreeArray(array));
  }
}

TEST_F(ArrayTest, ElementsAreOneTwoOrFourEqualChannels) {
  constexpr auto kUnsigned = cudaChannelFormatKindUnsigned;
  const cudaChannelFormatDesc refused[] = {
      {8, 8, 8, 0, kUnsigned},  {8, 16, 0, 0, kUnsigned},
      {64, 0, 0, 0, kUnsigned}, {8, 0, 8, 0, kUnsigned},
      {0, 0, 0, 0, kUnsigned},  {8, 0, 0, 0, cudaChannelFormatKindFloat}};
  cudaArray_t array = nullptr;
  for (const cudaChannelFormatDesc& desc : refused) {
    EXPECT_EQ(cudaErrorInvalidChannelDescriptor,
              cudaMallocArray(&array, &desc, 16, 16));
  }
  const cudaChannelFormatDesc normalized{
      16, 16, 0, 0, cudaChannelFormatKindSignedNormalized16X2};
  ASSERT_OK(cudaMallocArray(&array, &normalized, 16, 16));
  cudaChannelFormatDesc desc{};
  EXPECT_OK(cudaGetChannelDesc(&desc, array));
  EXPECT_EQ(normalized.f, desc.f);
  EXPECT_EQ(16, desc.y);
  EXPECT_OK(cudaFreeArray(array));
}

TEST_F(ArrayTest, UnbackedArraysAreNotSupportedAsTheAttributesSay) {
  int sparse = 1;
  ASSERT_EQ(CUDA_SUCCESS,
            cuDeviceGetAttribute(
                &sparse, CU_DEVICE_ATTRIBUTE_SPARSE_CUDA_ARRAY_SUPPORTED, 0));
  EXPECT_EQ(0, sparse);
  cudaArray_t array = nullptr;
  EXPECT_EQ(cudaErrorNotSupported,
            cudaMallocArray(&array, &kFloats, 64, 64, cudaArraySparse));
  cudaArraySparseProperties properties{};
  EXPECT_EQ(cudaErrorInvalidValue,
            cudaArrayGetSparseProperties(&properties, array_));
  cudaArrayMemoryRequirements requirements{};
  EXPECT_EQ(cudaErrorInvalidValue,
            cudaArrayGetMemoryRequirements(&requirements, array_, 0));
  EXPECT_EQ(CUDA_ERROR_NOT_SUPPORTED, cuMemMapArrayAsync(nullptr, 0, nullptr));
}

TEST_F(ArrayTest, WhatWasFreedIsNoArray) {
  cudaArray_t array = nullptr;
  ASSERT_OK(cudaMallocArray(&array, &kFloats, 16, 16));
  ASSERT_OK(cudaFreeArray(array));
  EXPECT_EQ(cudaErrorInvalidResourceHandle, cudaFreeArray(array));
  EXPECT_EQ(CUDA_ERROR_INVALID_HANDLE,
            cuArrayDestroy(reinterpret_cast<CUarray>(array)));
  EXPECT_EQ(cudaErrorInvalidValue,
            cudaMemcpy2DToArray(array, 0, 0, host_.data(), kRow, kRow, 1,
                                cudaMemcpyHostToDevice));
  EXPECT_OK(cudaFreeArray(nullptr));
}

TEST_F(ArrayTest, RowsGoInAndOut) {
  Fill();
  EXPECT_EQ(host_, Read());
  // Two elements of two rows, from the second row's third element on.
  std::vector<float> part(4);
  ASSERT_OK(cudaMemcpy2DFromArray(part.data(), 8, array_, 8, 1, 8, 2,
                                  cudaMemcpyDefault));
  EXPECT_EQ((std::vector<float>{11, 12, 19, 20}), part);
}

TEST_F(ArrayTest, BoxesMustLieInTheArrayAndHoldWholeElements) {
  void* const rows = host_.data();
  const auto copy = [&](size_t x, size_t y, size_t width, size_t height) {
    return cudaMemcpy2DToArray(array_, x, y, rows, kRow, width, height,
                               cudaMemcpyHostToDevice);
  };
  EXPECT_OK(copy(4, 1, kRow - 4, 3));
  EXPECT_EQ(cudaErrorInvalidValue, copy(8, 0, kRow - 4, 1));
  EXPECT_EQ(cudaErrorInvalidValue, copy(0, 2, kRow, 3));
  EXPECT_EQ(cudaErrorInvalidValue, copy(2, 0, 4, 1));
  EXPECT_EQ(cudaErrorInvalidValue, copy(0, 0, 6, 1));
  EXPECT_EQ(cudaErrorInvalidPitchValue,
            cudaMemcpy2DToArray(array_, 0, 0, rows, 16, kRow, 2,
                                cudaMemcpyHostToDevice));
  EXPECT_EQ(cudaErrorInvalidMemcpyDirection,
            cudaMemcpy2DToArray(array_, 0, 0, rows, kRow, kRow, 2,
                                static_cast<cudaMemcpyKind>(7)));
  EXPECT_EQ(cudaErrorInvalidValue,
            cudaMemcpy2DToArray(nullptr, 0, 0, rows, kRow, kRow, 1,
                                cudaMemcpyHostToDevice));
}

TEST_F(ArrayTest, RunsContinueInTheNextRow) {
  Fill();
  std::vector<float> run(6);
  ASSERT_OK(cudaMemcpyFromArray(run.data(), array_, kRow - 8, 1,
                                6 * sizeof(float), cudaMemcpyDeviceToHost));
  EXPECT_EQ((std::vector<float>{15, 16, 17, 18, 19, 20}), run);
  EXPECT_EQ(cudaErrorInvalidValue,
            cudaMemcpyFromArray(run.data(), array_, kRow - 8, 3, 12,
                                cudaMemcpyDeviceToHost));
}

TEST_F(ArrayTest, ArraysAreCopiedIntoArrays) {
  Fill();
  cudaArray_t other = nullptr;
  ASSERT_OK(cudaMallocArray(&other, &kFloats, kWidth, kHeight));
  ASSERT_OK(cudaMemcpy2DArrayToArray(other, 4, 0, array_, 0, 2, kRow - 4, 2,
                                     cudaMemcpyDeviceToDevice));
  float value = 0;
  ASSERT_OK(cudaMemcpyFromArray(&value, other, 4, 1, 4, cudaMemcpyDefault));
  EXPECT_EQ(25.0f, value);
  ASSERT_EQ(CUDA_SUCCESS,
            cuMemcpyAtoA(driver_array(), 0, reinterpret_cast<CUarray>(other),
                         kRow + 4, 8));
  EXPECT_EQ(25.0f, Read()[0]);
  EXPECT_EQ(26.0f, Read()[1]);
  EXPECT_OK(cudaFreeArray(other));
}

TEST_F(ArrayTest, DriverCopiesRunsOfBytes) {
  const auto device = reinterpret_cast<CUdeviceptr>(data_);
  std::vector<float> out(4);
  CUarray line = nullptr;
  const CUDA_ARRAY_DESCRIPTOR desc{
      .Width = 64, .Height = 0, .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 1};
  ASSERT_EQ(CUDA_SUCCESS, cuArrayCreate(&line, &desc));
  ASSERT_EQ(CUDA_SUCCESS, cuMemcpyHtoA(line, 16, host_.data(), 16));
  ASSERT_EQ(CUDA_SUCCESS, cuMemcpyAtoD(device, line, 16, 16));
  ASSERT_EQ(CUDA_SUCCESS, cuMemcpyDtoA(line, 64 * 4 - 16, device, 16));
  ASSERT_EQ(CUDA_SUCCESS, cuMemcpyAtoH(out.data(), line, 64 * 4 - 16, 16));
  EXPECT_EQ((std::vector<float>{1, 2, 3, 4}), out);
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE,
            cuMemcpyAtoH(out.data(), line, 64 * 4 - 8, 16));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemcpyAtoH(out.data(), line, 2, 4));
  EXPECT_EQ(CUDA_SUCCESS, cuArrayDestroy(line));
}

TEST_F(ArrayTest, BoxesOfThreeDimensionsCountInElements) {
  cudaArray_t cube = nullptr;
  ASSERT_OK(cudaMalloc3DArray(&cube, &kFloats, {4, 3, 2}));
  cudaMemcpy3DParms in{};
  in.srcPtr = {host_.data(), 16, 16, 3};
  in.dstArray = cube;
  in.extent = {4, 3, 2};
  in.kind = cudaMemcpyHostToDevice;
  ASSERT_OK(cudaMemcpy3D(&in));
  std::vector<float> out(4);
  cudaMemcpy3DParms back{};
  back.srcArray = cube;
  back.srcPos = {1, 2, 0};
  back.dstPtr = {out.data(), 8, 8, 1};
  back.extent = {2, 1, 2};
  back.kind = cudaMemcpyDeviceToHost;
  ASSERT_OK(cudaMemcpy3D(&back));
  EXPECT_EQ((std::vector<float>{10, 11, 22, 23}), out);
  back.srcPos = {3, 0, 0};
  EXPECT_EQ(cudaErrorInvalidValue, cudaMemcpy3D(&back));
  back.srcPos = {0, 0, 0};
  back.srcPtr = in.srcPtr;  // two sources
  EXPECT_EQ(cudaErrorInvalidValue, cudaMemcpy3D(&back));
  EXPECT_OK(cudaFreeArray(cube));
}

TEST_F(ArrayTest, ArraysOfOtherElementsAreNotCopiedInBoxes) {
  cudaArray_t halves = nullptr;
  constexpr cudaChannelFormatDesc kHalf{16, 0, 0, 0,
                                        cudaChannelFormatKindFloat};
  ASSERT_OK(cudaMallocArray(&halves, &kHalf, kWidth, kHeight));
  cudaMemcpy3DParms p{};
  p.srcArray = array_;
  p.dstArray = halves;
  p.extent = {2, 2, 1};
  p.kind = cudaMemcpyDeviceToDevice;
  EXPECT_EQ(cudaErrorInvalidValue, cudaMemcpy3D(&p));
  EXPECT_OK(cudaFreeArray(halves));
}

TEST_F(ArrayTest, DriverBoxesKnowArrays) {
  CUDA_MEMCPY2D p{};
  p.srcMemoryType = CU_MEMORYTYPE_HOST;
  p.srcHost = host_.data();
  p.srcPitch = kRow;
  p.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  p.dstArray = driver_array();
  p.dstXInBytes = 4;
  p.dstY = 3;
  p.WidthInBytes = 8;
  p.Height = 1;
  ASSERT_EQ(CUDA_SUCCESS, cuMemcpy2D(&p));
  EXPECT_EQ(2.0f, Read()[3 * kWidth + 2]);
  p.Height = 2;
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemcpy2DUnaligned(&p));
  p.Height = 1;
  p.srcPitch = 4;  // less than a row
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemcpy2D(&p));
  p.srcPitch = kRow;
  p.dstMemoryType = static_cast<CUmemorytype>(9);
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemcpy2D(&p));
}

TEST_F(ArrayTest, GraphNodesCopyIntoArraysAndShowThem) {
  cudaMemcpy3DParms p{};
  p.srcPtr = {host_.data(), kRow, kRow, kHeight};
  p.dstArray = array_;
  p.dstPos = {2, 1, 0};
  p.extent = {4, 2, 1};
  p.kind = cudaMemcpyHostToDevice;
  cudaGraph_t graph = nullptr;
  cudaGraphNode_t node = nullptr;
  ASSERT_OK(cudaGraphCreate(&graph, 0));
  ASSERT_OK(cudaGraphAddMemcpyNode(&node, graph, nullptr, 0, &p));
  cudaMemcpy3DParms shown{};
  ASSERT_OK(cudaGraphMemcpyNodeGetParams(node, &shown));
  EXPECT_EQ(array_, shown.dstArray);
  EXPECT_EQ(2u, shown.dstPos.x);
  EXPECT_EQ(1u, shown.dstPos.y);
  EXPECT_EQ(4u, shown.extent.width);
  EXPECT_EQ(nullptr, shown.dstPtr.ptr);
  CUDA_MEMCPY3D described{};
  ASSERT_EQ(CUDA_SUCCESS, cuGraphMemcpyNodeGetParams(
                              reinterpret_cast<CUgraphNode>(node), &described));
  EXPECT_EQ(CU_MEMORYTYPE_ARRAY, described.dstMemoryType);
  EXPECT_EQ(8u, described.dstXInBytes);
  cudaGraphExec_t exec = nullptr;
  ASSERT_OK(cudaGraphInstantiate(&exec, graph, 0));
  ASSERT_OK(cudaGraphLaunch(exec, stream_));
  ASSERT_OK(cudaStreamSynchronize(stream_));
  EXPECT_EQ(1.0f, Read()[kWidth + 2]);
  EXPECT_OK(cudaGraphExecDestroy(exec));
  EXPECT_OK(cudaGraphDestroy(graph));
}

TEST_F(ArrayTest, LevelsHalveDownToOneElement) {
  cudaMipmappedArray_t mips = nullptr;
  ASSERT_OK(cudaMallocMipmappedArray(&mips, &kFloats, {16, 8, 0}, 99));
  cudaArray_t level = nullptr;
  cudaExtent extent{};
  ASSERT_OK(cudaGetMipmappedArrayLevel(&level, mips, 1));
  ASSERT_OK(cudaArrayGetInfo(nullptr, &extent, nullptr, level));
  EXPECT_EQ(8u, extent.width);
  EXPECT_EQ(4u, extent.height);
  ASSERT_OK(cudaMemcpy2DToArray(level, 0, 0, host_.data(), kRow, kRow, 4,
                                cudaMemcpyHostToDevice));
  ASSERT_OK(cudaGetMipmappedArrayLevel(&level, mips, 4));
  ASSERT_OK(cudaArrayGetInfo(nullptr, &extent, nullptr, level));
  EXPECT_EQ(1u, extent.width);
  EXPECT_EQ(1u, extent.height);
  EXPECT_EQ(cudaErrorInvalidValue, cudaGetMipmappedArrayLevel(&level, mips, 5));
  EXPECT_EQ(cudaErrorInvalidResourceHandle, cudaFreeArray(level));
  EXPECT_OK(cudaFreeMipmappedArray(mips));
  EXPECT_EQ(cudaErrorInvalidResourceHandle,
            cudaArrayGetInfo(nullptr, &extent, nullptr, level));
  EXPECT_EQ(cudaErrorInvalidValue,
            cudaMallocMipmappedArray(&mips, &kFloats, {40000, 8, 0}, 2));
}

TEST_F(ArrayTest, AResetEndsArrays) {
  cudaArray_t array = nullptr;
  ASSERT_OK(cudaMallocArray(&array, &kFloats, 16, 16));
  ASSERT_OK(cudaDeviceReset());
  EXPECT_EQ(cudaErrorInvalidResourceHandle,
            cudaArrayGetInfo(nullptr, nullptr, nullptr, array));
  RuntimeTest::SetUp();
  ASSERT_OK(cudaMallocArray(&array_, &kFloats, kWidth, kHeight));
}

}  // namespace
