// SPDX-License-Identifier: Apache-2.0
// What programs say of managed memory and are told again, prefetching, and
// copies in batches.
#include <cuda.h>

#include <vector>

#include "tests/unit/simgpu/support.h"

namespace {

constexpr size_t kManagedBytes = 16 << 20;
constexpr size_t kPart = 4 << 20;
// More than calls take in virtual time.
constexpr float kNothingMs = 0.01f;
constexpr cudaMemLocation kDevice0{cudaMemLocationTypeDevice, 0};
constexpr cudaMemLocation kDevice1{cudaMemLocationTypeDevice, 1};
constexpr cudaMemLocation kHost{cudaMemLocationTypeHost, 0};

class ManagedTest : public RuntimeTest {
 protected:
  void SetUp() override {
    RuntimeTest::SetUp();
    void* memory = nullptr;
    ASSERT_OK(cudaMallocManaged(&memory, kManagedBytes));
    managed_ = static_cast<char*>(memory);
    for (cudaEvent_t* event : {&begin_, &end_}) {
      ASSERT_OK(cudaEventCreate(event));
    }
  }
  void TearDown() override {
    EXPECT_OK(cudaFree(managed_));
    EXPECT_OK(cudaEventDestroy(begin_));
    EXPECT_OK(cudaEventDestroy(end_));
    RuntimeTest::TearDown();
  }

  int Attribute(cudaMemRangeAttribute attribute, size_t from = 0,
                size_t bytes = kManagedBytes) const {
    int value = 99;
    EXPECT_OK(cudaMemRangeGetAttribute(&value, sizeof(value), attribute,
                                       managed_ + from, bytes));
    return value;
  }
  // Milliseconds that the stream takes for it.
  template <typename Body>
  float TimeOf(Body body) {
    float ms = 0;
    EXPECT_OK(cudaEventRecord(begin_, stream_));
    body();
    EXPECT_OK(cudaEventRecord(end_, stream_));
    EXPECT_OK(cudaStreamSynchronize(stream_));
    EXPECT_OK(cudaEventElapsedTime(&ms, begin_, end_));
    return ms;
  }
  float TimeOfPrefetch(const cudaMemLocation& location,
                       size_t bytes = kManagedBytes) {
    return TimeOf([&] {
      EXPECT_OK(cudaMemPrefetchAsync(managed_, bytes, location, 0, stream_));
    });
  }

