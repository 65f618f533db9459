// SPDX-License-Identifier: Apache-2.0
// Functions of libcudart.so.12 whose arguments differ from those of the same
// name in CUDA 13. Each hands them to the newer function (dltap13_...). Both
// together are one call, under the older function's name. A function with
// another prototype has the C++ name cuda12_...
#include "cuda12/cudart.h"

#include <algorithm>

#include "simgpu/cudart/conversions.h"
#include "simgpu/stream/device.h"
#include "simgpu/stream/device_attributes.h"

namespace dltap::simgpu::cuda12 {
namespace {

template <ApiName kSymbol, typename Body>
cudaError_t As(Body body) {
  const CallAs as(
      FunctionOf12<"cudart", kSymbol, CbidIn(kCbids, kSymbol.text)>());
  return body();
}

// cudaCpuDeviceId is -1, the devices are numbered from 0.
cudaMemLocation LocationOf(int device) {
  cudaMemLocation location{};
  location.type = device == cudaCpuDeviceId ? cudaMemLocationTypeHost
                                            : cudaMemLocationTypeDevice;
  location.id = std::max(device, 0);
  return location;
}

// The fields that CUDA 13 has dropped.
void FillDropped(int number, cudaDeviceProp& properties) {
  const Device* device = FindDevice(number);
  if (device == nullptr) return;
  const auto value = [&](cudaDeviceAttr attribute) {
    return DeviceAttribute(*device, attribute).value_or(0);
  };
  properties.clockRate = value(cudaDevAttrClockRate);
  properties.memoryClockRate = value(cudaDevAttrMemoryClockRate);
  properties.deviceOverlap = value(cudaDevAttrGpuOverlap);
  properties.kernelExecTimeoutEnabled = value(cudaDevAttrKernelExecTimeout);
  properties.computeMode = value(cudaDevAttrComputeMode);
  properties.maxTexture1DLinear = value(cudaDevAttrMaxTexture1DLinearWidth);
  properties.singleToDoublePrecisionPerfRatio =
      value(cudaDevAttrSingleToDoublePrecisionPerfRatio);
}

// What CUDA 11 knew ends here: cudaGetDeviceProperties without a version writes
// no byte beyond.
constexpr size_t kBytesOfCuda11 =
    offsetof(cudaDeviceProp, hostRegisterSupported);

template <ApiName kSymbol>
cudaError_t Properties(void* out, size_t bytes, int device) {
  return As<kSymbol>([&] {
    cudaDeviceProp properties{};
    cudaError_t error;
    {
      Converted<::cudaDeviceProp> newer(
          out == nullptr ? nullptr
                         : reinterpret_cast<::cudaDeviceProp*>(&properties));
      error = dltap13_cudaGetDeviceProperties(newer.get(), device);
    }
    if (error != cudaSuccess) return error;
    FillDropped(device, properties);
    std::memcpy(out, &properties, bytes);
    return error;
  });
}

}  // namespace
}  // namespace dltap::simgpu::cuda12

using namespace dltap::simgpu::cuda12;  // NOLINT: the vendor's functions only

// ---- Devices

cudaError_t cudaGetDeviceProperties_v2(struct ::cudaDeviceProp* prop,
                                       int device) {
  return Properties<"cudaGetDeviceProperties_v2">(
      prop, sizeof(dltap::simgpu::cuda12::cudaDeviceProp), device);
}

cudaError_t cudaGetDeviceProperties(struct ::cudaDeviceProp* prop, int device) {
  return Properties<"cudaGetDeviceProperties">(prop, kBytesOfCuda11, device);
}

// ---- Graphs: without edge data

cudaError_t cuda12_cudaGraphAddDependencies(cudaGraph_t graph,
                                            const cudaGraphNode_t* from,
                                            const cudaGraphNode_t* to,
                                            size_t numDependencies) {
  return As<"cudaGraphAddDependencies">([&] {
    return dltap13_cudaGraphAddDependencies(graph, from, to, nullptr,
                                            numDependencies);
  });
}

cudaError_t cuda12_cudaGraphRemoveDependencies(cudaGraph_t graph,
                                               const cudaGraphNode_t* from,
                                               const cudaGraphNode_t* to,
                                               size_t numDependencies) {
  return As<"cudaGraphRemoveDependencies">([&] {
    return dltap13_cudaGraphRemoveDependencies(graph, from, to, nullptr,
                                               numDependencies);
  });
}

