// SPDX-License-Identifier: Apache-2.0
// Which copies are refused, which wait, and what copies between devices cost.
#include <cuda.h>

#include <numeric>
#include <vector>

#include "tests/unit/simgpu/kernels.h"
#include "tests/unit/simgpu/support.h"

namespace {

constexpr size_t kLarge = 16 << 20;

class CopyTest : public RuntimeTest {
 protected:
  void SetUp() override {
    RuntimeTest::SetUp();
    ASSERT_OK(cudaMalloc(&a_, kLarge));
    ASSERT_OK(cudaMalloc(&b_, kLarge));
    ASSERT_OK(cudaMallocHost(&pinned_, kLarge));
    ASSERT_OK(cudaDeviceSynchronize());
  }
  void TearDown() override {
    EXPECT_OK(cudaFree(a_));
    EXPECT_OK(cudaFree(b_));
    EXPECT_OK(cudaFreeHost(pinned_));
    RuntimeTest::TearDown();
  }
  void* a_ = nullptr;
  void* b_ = nullptr;
  void* pinned_ = nullptr;
};

// "API synchronization behavior" of the runtime's documentation.
TEST_F(CopyTest, SynchronousCopiesWaitAsDocumented) {
  ASSERT_OK(cudaMemcpy(a_, pinned_, kLarge, cudaMemcpyHostToDevice));
  EXPECT_OK(cudaStreamQuery(nullptr));
  ASSERT_OK(cudaMemcpy(b_, a_, kLarge, cudaMemcpyDeviceToDevice));
  EXPECT_EQ(cudaErrorNotReady, cudaStreamQuery(nullptr));
  ASSERT_OK(cudaMemcpy(pinned_, b_, kLarge, cudaMemcpyDeviceToHost));
  EXPECT_OK(cudaStreamQuery(nullptr));
  ASSERT_OK(cudaMemset(a_, 1, kLarge));
  EXPECT_EQ(cudaErrorNotReady, cudaStreamQuery(nullptr));
  ASSERT_OK(cudaMemset(pinned_, 1, kLarge));
  EXPECT_OK(cudaStreamQuery(nullptr));
}

TEST_F(CopyTest, AsynchronousCopiesWaitForPageableMemoryOnly) {
  std::vector<char> pageable(kLarge);
  ASSERT_OK(
      cudaMemcpyAsync(pinned_, a_, kLarge, cudaMemcpyDeviceToHost, stream_));
  EXPECT_EQ(cudaErrorNotReady, cudaStreamQuery(stream_));
  ASSERT_OK(cudaMemcpyAsync(pageable.data(), a_, kLarge, cudaMemcpyDeviceToHost,
                            stream_));
  EXPECT_OK(cudaStreamQuery(stream_));
}

TEST_F(CopyTest, SyncMemopsMakesEverySynchronousOperationWait) {
  const unsigned yes = 1;
  const auto address = reinterpret_cast<CUdeviceptr>(a_);
  ASSERT_EQ(CUDA_SUCCESS, cuPointerSetAttribute(
                              &yes, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, address));
  ASSERT_OK(cudaMemcpy(b_, a_, kLarge, cudaMemcpyDeviceToDevice));
  EXPECT_OK(cudaStreamQuery(nullptr));
  ASSERT_OK(cudaMemset(a_, 1, kLarge));
  EXPECT_OK(cudaStreamQuery(nullptr));
  unsigned value = 0;
  ASSERT_EQ(
      CUDA_SUCCESS,
      cuPointerGetAttribute(&value, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, address));
  EXPECT_EQ(1u, value);
}

TEST_F(CopyTest, FreedMemoryIsNotCopied) {
  void* freed = nullptr;
  ASSERT_OK(cudaMalloc(&freed, 4096));
  ASSERT_OK(cudaFree(freed));
  char host[16];
  EXPECT_EQ(cudaErrorInvalidValue,
            cudaMemcpy(freed, host, 16, cudaMemcpyHostToDevice));
  EXPECT_EQ(cudaErrorInvalidValue,
            cudaMemcpy(freed, host, 16, cudaMemcpyDefault));
  EXPECT_EQ(cudaErrorInvalidValue,
            cudaMemcpy(freed, a_, 16, cudaMemcpyDefault));
  EXPECT_EQ(cudaErrorInvalidValue,
            cudaMemcpy(host, freed, 16, cudaMemcpyDefault));
  EXPECT_EQ(cudaErrorInvalidValue, cudaMemset(freed, 0, 16));
  EXPECT_EQ(cudaErrorInvalidValue,
            cudaMemcpy(nullptr, a_, 16, cudaMemcpyDefault));
  // An argument's error is not the context's.
  cudaGetLastError();
  EXPECT_OK(cudaDeviceSynchronize());
}

TEST_F(CopyTest, RowsMustFitTheirPitch) {
  std::vector<char> host(4096);
  EXPECT_EQ(cudaErrorInvalidPitchValue,
            cudaMemcpy2D(a_, 16, host.data(), 64, 32, 4, cudaMemcpyDefault));
  EXPECT_EQ(cudaErrorInvalidPitchValue,
            cudaMemcpy2D(a_, 64, host.data(), 16, 32, 1, cudaMemcpyDefault));
  EXPECT_EQ(cudaErrorInvalidPitchValue,
            cudaMemcpy2DAsync(a_, size_t{1} << 31, host.data(), 64, 32, 4,
                              cudaMemcpyDefault, stream_));
  EXPECT_OK(cudaMemcpy2D(a_, 64, host.data(), 32, 32, 4, cudaMemcpyDefault));
}

TEST_F(CopyTest, BoxesMustFitTheirPitch) {
  std::vector<char> host(4096);
  cudaMemcpy3DParms box{};
  box.srcPtr = {host.data(), 64, 32, 4};
  box.dstPtr = {a_, 16, 32, 4};
  box.extent = {32, 4, 2};
  box.kind = cudaMemcpyHostToDevice;
  EXPECT_EQ(cudaErrorInvalidPitchValue, cudaMemcpy3D(&box));
  box.dstPtr.pitch = 0;
  EXPECT_EQ(cudaErrorInvalidPitchValue, cudaMemcpy3D(&box));
  box.dstPtr.pitch = 64;
  EXPECT_OK(cudaMemcpy3D(&box));
  box.kind = cudaMemcpyDeviceToHost;  // the driver's own finding
  EXPECT_EQ(cudaErrorInvalidValue, cudaMemcpy3D(&box));
}

TEST_F(CopyTest, TypesOfTheDriversRowsMustBeTrue) {
  std::vector<char> host(4096);
  CUDA_MEMCPY2D rows{};
  rows.srcMemoryType = CU_MEMORYTYPE_HOST;
  rows.srcHost = host.data();
  rows.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  rows.dstDevice = reinterpret_cast<CUdeviceptr>(a_);
  rows.WidthInBytes = 32;
  rows.Height = 4;
  EXPECT_EQ(CUDA_SUCCESS, cuMemcpy2D(&rows));
  EXPECT_EQ(CUDA_SUCCESS, cuMemcpy2DUnaligned(&rows));
  rows.srcMemoryType = CU_MEMORYTYPE_UNIFIED;
  rows.srcDevice = reinterpret_cast<CUdeviceptr>(host.data());
  EXPECT_EQ(CUDA_SUCCESS, cuMemcpy2D(&rows));
  rows.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemcpy2D(&rows));
  rows.srcMemoryType = CU_MEMORYTYPE_HOST;
  rows.srcHost = b_;
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemcpy2DUnaligned(&rows));
}

