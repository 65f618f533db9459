// SPDX-License-Identifier: Apache-2.0
#include <cuda.h>
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "tests/unit/simgpu/child_process.h"

#define ASSERT_CU(call) ASSERT_EQ(CUDA_SUCCESS, (call))
#define EXPECT_CU(call) EXPECT_EQ(CUDA_SUCCESS, (call))

namespace {

constexpr size_t kPiece = 2 << 20;

CUmemAllocationProp DeviceMemory(
    CUmemAllocationHandleType handles = CU_MEM_HANDLE_TYPE_NONE) {
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.requestedHandleTypes = handles;
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, {0}};
  return properties;
}

CUmemGenericAllocationHandle Create(const CUmemAllocationProp& properties) {
  CUmemGenericAllocationHandle handle = 0;
  EXPECT_CU(cuMemCreate(&handle, kPiece, &properties, 0));
  return handle;
}

class VirtualMemoryTest : public testing::Test {
 protected:
  void SetUp() override {
    CUcontext context = nullptr;
    ASSERT_CU(cuInit(0));
    ASSERT_CU(cuDevicePrimaryCtxRetain(&context, 0));
    ASSERT_CU(cuCtxSetCurrent(context));
    ASSERT_CU(cuMemAddressReserve(&range_, 4 * kPiece, 0, 0, 0));
  }
  void TearDown() override {
    EXPECT_CU(cuMemAddressFree(range_, 4 * kPiece));
    cuDevicePrimaryCtxRelease(0);
  }
  CUresult Allow(CUdeviceptr address, size_t bytes,
                 CUmemAccess_flags flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE) {
    const CUmemAccessDesc access{{CU_MEM_LOCATION_TYPE_DEVICE, {0}}, flags};
    return cuMemSetAccess(address, bytes, &access, 1);
  }
  // A handle mapped as the n-th piece of the range, and released.
  void MapPiece(int n) {
    CUmemGenericAllocationHandle handle = Create(DeviceMemory());
    ASSERT_CU(cuMemMap(range_ + n * kPiece, kPiece, 0, handle, 0));
    ASSERT_CU(cuMemRelease(handle));
  }
  CUdeviceptr range_ = 0;
};

// As in the expandable segments of PyTorch: one tensor over several mappings.
TEST_F(VirtualMemoryTest, CopiesCrossMappings) {
  for (int n = 0; n < 3; ++n) MapPiece(n);
  ASSERT_CU(Allow(range_, 3 * kPiece));
  std::vector<int> values(2 * kPiece / sizeof(int));
  std::iota(values.begin(), values.end(), 1);
  const CUdeviceptr middle = range_ + kPiece / 2;
  ASSERT_CU(cuMemcpyHtoD(middle, values.data(), 2 * kPiece));
  std::vector<int> back(values.size());
  ASSERT_CU(cuMemcpyDtoH(back.data(), middle, 2 * kPiece));
  EXPECT_EQ(values, back);
  ASSERT_CU(cuMemsetD8(middle, 0, 2 * kPiece));
  ASSERT_CU(cuMemcpyDtoH(back.data(), middle, 2 * kPiece));
  EXPECT_EQ(std::vector<int>(values.size()), back);
  // Not beyond the last one.
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE,
            cuMemcpyHtoD(range_ + 2 * kPiece, values.data(), kPiece + 1));
  EXPECT_CU(cuMemUnmap(range_, 3 * kPiece));
}

TEST_F(VirtualMemoryTest, NobodyHasAccessAtFirst) {
  MapPiece(0);
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemsetD8(range_, 1, 16));
  unsigned long long flags = 1;
  const CUmemLocation device{CU_MEM_LOCATION_TYPE_DEVICE, {0}};
  ASSERT_CU(cuMemGetAccess(&flags, &device, range_));
  EXPECT_EQ(0u, flags);
  ASSERT_CU(Allow(range_, kPiece));
  ASSERT_CU(cuMemGetAccess(&flags, &device, range_));
  EXPECT_EQ(unsigned{CU_MEM_ACCESS_FLAGS_PROT_READWRITE}, flags);
  EXPECT_CU(cuMemsetD8(range_, 1, 16));
  ASSERT_CU(Allow(range_, kPiece, CU_MEM_ACCESS_FLAGS_PROT_NONE));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemsetD8(range_, 1, 16));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, Allow(range_, 2 * kPiece));
  EXPECT_CU(cuMemUnmap(range_, kPiece));
}