cudaError_t cuda12_cudaGraphAddNode(cudaGraphNode_t* pGraphNode,
                                    cudaGraph_t graph,
                                    const cudaGraphNode_t* pDependencies,
                                    size_t numDependencies,
                                    cudaGraphNodeParams* nodeParams) {
  return As<"cudaGraphAddNode">([&] {
    return dltap13_cudaGraphAddNode(pGraphNode, graph, pDependencies, nullptr,
                                    numDependencies, nodeParams);
  });
}

cudaError_t cuda12_cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from,
                                     cudaGraphNode_t* to, size_t* numEdges) {
  return As<"cudaGraphGetEdges">([&] {
    return dltap13_cudaGraphGetEdges(graph, from, to, nullptr, numEdges);
  });
}

cudaError_t cuda12_cudaGraphNodeGetDependencies(cudaGraphNode_t node,
                                                cudaGraphNode_t* pDependencies,
                                                size_t* pNumDependencies) {
  return As<"cudaGraphNodeGetDependencies">([&] {
    return dltap13_cudaGraphNodeGetDependencies(node, pDependencies, nullptr,
                                                pNumDependencies);
  });
}

cudaError_t cuda12_cudaGraphNodeGetDependentNodes(
    cudaGraphNode_t node, cudaGraphNode_t* pDependentNodes,
    size_t* pNumDependentNodes) {
  return As<"cudaGraphNodeGetDependentNodes">([&] {
    return dltap13_cudaGraphNodeGetDependentNodes(node, pDependentNodes,
                                                  nullptr, pNumDependentNodes);
  });
}

// ---- Capture: three forms of the question, two of the change

cudaError_t cuda12_cudaStreamGetCaptureInfo(cudaStream_t stream,
                                            cudaStreamCaptureStatus* status,
                                            unsigned long long* id_out) {
  return As<"cudaStreamGetCaptureInfo">([&] {
    return dltap13_cudaStreamGetCaptureInfo(stream, status, id_out, nullptr,
                                            nullptr, nullptr, nullptr);
  });
}

cudaError_t cuda12_cudaStreamGetCaptureInfo_ptsz(
    cudaStream_t stream, cudaStreamCaptureStatus* status,
    unsigned long long* id_out) {
  return As<"cudaStreamGetCaptureInfo_ptsz">([&] {
    return dltap13_cudaStreamGetCaptureInfo_ptsz(
        stream, status, id_out, nullptr, nullptr, nullptr, nullptr);
  });
}

cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream,
                                        cudaStreamCaptureStatus* status,
                                        unsigned long long* id_out,
                                        cudaGraph_t* graph_out,
                                        const cudaGraphNode_t** dependencies,
                                        size_t* numDependencies_out) {
  return As<"cudaStreamGetCaptureInfo_v2">([&] {
    return dltap13_cudaStreamGetCaptureInfo(stream, status, id_out, graph_out,
                                            dependencies, nullptr,
                                            numDependencies_out);
  });
}

cudaError_t cudaStreamGetCaptureInfo_v2_ptsz(
    cudaStream_t stream, cudaStreamCaptureStatus* status,
    unsigned long long* id_out, cudaGraph_t* graph_out,
    const cudaGraphNode_t** dependencies, size_t* numDependencies_out) {
  return As<"cudaStreamGetCaptureInfo_v2_ptsz">([&] {
    return dltap13_cudaStreamGetCaptureInfo_ptsz(stream, status, id_out,
                                                 graph_out, dependencies,
                                                 nullptr, numDependencies_out);
  });
}

cudaError_t cuda12_cudaStreamUpdateCaptureDependencies(
    cudaStream_t stream, cudaGraphNode_t* dependencies, size_t numDependencies,
    unsigned int flags) {
  return As<"cudaStreamUpdateCaptureDependencies">([&] {
    return dltap13_cudaStreamUpdateCaptureDependencies(
        stream, dependencies, nullptr, numDependencies, flags);
  });
}

cudaError_t cuda12_cudaStreamUpdateCaptureDependencies_ptsz(
    cudaStream_t stream, cudaGraphNode_t* dependencies, size_t numDependencies,
    unsigned int flags) {
  return As<"cudaStreamUpdateCaptureDependencies_ptsz">([&] {
    return dltap13_cudaStreamUpdateCaptureDependencies_ptsz(
        stream, dependencies, nullptr, numDependencies, flags);
  });
}

// ---- Managed memory: a device number instead of a location

cudaError_t cuda12_cudaMemAdvise(const void* devPtr, size_t count,
                                 cudaMemoryAdvise advice, int device) {
  return As<"cudaMemAdvise">([&] {
    return dltap13_cudaMemAdvise(devPtr, count, advice, LocationOf(device));
  });
}