TEST_F(CopyTest, SymbolsAreCopiedInTheirDirection) {
  int value = 0;
  EXPECT_EQ(cudaErrorInvalidMemcpyDirection,
            cudaMemcpyToSymbol(CounterSymbol(), &value, sizeof(value), 0,
                               cudaMemcpyDeviceToHost));
  EXPECT_EQ(cudaErrorInvalidMemcpyDirection,
            cudaMemcpyFromSymbol(&value, CounterSymbol(), sizeof(value), 0,
                                 cudaMemcpyHostToDevice));
  EXPECT_EQ(cudaErrorInvalidValue,
            cudaMemcpyToSymbol(CounterSymbol(), &value, sizeof(value), 1,
                               cudaMemcpyHostToDevice));
}

TEST_F(CopyTest, ASymbolsCopyToNowhereKeepsItsDirection) {
  EXPECT_EQ(cudaErrorInvalidValue,
            cudaMemcpyFromSymbol(nullptr, CounterSymbol(), sizeof(int), 0,
                                 cudaMemcpyDeviceToHost));
  EXPECT_EQ(cudaErrorInvalidMemcpyDirection,
            cudaMemcpyFromSymbol(nullptr, CounterSymbol(), sizeof(int), 0,
                                 cudaMemcpyHostToDevice));
}

// Time of a copy from the first device to the second.
float PeerMilliseconds(void* to, const void* from) {
  cudaEvent_t begin = nullptr;
  cudaEvent_t end = nullptr;
  EXPECT_OK(cudaEventCreate(&begin));
  EXPECT_OK(cudaEventCreate(&end));
  EXPECT_OK(cudaEventRecord(begin, nullptr));
  EXPECT_OK(cudaMemcpyPeerAsync(to, 1, from, 0, kLarge, nullptr));
  EXPECT_OK(cudaEventRecord(end, nullptr));
  EXPECT_OK(cudaEventSynchronize(end));
  float milliseconds = 0;
  EXPECT_OK(cudaEventElapsedTime(&milliseconds, begin, end));
  EXPECT_OK(cudaEventDestroy(begin));
  EXPECT_OK(cudaEventDestroy(end));
  return milliseconds;
}

