// SPDX-License-Identifier: Apache-2.0
// The driver's functions by name. Like the vendor's, this library is not linked
// to libcuda but opens it.
#include "simgpu/base/library_versions.h"
#include "simgpu/cudart/runtime_call.h"

namespace dltap::simgpu {
namespace {

unsigned RuntimeVersion() { return GetLibraryVersions().cuda; }

struct EntryPointRequest {
  const char* symbol;
  void** function;
  unsigned version;
  unsigned long long flags;
  cudaDriverEntryPointQueryResult* status;
};

template <ApiName kName>
cudaError_t Find(const EntryPointRequest& request) {
  return Runtime<kName>(Needs::kDriver, [&] {
    if (request.symbol == nullptr || request.function == nullptr) {
      return Error::kInvalidValue;
    }
    const GetProcAddress get = FindGetProcAddress();
    if (get == nullptr) return Error::kNotFound;
    auto found = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    *request.function = nullptr;
    get(request.symbol, request.function, static_cast<int>(request.version),
        request.flags, &found);
    // Unlike the driver's, this function reports a missing name by the status.
    if (request.status != nullptr) {
      *request.status = static_cast<cudaDriverEntryPointQueryResult>(found);
      return Error::kSuccess;
    }
    return *request.function == nullptr ? Error::kNotFound : Error::kSuccess;
  });
}

// 2: the per-thread default stream's variants.
unsigned long long PerThread(unsigned long long flags) {
  if (flags == cudaEnableDefault) return cudaEnablePerThreadDefaultStream;
  return flags;
}

}  // namespace
}  // namespace dltap::simgpu

using namespace dltap::simgpu;  // NOLINT: defines the vendor's functions only

cudaError_t cudaGetDriverEntryPoint(
    const char* symbol, void** funcPtr, unsigned long long flags,
    cudaDriverEntryPointQueryResult* driverStatus) {
  return Find<"cudaGetDriverEntryPoint">(
      {symbol, funcPtr, RuntimeVersion(), flags, driverStatus});
}

cudaError_t cudaGetDriverEntryPoint_ptsz(
    const char* symbol, void** funcPtr, unsigned long long flags,
    cudaDriverEntryPointQueryResult* driverStatus) {
  return Find<"cudaGetDriverEntryPoint_ptsz">(
      {symbol, funcPtr, RuntimeVersion(), PerThread(flags), driverStatus});
}

cudaError_t cudaGetDriverEntryPointByVersion(
    const char* symbol, void** funcPtr, unsigned int cudaVersion,
    unsigned long long flags, cudaDriverEntryPointQueryResult* driverStatus) {
  return Find<"cudaGetDriverEntryPointByVersion">(
      {symbol, funcPtr, cudaVersion, flags, driverStatus});
}

cudaError_t cudaGetDriverEntryPointByVersion_ptsz(
    const char* symbol, void** funcPtr, unsigned int cudaVersion,
    unsigned long long flags, cudaDriverEntryPointQueryResult* driverStatus) {
  return Find<"cudaGetDriverEntryPointByVersion_ptsz">(
      {symbol, funcPtr, cudaVersion, PerThread(flags), driverStatus});
}