  char* managed_ = nullptr;
  cudaEvent_t begin_ = nullptr;
  cudaEvent_t end_ = nullptr;
};

TEST_F(ManagedTest, AdviceHoldsForItsPagesOnly) {
  constexpr auto kReadMostly = cudaMemRangeAttributeReadMostly;
  EXPECT_EQ(0, Attribute(kReadMostly));
  // Rounded to pages: the second half of the first page counts as well.
  ASSERT_OK(cudaMemAdvise(managed_ + 100, kPart - 100,
                          cudaMemAdviseSetReadMostly, kHost));
  EXPECT_EQ(1, Attribute(kReadMostly, 0, kPart));
  EXPECT_EQ(0, Attribute(kReadMostly, 0, kPart + 1));
  EXPECT_EQ(0, Attribute(kReadMostly, kPart, kPart));
  ASSERT_OK(cudaMemAdvise(managed_, 4096, cudaMemAdviseUnsetReadMostly, kHost));
  EXPECT_EQ(0, Attribute(kReadMostly, 0, kPart));
  EXPECT_EQ(1, Attribute(kReadMostly, 4096, kPart - 4096));
}

TEST_F(ManagedTest, PlacesAreToldWhereAllPagesAgree) {
  constexpr auto kPreferred = cudaMemRangeAttributePreferredLocation;
  constexpr auto kType = cudaMemRangeAttributePreferredLocationType;
  EXPECT_EQ(cudaInvalidDeviceId, Attribute(kPreferred));
  EXPECT_EQ(cudaMemLocationTypeInvalid, Attribute(kType));
  ASSERT_OK(cudaMemAdvise(managed_, kManagedBytes,
                          cudaMemAdviseSetPreferredLocation, kDevice1));
  EXPECT_EQ(1, Attribute(kPreferred));
  EXPECT_EQ(cudaMemLocationTypeDevice, Attribute(kType));
  EXPECT_EQ(1, Attribute(cudaMemRangeAttributePreferredLocationId));
  ASSERT_OK(cudaMemAdvise(managed_ + kPart, kPart,
                          cudaMemAdviseSetPreferredLocation, kHost));
  EXPECT_EQ(cudaInvalidDeviceId, Attribute(kPreferred));
  EXPECT_EQ(cudaCpuDeviceId, Attribute(kPreferred, kPart, kPart));
  EXPECT_EQ(1, Attribute(kPreferred, 2 * kPart, kPart));
  ASSERT_OK(cudaMemAdvise(managed_, kManagedBytes,
                          cudaMemAdviseUnsetPreferredLocation, kDevice0));
  EXPECT_EQ(cudaInvalidDeviceId, Attribute(kPreferred));
}

TEST_F(ManagedTest, AccessorsAreListedAndTheRestIsInvalid) {
  for (const cudaMemLocation& by : {kDevice1, kHost}) {
    ASSERT_OK(cudaMemAdvise(managed_, kPart, cudaMemAdviseSetAccessedBy, by));
  }
  int devices[3] = {7, 7, 7};
  constexpr auto kAccessedBy = cudaMemRangeAttributeAccessedBy;
  ASSERT_OK(cudaMemRangeGetAttribute(devices, sizeof(devices), kAccessedBy,
                                     managed_, kPart));
  EXPECT_EQ(cudaCpuDeviceId, devices[0]);
  EXPECT_EQ(1, devices[1]);
  EXPECT_EQ(cudaInvalidDeviceId, devices[2]);
  ASSERT_OK(cudaMemAdvise(managed_, 4096, cudaMemAdviseUnsetAccessedBy, kHost));
  ASSERT_OK(cudaMemRangeGetAttribute(devices, sizeof(devices), kAccessedBy,
                                     managed_, kPart));
  EXPECT_EQ(1, devices[0]);
  EXPECT_EQ(cudaErrorInvalidValue,
            cudaMemRangeGetAttribute(devices, 6, kAccessedBy, managed_, kPart));
}

TEST_F(ManagedTest, WhatIsNoManagedMemoryOrNoPlaceIsRefused) {
  constexpr auto kSet = cudaMemAdviseSetPreferredLocation;
  EXPECT_EQ(cudaErrorInvalidValue, cudaMemAdvise(data_, 4096, kSet, kDevice0));
  EXPECT_EQ(cudaErrorInvalidValue,
            cudaMemAdvise(managed_, kManagedBytes + 1, kSet, kDevice0));
  EXPECT_EQ(cudaErrorInvalidValue, cudaMemAdvise(managed_, 0, kSet, kDevice0));
  EXPECT_EQ(
      cudaErrorInvalidDevice,
      cudaMemAdvise(managed_, 4096, kSet, {cudaMemLocationTypeDevice, 5}));
  EXPECT_EQ(cudaErrorInvalidValue,
            cudaMemAdvise(managed_, 4096, cudaMemAdviseSetAccessedBy,
                          {cudaMemLocationTypeHostNuma, 0}));
  EXPECT_EQ(cudaErrorInvalidValue,
            cudaMemPrefetchAsync(managed_, 4096, kDevice0, 1, stream_));
  EXPECT_EQ(cudaErrorInvalidValue,
            cudaMemPrefetchAsync(data_, 4096, kDevice0, 0, stream_));
  int value = 0;
  EXPECT_EQ(cudaErrorInvalidValue,
            cudaMemRangeGetAttribute(&value, 8, cudaMemRangeAttributeReadMostly,
                                     managed_, 4096));
}

TEST_F(ManagedTest, PrefetchingTakesTimeForPagesThatAreElsewhere) {
  constexpr auto kLast = cudaMemRangeAttributeLastPrefetchLocation;
  EXPECT_EQ(cudaInvalidDeviceId, Attribute(kLast));
  const float quarter = TimeOfPrefetch(kDevice0, kPart);
  EXPECT_EQ(cudaInvalidDeviceId, Attribute(kLast));
  EXPECT_EQ(0, Attribute(kLast, 0, kPart));
  const float rest = TimeOfPrefetch(kDevice0);
  EXPECT_GT(quarter, kNothingMs);
  EXPECT_GT(rest, 2 * quarter);
  EXPECT_LT(TimeOfPrefetch(kDevice0), kNothingMs);
  EXPECT_GT(TimeOfPrefetch(kDevice1), kNothingMs);
  EXPECT_GT(TimeOfPrefetch(kHost), kNothingMs);
  EXPECT_EQ(cudaCpuDeviceId, Attribute(kLast));
}

TEST_F(ManagedTest, DriverSpeaksOfTheSamePages) {
  const auto address = reinterpret_cast<CUdeviceptr>(managed_);
  ASSERT_EQ(CUDA_SUCCESS,
            cuMemAdvise(address, kPart, CU_MEM_ADVISE_SET_PREFERRED_LOCATION,
                        {CU_MEM_LOCATION_TYPE_HOST, 0}));
  EXPECT_EQ(cudaCpuDeviceId,
            Attribute(cudaMemRangeAttributePreferredLocation, 0, kPart));
  int values[2] = {};
  void* out[] = {&values[0], &values[1]};
  size_t sizes[] = {4, 4};
  CUmem_range_attribute attributes[] = {
      CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE,
      CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION};
  ASSERT_EQ(CUDA_SUCCESS,
            cuMemRangeGetAttributes(out, sizes, attributes, 2, address, kPart));
  EXPECT_EQ(CU_MEM_LOCATION_TYPE_HOST, values[0]);
  EXPECT_EQ(CU_DEVICE_INVALID, values[1]);
  int descriptor = -1;
  EXPECT_EQ(
      CUDA_ERROR_NOT_SUPPORTED,
      cuMemGetHandleForAddressRange(&descriptor, address, kPart,
                                    CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD, 0));
  EXPECT_EQ(
      CUDA_ERROR_INVALID_VALUE,
      cuMemGetHandleForAddressRange(&descriptor, address + 8, kPart,
                                    CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD, 0));
}

TEST_F(ManagedTest, FreedMemoryIsForgotten) {
  ASSERT_OK(cudaMemAdvise(managed_, kManagedBytes, cudaMemAdviseSetReadMostly,
                          kHost));
  ASSERT_OK(cudaFree(managed_));
  void* memory = nullptr;
  ASSERT_OK(cudaMallocManaged(&memory, kManagedBytes));
  managed_ = static_cast<char*>(memory);
  EXPECT_EQ(0, Attribute(cudaMemRangeAttributeReadMostly));
}

TEST_F(ManagedTest, BatchesHaveALocationForEachRun) {
  void* ranges[] = {managed_, managed_ + kPart, managed_ + 2 * kPart};
  size_t sizes[] = {kPart, kPart, kPart};
  cudaMemLocation locations[] = {kDevice0, kDevice1};
  size_t first[] = {0, 2};
  const auto prefetch = [&](size_t count, cudaStream_t stream) {
    return cudaMemPrefetchBatchAsync(ranges, sizes, 3, locations, first, count,
                                     0, stream);
  };
  ASSERT_OK(prefetch(2, stream_));
  constexpr auto kLast = cudaMemRangeAttributeLastPrefetchLocation;
  EXPECT_EQ(0, Attribute(kLast, 0, 2 * kPart));
  EXPECT_EQ(1, Attribute(kLast, 2 * kPart, kPart));
  EXPECT_EQ(cudaErrorInvalidValue, prefetch(0, stream_));
  EXPECT_EQ(cudaErrorInvalidValue, prefetch(2, nullptr));
  first[1] = 3;
  EXPECT_EQ(cudaErrorInvalidValue, prefetch(2, stream_));
}

TEST_F(ManagedTest, DiscardedPagesNeedNotMove) {
  void* range = managed_;
  size_t bytes = kManagedBytes;
  ASSERT_OK(cudaMemDiscardBatchAsync(&range, &bytes, 1, 0, stream_));
  EXPECT_LT(TimeOfPrefetch(kDevice0), kNothingMs);
  EXPECT_GT(TimeOfPrefetch(kHost), kNothingMs);
  cudaMemLocation location = kDevice0;
  size_t first = 0;
  ASSERT_OK(cudaMemDiscardAndPrefetchBatchAsync(&range, &bytes, 1, &location,
                                                &first, 1, 0, stream_));
  EXPECT_LT(TimeOfPrefetch(kDevice0), kNothingMs);
  range = data_;
  EXPECT_EQ(cudaErrorInvalidValue,
            cudaMemDiscardBatchAsync(&range, &bytes, 1, 0, stream_));
}

TEST_F(ManagedTest, PrefetchingEndsACapture) {
  ASSERT_OK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed));
  EXPECT_EQ(cudaErrorStreamCaptureUnsupported,
            cudaMemPrefetchAsync(managed_, 4096, kDevice0, 0, stream_));
  cudaGraph_t graph = nullptr;
  EXPECT_EQ(cudaErrorStreamCaptureInvalidated,
            cudaStreamEndCapture(stream_, &graph));
}