cudaError_t cuda12_cudaMemPrefetchAsync(const void* devPtr, size_t count,
                                        int dstDevice, cudaStream_t stream) {
  return As<"cudaMemPrefetchAsync">([&] {
    return dltap13_cudaMemPrefetchAsync(devPtr, count, LocationOf(dstDevice), 0,
                                        stream);
  });
}

cudaError_t cuda12_cudaMemPrefetchAsync_ptsz(const void* devPtr, size_t count,
                                             int dstDevice,
                                             cudaStream_t stream) {
  return As<"cudaMemPrefetchAsync_ptsz">([&] {
    return dltap13_cudaMemPrefetchAsync_ptsz(devPtr, count,
                                             LocationOf(dstDevice), 0, stream);
  });
}

// ---- Batches of copies: with the index of the one that failed

cudaError_t cuda12_cudaMemcpyBatchAsync(void** dsts, void** srcs, size_t* sizes,
                                        size_t count,
                                        cudaMemcpyAttributes* attrs,
                                        size_t* attrsIdxs, size_t numAttrs,
                                        size_t* failIdx, cudaStream_t stream) {
  if (failIdx != nullptr) *failIdx = SIZE_MAX;  // an error that is no copy's
  return As<"cudaMemcpyBatchAsync">([&] {
    return dltap13_cudaMemcpyBatchAsync(dsts, srcs, sizes, count, attrs,
                                        attrsIdxs, numAttrs, stream);
  });
}

cudaError_t cuda12_cudaMemcpyBatchAsync_ptsz(void** dsts, void** srcs,
                                             size_t* sizes, size_t count,
                                             cudaMemcpyAttributes* attrs,
                                             size_t* attrsIdxs, size_t numAttrs,
                                             size_t* failIdx,
                                             cudaStream_t stream) {
  if (failIdx != nullptr) *failIdx = SIZE_MAX;
  return As<"cudaMemcpyBatchAsync_ptsz">([&] {
    return dltap13_cudaMemcpyBatchAsync_ptsz(dsts, srcs, sizes, count, attrs,
                                             attrsIdxs, numAttrs, stream);
  });
}

cudaError_t cuda12_cudaMemcpy3DBatchAsync(size_t numOps,
                                          cudaMemcpy3DBatchOp* opList,
                                          size_t* failIdx,
                                          unsigned long long flags,
                                          cudaStream_t stream) {
  if (failIdx != nullptr) *failIdx = SIZE_MAX;
  return As<"cudaMemcpy3DBatchAsync">([&] {
    return dltap13_cudaMemcpy3DBatchAsync(numOps, opList, flags, stream);
  });
}

cudaError_t cuda12_cudaMemcpy3DBatchAsync_ptsz(size_t numOps,
                                               cudaMemcpy3DBatchOp* opList,
                                               size_t* failIdx,
                                               unsigned long long flags,
                                               cudaStream_t stream) {
  if (failIdx != nullptr) *failIdx = SIZE_MAX;
  return As<"cudaMemcpy3DBatchAsync_ptsz">([&] {
    return dltap13_cudaMemcpy3DBatchAsync_ptsz(numOps, opList, flags, stream);
  });
}

// ---- cudaThread...: deprecated names of cudaDevice...

cudaError_t cudaThreadSynchronize() {
  return As<"cudaThreadSynchronize">([] { return cudaDeviceSynchronize(); });
}

cudaError_t cudaThreadExit() {
  return As<"cudaThreadExit">([] { return cudaDeviceReset(); });
}

cudaError_t cudaThreadSetLimit(cudaLimit limit, size_t value) {
  return As<"cudaThreadSetLimit">(
      [&] { return cudaDeviceSetLimit(limit, value); });
}

cudaError_t cudaThreadGetLimit(size_t* pValue, cudaLimit limit) {
  return As<"cudaThreadGetLimit">(
      [&] { return cudaDeviceGetLimit(pValue, limit); });
}

cudaError_t cudaThreadSetCacheConfig(cudaFuncCache cacheConfig) {
  return As<"cudaThreadSetCacheConfig">(
      [&] { return cudaDeviceSetCacheConfig(cacheConfig); });
}

cudaError_t cudaThreadGetCacheConfig(cudaFuncCache* pCacheConfig) {
  return As<"cudaThreadGetCacheConfig">(
      [&] { return cudaDeviceGetCacheConfig(pCacheConfig); });
}