TEST_F(VirtualMemoryTest, MappingsHaveTheirRules) {
  const CUmemAllocationProp properties = DeviceMemory();
  CUmemGenericAllocationHandle handle = Create(properties);
  size_t granularity = 0;
  ASSERT_CU(cuMemGetAllocationGranularity(&granularity, &properties,
                                          CU_MEM_ALLOC_GRANULARITY_MINIMUM));
  EXPECT_EQ(kPiece, granularity);
  CUmemGenericAllocationHandle odd = 0;
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE,
            cuMemCreate(&odd, kPiece + 1, &properties, 0));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemMap(range_, 100, 0, handle, 0));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE,
            cuMemMap(range_, 2 * kPiece, 0, handle, 0));
  // Not outside a reservation, and not twice at one place.
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE,
            cuMemMap(range_ + 4 * kPiece, kPiece, 0, handle, 0));
  ASSERT_CU(cuMemMap(range_, kPiece, 0, handle, 0));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemMap(range_, kPiece, 0, handle, 0));
  // Whole mappings only, and addresses only when nothing is mapped.
  MapPiece(1);
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemUnmap(range_ + 2 * kPiece, kPiece));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemAddressFree(range_, 4 * kPiece));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemAddressFree(range_, kPiece));
  EXPECT_CU(cuMemUnmap(range_, 2 * kPiece));
  EXPECT_CU(cuMemRelease(handle));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemRelease(handle));
}

TEST_F(VirtualMemoryTest, HandleTellsWhatItWasMadeWith) {
  CUmemGenericAllocationHandle handle =
      Create(DeviceMemory(CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
  ASSERT_CU(cuMemMap(range_, kPiece, 0, handle, 0));
  ASSERT_CU(cuMemRelease(handle));
  CUmemGenericAllocationHandle again = 0;
  ASSERT_CU(cuMemRetainAllocationHandle(&again,
                                        reinterpret_cast<void*>(range_ + 100)));
  EXPECT_EQ(handle, again);
  CUmemAllocationProp properties{};
  ASSERT_CU(cuMemGetAllocationPropertiesFromHandle(&properties, again));
  EXPECT_EQ(CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
            properties.requestedHandleTypes);
  EXPECT_EQ(CU_MEM_LOCATION_TYPE_DEVICE, properties.location.type);
  EXPECT_CU(cuMemUnmap(range_, kPiece));
  EXPECT_CU(cuMemRelease(again));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemRelease(again));
}

TEST_F(VirtualMemoryTest, BadPropertiesAreRefused) {
  CUmemAllocationProp properties = DeviceMemory();
  CUmemGenericAllocationHandle handle = 0;
  properties.location.id = 99;
  EXPECT_EQ(CUDA_ERROR_INVALID_DEVICE,
            cuMemCreate(&handle, kPiece, &properties, 0));
  properties = DeviceMemory(CU_MEM_HANDLE_TYPE_FABRIC);
  EXPECT_EQ(CUDA_ERROR_NOT_SUPPORTED,
            cuMemCreate(&handle, kPiece, &properties, 0));
  properties = DeviceMemory();
  properties.type = CU_MEM_ALLOCATION_TYPE_INVALID;
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE,
            cuMemCreate(&handle, kPiece, &properties, 0));
}

// More handles than a process may have files open.
TEST_F(VirtualMemoryTest, HandlesTakeNoDescriptors) {
  std::vector<CUmemGenericAllocationHandle> handles;
  for (int i = 0; i < 5000; ++i) {
    handles.push_back(
        Create(DeviceMemory(CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)));
  }
  for (const auto handle : handles) ASSERT_CU(cuMemRelease(handle));
}

using IpcVirtualMemoryTest = VirtualMemoryTest;
using DISABLED_VirtualMemoryChild = VirtualMemoryTest;

