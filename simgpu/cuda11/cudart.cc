// SPDX-License-Identifier: Apache-2.0
// Functions of libcudart.so.11.0 that CUDA 12 has otherwise. Prototypes, sizes
// and CUPTI's ids: the headers of CUDA 11.8 (cuda_runtime_api.h,
// driver_types.h, cupti_runtime_cbid.h). A function of CUDA 12's name is
// renamed to dltap12_... in this library (cudart_renames.txt).
#include <cuda_runtime_api.h>

#include <cstdint>
#include <cstring>

#include "shim/specs/supplement/cudart_internal.h"
#include "simgpu/base/api_function.h"
#include "simgpu/base/api_scope.h"
#include "simgpu/base/library_entry.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace dltap::simgpu::cuda11 {
namespace {

// What a structure ends with in CUDA 11; CUDA 12 has more behind it.
constexpr size_t kFuncAttributesBytes = 56;
constexpr size_t kTextureDescBytes = 68;

// One call, by the name and the id that CUDA 11 gives it.
template <ApiName kSymbol, uint32_t kCbid, typename Body>
cudaError_t As(Body body) {
  static constinit ApiFunction function{
      "cudart", kSymbol.text, ApiDomain::kRuntime, BodyKind::kReal, kCbid};
  const CallAs as(function);
  return body();
}

}  // namespace
}  // namespace dltap::simgpu::cuda11

using namespace dltap::simgpu::cuda11;  // NOLINT: the vendor's functions only

#define SIMGPU_CUDA12(name) extern "C" decltype(::name) dltap12_##name
SIMGPU_CUDA12(cudaFuncGetAttributes);
SIMGPU_CUDA12(cudaCreateTextureObject);
SIMGPU_CUDA12(cudaGetTextureObjectTextureDesc);
SIMGPU_CUDA12(cudaGraphInstantiate);
SIMGPU_CUDA12(cudaGraphExecUpdate);
SIMGPU_CUDA12(cudaGetDriverEntryPoint);
extern "C" decltype(::cudaGetDriverEntryPoint)
    dltap12_cudaGetDriverEntryPoint_ptsz;
#undef SIMGPU_CUDA12

// ---- Structures that grew

SIMGPU_API cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attr,
                                             const void* func) {
  return As<"cudaFuncGetAttributes", 15>([&] {
    cudaFuncAttributes newer;
    const cudaError_t error =
        dltap12_cudaFuncGetAttributes(attr == nullptr ? nullptr : &newer, func);
    if (error == cudaSuccess) std::memcpy(attr, &newer, kFuncAttributesBytes);
    return error;
  });
}

SIMGPU_API cudaError_t cudaCreateTextureObject(
    cudaTextureObject_t* object, const cudaResourceDesc* resource,
    const cudaTextureDesc* texture, const cudaResourceViewDesc* view) {
  return As<"cudaCreateTextureObject", 185>([&] {
    cudaTextureDesc newer{};
    if (texture != nullptr) std::memcpy(&newer, texture, kTextureDescBytes);
    return dltap12_cudaCreateTextureObject(
        object, resource, texture == nullptr ? nullptr : &newer, view);
  });
}

SIMGPU_API cudaError_t cudaGetTextureObjectTextureDesc(
    cudaTextureDesc* texture, cudaTextureObject_t object) {
  return As<"cudaGetTextureObjectTextureDesc", 188>([&] {
    cudaTextureDesc newer;
    const cudaError_t error = dltap12_cudaGetTextureObjectTextureDesc(
        texture == nullptr ? nullptr : &newer, object);
    if (error == cudaSuccess) {
      std::memcpy(texture, &newer, kTextureDescBytes);
    }
    return error;
  });
}

// ---- Graphs: the node that is in the way, and a text about it

extern "C" [[gnu::visibility("default")]] cudaError_t
cuda11_cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph,
                            cudaGraphNode_t* node, char* log,
                            size_t log_bytes) __asm__("cudaGraphInstantiate");

cudaError_t cuda11_cudaGraphInstantiate(cudaGraphExec_t* exec,
                                        cudaGraph_t graph,
                                        cudaGraphNode_t* node, char* log,
                                        size_t log_bytes) {
  return As<"cudaGraphInstantiate", 310>([&] {
    if (node != nullptr) *node = nullptr;
    if (log != nullptr && log_bytes > 0) *log = '\0';
    return dltap12_cudaGraphInstantiate(exec, graph, 0);
  });
}

extern "C" [[gnu::visibility("default")]] cudaError_t
cuda11_cudaGraphExecUpdate(
    cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphNode_t* node,
    cudaGraphExecUpdateResult* result) __asm__("cudaGraphExecUpdate");

cudaError_t cuda11_cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                       cudaGraphNode_t* node,
                                       cudaGraphExecUpdateResult* result) {
  return As<"cudaGraphExecUpdate", 335>([&] {
    cudaGraphExecUpdateResultInfo info{};
    const cudaError_t error = dltap12_cudaGraphExecUpdate(exec, graph, &info);
    if (node != nullptr) *node = info.errorNode;
    if (result != nullptr) *result = info.result;
    return error;
  });
}

// ---- The driver's addresses: without a status

extern "C" [[gnu::visibility("default")]] cudaError_t
cuda11_cudaGetDriverEntryPoint(
    const char* symbol, void** address,
    unsigned long long flags) __asm__("cudaGetDriverEntryPoint");

cudaError_t cuda11_cudaGetDriverEntryPoint(const char* symbol, void** address,
                                           unsigned long long flags) {
  return As<"cudaGetDriverEntryPoint", 406>([&] {
    return dltap12_cudaGetDriverEntryPoint(symbol, address, flags, nullptr);
  });
}

extern "C" [[gnu::visibility("default")]] cudaError_t
cuda11_cudaGetDriverEntryPoint_ptsz(
    const char* symbol, void** address,
    unsigned long long flags) __asm__("cudaGetDriverEntryPoint_ptsz");

cudaError_t cuda11_cudaGetDriverEntryPoint_ptsz(const char* symbol,
                                                void** address,
                                                unsigned long long flags) {
  return As<"cudaGetDriverEntryPoint_ptsz", 407>([&] {
    return dltap12_cudaGetDriverEntryPoint_ptsz(symbol, address, flags,
                                                nullptr);
  });
}

// ---- The profiler of CUDA 4, which CUDA 11 names but does not have

SIMGPU_API cudaError_t cudaProfilerInitialize(const char*, const char*, int) {
  using namespace dltap::simgpu;  // NOLINT
  return RunEntry<cudaErrorStubLibrary>(
      FunctionOf<"cudart", "cudaProfilerInitialize", ApiDomain::kRuntime>(),
      [] { return cudaErrorNotSupported; });
}