TEST_F(CopyTest, PeersWithoutAccessCopyThroughTheHost) {
  void* remote = nullptr;
  ASSERT_OK(cudaSetDevice(1));
  ASSERT_OK(cudaMalloc(&remote, kLarge));
  ASSERT_OK(cudaSetDevice(0));
  const float staged = PeerMilliseconds(remote, a_);
  ASSERT_OK(cudaDeviceEnablePeerAccess(1, 0));
  const float direct = PeerMilliseconds(remote, a_);
  // PCIe 5 against NVLink 4.
  EXPECT_GT(staged, 4 * direct);
  EXPECT_OK(cudaDeviceDisablePeerAccess(1));
  EXPECT_OK(cudaFree(remote));
}

TEST_F(CopyTest, PeerAccessHasItsErrors) {
  int can = -1;
  ASSERT_OK(cudaDeviceCanAccessPeer(&can, 0, 1));
  EXPECT_EQ(1, can);
  ASSERT_OK(cudaDeviceCanAccessPeer(&can, 0, 0));
  EXPECT_EQ(0, can);
  EXPECT_EQ(cudaErrorInvalidDevice, cudaDeviceCanAccessPeer(&can, 0, 9));
  EXPECT_EQ(cudaErrorPeerAccessNotEnabled, cudaDeviceDisablePeerAccess(1));
  EXPECT_EQ(cudaErrorInvalidDevice, cudaDeviceEnablePeerAccess(0, 0));
  EXPECT_EQ(cudaErrorInvalidValue, cudaDeviceEnablePeerAccess(1, 1));
  ASSERT_OK(cudaDeviceEnablePeerAccess(1, 0));
  EXPECT_EQ(cudaErrorPeerAccessAlreadyEnabled,
            cudaDeviceEnablePeerAccess(1, 0));
  CUcontext second = nullptr;
  ASSERT_EQ(CUDA_SUCCESS, cuDevicePrimaryCtxRetain(&second, 1));
  EXPECT_EQ(CUDA_SUCCESS, cuCtxDisablePeerAccess(second));
  EXPECT_EQ(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED, cuCtxDisablePeerAccess(second));
  EXPECT_EQ(CUDA_SUCCESS, cuDevicePrimaryCtxRelease(1));
  EXPECT_EQ(cudaErrorInvalidDevice, cudaMemcpyPeer(a_, 9, b_, 0, 16));
}

class BatchTest : public CopyTest {
 protected:
  cudaError_t Copy(size_t count, cudaStream_t stream) {
    void* to[] = {a_, static_cast<char*>(a_) + 400};
    const void* from[] = {values_.data(), values_.data() + 100};
    return cudaMemcpyBatchAsync(to, from, bytes_, count, &attributes_, &first_,
                                1, stream);
  }
  void SetUp() override {
    CopyTest::SetUp();
    std::iota(values_.begin(), values_.end(), 1);
    attributes_.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  }
  std::vector<int> values_ = std::vector<int>(200);
  size_t bytes_[2] = {400, 400};
  size_t first_ = 0;
  cudaMemcpyAttributes attributes_{};
};

TEST_F(BatchTest, CopiesAllOfThem) {
  ASSERT_OK(Copy(2, stream_));
  std::vector<int> result(200);
  ASSERT_OK(
      cudaMemcpyAsync(result.data(), a_, 800, cudaMemcpyDeviceToHost, stream_));
  ASSERT_OK(cudaStreamSynchronize(stream_));
  EXPECT_EQ(values_, result);
}

TEST_F(BatchTest, MalformedBatchesAreRefused) {
  EXPECT_EQ(cudaErrorInvalidValue, Copy(2, nullptr));
  EXPECT_EQ(cudaErrorInvalidValue, Copy(2, cudaStreamLegacy));
  EXPECT_EQ(cudaErrorInvalidValue, Copy(0, stream_));
  first_ = 1;
  EXPECT_EQ(cudaErrorInvalidValue, Copy(2, stream_));
  first_ = 0;
  bytes_[1] = 0;
  EXPECT_EQ(cudaErrorInvalidValue, Copy(2, stream_));
  bytes_[1] = 400;
  attributes_.srcAccessOrder = cudaMemcpySrcAccessOrderInvalid;
  EXPECT_EQ(cudaErrorInvalidValue, Copy(2, stream_));
}

}  // namespace