TEST_F(ManagedTest, MemoryIsAttachedWholeAndToRealStreams) {
  EXPECT_OK(cudaStreamAttachMemAsync(stream_, managed_));
  EXPECT_OK(cudaStreamAttachMemAsync(stream_, managed_, kManagedBytes,
                                     cudaMemAttachSingle));
  EXPECT_OK(
      cudaStreamAttachMemAsync(nullptr, managed_, 0, cudaMemAttachGlobal));
  EXPECT_EQ(
      cudaErrorInvalidValue,
      cudaStreamAttachMemAsync(nullptr, managed_, 0, cudaMemAttachSingle));
  EXPECT_EQ(
      cudaErrorInvalidValue,
      cudaStreamAttachMemAsync(stream_, managed_, 4096, cudaMemAttachHost));
  EXPECT_EQ(cudaErrorInvalidValue,
            cudaStreamAttachMemAsync(stream_, data_, 0, cudaMemAttachHost));
}

cudaMemcpy3DBatchOp BoxOf(void* to, const void* from) {
  cudaMemcpy3DBatchOp op{};
  op.src.type = op.dst.type = cudaMemcpyOperandTypePointer;
  op.src.op.ptr.ptr = const_cast<void*>(from);
  op.dst.op.ptr.ptr = to;
  op.extent = {4, 2, 2};
  op.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  return op;
}

