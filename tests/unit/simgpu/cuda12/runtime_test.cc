// SPDX-License-Identifier: Apache-2.0
#include <cublas_v2.h>
#include <cuda.h>
#include <cudnn.h>
#include <gtest/gtest.h>
#include <nvrtc.h>

#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "cuda12/cudart.h"
#include "cuda12/versions.h"
#include "simgpu/base/counters.h"

namespace {

namespace cuda12 = dltap::simgpu::cuda12;
using dltap::simgpu::CountsAsText;

constexpr std::byte kUntouched{0xA5};

// Bytes that a function wrote, when `call` got a buffer of `kUntouched`.
template <typename Call>
std::vector<std::byte> Written(Call call) {
  std::vector<std::byte> buffer(4096, kUntouched);
  EXPECT_EQ(cudaSuccess, call(buffer.data()));
  while (!buffer.empty() && buffer.back() == kUntouched) buffer.pop_back();
  return buffer;
}

std::vector<std::byte> WrittenProperties(
    cudaError_t (*get)(struct cudaDeviceProp*, int)) {
  return Written([&](void* buffer) {
    return get(static_cast<struct cudaDeviceProp*>(buffer), 0);
  });
}

TEST(Cuda12Test, PropertiesHaveTheLayoutOfCuda12) {
  const auto bytes = WrittenProperties(cudaGetDeviceProperties_v2);
  ASSERT_EQ(1032u, bytes.size());
  cuda12::cudaDeviceProp properties;
  std::memcpy(&properties, bytes.data(), sizeof properties);
  EXPECT_STREQ("Tesla V100-SXM2-16GB",
               reinterpret_cast<const char*>(properties.name));
  EXPECT_EQ(7, properties.major);
  EXPECT_EQ(0, properties.minor);
  EXPECT_EQ(80, properties.multiProcessorCount);
  EXPECT_EQ(49152u, properties.sharedMemPerBlock);
  // Which CUDA 13 has no longer.
  EXPECT_GT(properties.clockRate, 1'000'000);  // kHz
  EXPECT_GT(properties.memoryClockRate, 500'000);
}

TEST(Cuda12Test, PropertiesWithoutAVersionEndWhereCuda11Ended) {
  const auto newer = WrittenProperties(cudaGetDeviceProperties_v2);
  const auto older = WrittenProperties(cudaGetDeviceProperties);
  ASSERT_EQ(728u, older.size());
  EXPECT_EQ(0, std::memcmp(newer.data(), older.data(), older.size()));
}

TEST(Cuda12Test, PointerAttributesAreTwentyFourBytes) {
  void* memory = nullptr;
  ASSERT_EQ(cudaSuccess, cudaMalloc(&memory, 256));
  const auto bytes = Written([&](void* buffer) {
    return cudaPointerGetAttributes(
        static_cast<struct cudaPointerAttributes*>(buffer), memory);
  });
  ASSERT_EQ(24u, bytes.size());
  cuda12::cudaPointerAttributes attributes;
  std::memcpy(&attributes, bytes.data(), sizeof attributes);
  EXPECT_EQ(cudaMemoryTypeDevice, attributes.type);
  EXPECT_EQ(memory, attributes.devicePointer);
  cudaFree(memory);
}

TEST(Cuda12Test, NullIsRefusedAsEver) {
  EXPECT_EQ(cudaErrorInvalidValue, cudaPointerGetAttributes(nullptr, nullptr));
  EXPECT_EQ(cudaErrorInvalidValue, cudaGetDeviceProperties_v2(nullptr, 0));
  cudaGetLastError();
}

TEST(Cuda12Test, DependenciesWithoutEdgeDataAreThoseWithIt) {
  cudaGraph_t graph;
  std::array<cudaGraphNode_t, 2> nodes;
  ASSERT_EQ(cudaSuccess, cudaGraphCreate(&graph, 0));
  for (cudaGraphNode_t& node : nodes) {
    ASSERT_EQ(cudaSuccess, cudaGraphAddEmptyNode(&node, graph, nullptr, 0));
  }
  ASSERT_EQ(cudaSuccess,
            cuda12_cudaGraphAddDependencies(graph, &nodes[0], &nodes[1], 1));
  cudaGraphNode_t from = nullptr;
  cudaGraphNode_t to = nullptr;
  size_t count = 1;
  ASSERT_EQ(cudaSuccess, cuda12_cudaGraphGetEdges(graph, &from, &to, &count));
  EXPECT_EQ(1u, count);
  EXPECT_EQ(nodes[0], from);
  cudaGraphEdgeData edge{};
  to = nullptr;
  ASSERT_EQ(cudaSuccess,
            cudaGraphGetEdges_v2(graph, &from, &to, &edge, &count));
  EXPECT_EQ(nodes[1], to);
  cudaGraphDestroy(graph);
}

TEST(Cuda12Test, CaptureIsTheSameByAllFormsOfTheQuestion) {
  cudaStream_t stream;
  ASSERT_EQ(cudaSuccess, cudaStreamCreate(&stream));
  ASSERT_EQ(cudaSuccess,
            cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  std::array<cudaStreamCaptureStatus, 3> status{};
  std::array<unsigned long long, 3> ids{};
  std::array<cudaGraph_t, 2> graphs{};
  EXPECT_EQ(cudaSuccess,
            cuda12_cudaStreamGetCaptureInfo(stream, &status[0], &ids[0]));
  EXPECT_EQ(cudaSuccess,
            cudaStreamGetCaptureInfo_v2(stream, &status[1], &ids[1], &graphs[0],
                                        nullptr, nullptr));
  EXPECT_EQ(cudaSuccess,
            cudaStreamGetCaptureInfo_v3(stream, &status[2], &ids[2], &graphs[1],
                                        nullptr, nullptr, nullptr));
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaSuccess, cudaStreamEndCapture(stream, &graph));
  EXPECT_EQ(cudaStreamCaptureStatusActive, status[0]);
  EXPECT_NE(0u, ids[0]);
  EXPECT_EQ(ids[0], ids[1]);
  EXPECT_EQ(ids[1], ids[2]);
  EXPECT_EQ(graph, graphs[0]);
  EXPECT_EQ(graph, graphs[1]);
  cudaGraphDestroy(graph);
  cudaStreamDestroy(stream);
}

TEST(Cuda12Test, ManagedMemoryHasPlacesByDeviceNumber) {
  constexpr size_t kBytes = 1 << 20;
  void* memory = nullptr;
  ASSERT_EQ(cudaSuccess, cudaMallocManaged(&memory, kBytes, 1));
  const auto place = [&](cudaMemRangeAttribute attribute) {
    int device = 99;
    EXPECT_EQ(cudaSuccess, cudaMemRangeGetAttribute(&device, sizeof(device),
                                                    attribute, memory, kBytes));
    return device;
  };
  EXPECT_EQ(cudaSuccess, cuda12_cudaMemAdvise(memory, kBytes,
                                              cudaMemAdviseSetPreferredLocation,
                                              cudaCpuDeviceId));
  EXPECT_EQ(cudaCpuDeviceId, place(cudaMemRangeAttributePreferredLocation));
  EXPECT_EQ(cudaSuccess,
            cuda12_cudaMemPrefetchAsync(memory, kBytes, 0, nullptr));
  EXPECT_EQ(0, place(cudaMemRangeAttributeLastPrefetchLocation));
  EXPECT_EQ(cudaErrorInvalidDevice,
            cuda12_cudaMemPrefetchAsync(memory, kBytes, 7, nullptr));
  EXPECT_EQ(cudaSuccess, cudaFree(memory));
}

TEST(Cuda12Test, ResourceDescriptorsHaveTheLengthOfCuda12) {
  cudaArray_t array = nullptr;
  const cudaChannelFormatDesc floats{32, 0, 0, 0, cudaChannelFormatKindFloat};
  ASSERT_EQ(cudaSuccess, cudaMallocArray(&array, &floats, 8, 8, 0));
  // Followed by no flags, but by what the stack holds.
  std::vector<std::byte> given(4096, kUntouched);
  auto* resource = reinterpret_cast<cudaResourceDesc*>(given.data());
  resource->resType = cudaResourceTypeArray;
  resource->res.array.array = array;
  const cudaTextureDesc texture{};
  cudaTextureObject_t object = 0;
  ASSERT_EQ(cudaSuccess,
            cudaCreateTextureObject(&object, resource, &texture, nullptr));
  const auto bytes = Written([&](void* buffer) {
    return cudaGetTextureObjectResourceDesc(
        static_cast<cudaResourceDesc*>(buffer), object);
  });
  EXPECT_EQ(64u, bytes.size());
  EXPECT_EQ(cudaSuccess, cudaDestroyTextureObject(object));
  EXPECT_EQ(cudaSuccess, cudaFreeArray(array));
}

TEST(Cuda12Test, CallsCountOnceUnderTheNameThatWasCalled) {
  EXPECT_EQ(cudaSuccess, cudaThreadSynchronize());
  const std::string counts = CountsAsText();
  EXPECT_NE(std::string::npos,
            counts.find("cudart cudaThreadSynchronize real 1\n"));
  EXPECT_EQ(std::string::npos, counts.find("cudaDeviceSynchronize"));
}

TEST(Cuda12Test, FaultsAreFoundByTheNameThatIsCalled) {
  size_t value = 0;
  EXPECT_EQ(cudaSuccess, cudaThreadGetLimit(&value, cudaLimitStackSize));
  EXPECT_EQ(cudaErrorInvalidValue,
            cudaThreadGetLimit(&value, cudaLimitStackSize));
  EXPECT_EQ(cudaErrorInvalidValue, cudaGetLastError());
}

TEST(Cuda12Test, VersionsAreThoseOfCuda12) {
  int version = 0;
  EXPECT_EQ(cudaSuccess, cudaRuntimeGetVersion(&version));
  EXPECT_EQ(DLTAP_CUDA12_CUDART_VERSION, version);
  EXPECT_EQ(cudaSuccess, cudaDriverGetVersion(&version));
  EXPECT_EQ(12080, version);
  EXPECT_EQ(CUDA_SUCCESS, cuDriverGetVersion(&version));
  EXPECT_EQ(12080, version);
  EXPECT_EQ(CUBLAS_STATUS_SUCCESS, cublasGetProperty(MAJOR_VERSION, &version));
  EXPECT_EQ(12, version);
  // What the last release says that knows this GPU.
  EXPECT_EQ(91002u, cudnnGetVersion());
  EXPECT_EQ(12080u, cudnnGetCudartVersion());
  int minor = 0;
  EXPECT_EQ(NVRTC_SUCCESS, nvrtcVersion(&version, &minor));
  EXPECT_EQ(12, version);
  EXPECT_EQ(8, minor);
}

}  // namespace