CUmemGenericAllocationHandle Import(int descriptor) {
  CUmemGenericAllocationHandle handle = 0;
  EXPECT_CU(cuMemImportFromShareableHandle(
      &handle, reinterpret_cast<void*>(static_cast<intptr_t>(descriptor)),
      CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
  close(descriptor);
  return handle;
}

TEST_F(DISABLED_VirtualMemoryChild, ReadsAfterTheExporterLetGo) {
  Line parent = ToParent();
  CUmemGenericAllocationHandle handle = Import(parent.ReceiveDescriptor());
  ASSERT_CU(cuMemMap(range_, kPiece, 0, handle, 0));
  ASSERT_CU(Allow(range_, kPiece));
  parent.Send('m');
  parent.Receive<char>();  // the exporter has released it
  std::vector<char> bytes(100);
  ASSERT_CU(cuMemcpyDtoH(bytes.data(), range_, bytes.size()));
  EXPECT_EQ(std::vector<char>(100, 7), bytes);
  int number = 0;
  ASSERT_CU(cuMemcpyDtoH(&number, range_, sizeof(number)));
  EXPECT_EQ(0x07070707, number);
  EXPECT_CU(cuMemUnmap(range_, kPiece));
  EXPECT_CU(cuMemRelease(handle));
}

TEST_F(IpcVirtualMemoryTest, MemoryOutlivesTheExportersHandle) {
  CUmemGenericAllocationHandle handle =
      Create(DeviceMemory(CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
  ASSERT_CU(cuMemMap(range_, kPiece, 0, handle, 0));
  ASSERT_CU(Allow(range_, kPiece));
  ASSERT_CU(cuMemsetD8(range_, 7, kPiece));
  int descriptor = -1;
  ASSERT_CU(cuMemExportToShareableHandle(
      &descriptor, handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
  Child child("DISABLED_VirtualMemoryChild.ReadsAfterTheExporterLetGo");
  child.line.SendDescriptor(descriptor);
  close(descriptor);
  child.line.Receive<char>();
  EXPECT_CU(cuMemUnmap(range_, kPiece));
  EXPECT_CU(cuMemRelease(handle));
  child.line.Send('x');
}

TEST_F(DISABLED_VirtualMemoryChild, ExportsAndEnds) {
  CUmemGenericAllocationHandle handle =
      Create(DeviceMemory(CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
  ASSERT_CU(cuMemMap(range_, kPiece, 0, handle, 0));
  ASSERT_CU(Allow(range_, kPiece));
  ASSERT_CU(cuMemsetD8(range_, 5, kPiece));
  int descriptor = -1;
  ASSERT_CU(cuMemExportToShareableHandle(
      &descriptor, handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
  ToParent().SendDescriptor(descriptor);
  _exit(0);
}

TEST_F(IpcVirtualMemoryTest, DescriptorOutlivesItsExporter) {
  Child child("DISABLED_VirtualMemoryChild.ExportsAndEnds");
  const int descriptor = child.line.ReceiveDescriptor();
  child.Wait();
  CUmemGenericAllocationHandle handle = Import(descriptor);
  ASSERT_CU(cuMemMap(range_, kPiece, 0, handle, 0));
  ASSERT_CU(Allow(range_, kPiece));
  std::vector<char> bytes(100);
  ASSERT_CU(cuMemcpyDtoH(bytes.data(), range_, bytes.size()));
  EXPECT_EQ(std::vector<char>(100, 5), bytes);
  EXPECT_CU(cuMemUnmap(range_, kPiece));
  EXPECT_CU(cuMemRelease(handle));
}

TEST_F(IpcVirtualMemoryTest, MemoryNotMadeForItIsNotExported) {
  CUmemGenericAllocationHandle handle = Create(DeviceMemory());
  int descriptor = -1;
  EXPECT_EQ(
      CUDA_ERROR_INVALID_VALUE,
      cuMemExportToShareableHandle(
          &descriptor, handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
  EXPECT_CU(cuMemRelease(handle));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE,
            cuMemImportFromShareableHandle(
                &handle, nullptr, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
}

}  // namespace