TEST_F(ManagedTest, BatchesOfBoxesCopyRowsOfElements) {
  std::vector<char> host(64);
  for (size_t i = 0; i < host.size(); ++i) host[i] = static_cast<char>(i);
  cudaArray_t array = nullptr;
  const cudaChannelFormatDesc bytes2{8, 8, 0, 0, cudaChannelFormatKindUnsigned};
  ASSERT_OK(cudaMalloc3DArray(&array, &bytes2, {8, 4, 2}));
  cudaMemcpy3DBatchOp ops[] = {BoxOf(managed_, host.data()),
                               BoxOf(nullptr, host.data())};
  ops[0].src.op.ptr.rowLength = 8;
  ops[0].src.op.ptr.layerHeight = 4;
  ops[1].dst.type = cudaMemcpyOperandTypeArray;
  ops[1].dst.op.array = {array, {2, 1, 0}};
  ASSERT_OK(cudaMemcpy3DBatchAsync(2, ops, 0, stream_));
  ASSERT_OK(cudaStreamSynchronize(stream_));
  EXPECT_EQ(8, managed_[4]);   // the second row
  EXPECT_EQ(32, managed_[8]);  // the second layer
  char element[2] = {};
  ASSERT_OK(cudaMemcpy2DFromArray(element, 2, array, 4, 2, 2, 1,
                                  cudaMemcpyDeviceToHost));
  EXPECT_EQ(8, element[0]);  // four elements of two bytes later
  ops[0].src.op.ptr.rowLength = 3;
  EXPECT_EQ(cudaErrorInvalidValue, cudaMemcpy3DBatchAsync(2, ops, 0, stream_));
  ops[0].src.op.ptr.rowLength = 0;
  ops[1].extent.height = 4;  // below the array's end
  EXPECT_EQ(cudaErrorInvalidValue, cudaMemcpy3DBatchAsync(2, ops, 0, stream_));
  ops[1] = ops[0];
  ops[1].extent.depth = 0;
  EXPECT_EQ(cudaErrorInvalidValue, cudaMemcpy3DBatchAsync(2, ops, 0, stream_));
  ops[1] = ops[0];
  ops[1].srcAccessOrder = cudaMemcpySrcAccessOrderInvalid;
  EXPECT_EQ(cudaErrorInvalidValue, cudaMemcpy3DBatchAsync(2, ops, 0, stream_));
  EXPECT_EQ(cudaErrorInvalidValue, cudaMemcpy3DBatchAsync(1, ops, 0, nullptr));
  EXPECT_OK(cudaFreeArray(array));
}

TEST_F(ManagedTest, MulticastIsNotSupportedAsTheAttributeSays) {
  int supported = 1;
  ASSERT_EQ(CUDA_SUCCESS,
            cuDeviceGetAttribute(&supported,
                                 CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED, 0));
  EXPECT_EQ(0, supported);
  CUmulticastObjectProp properties{};
  properties.numDevices = 2;
  CUmemGenericAllocationHandle handle = 0;
  EXPECT_EQ(CUDA_ERROR_NOT_SUPPORTED, cuMulticastCreate(&handle, &properties));
  size_t granularity = 0;
  EXPECT_EQ(CUDA_ERROR_NOT_SUPPORTED,
            cuMulticastGetGranularity(&granularity, &properties,
                                      CU_MULTICAST_GRANULARITY_MINIMUM));
}

}  // namespace
