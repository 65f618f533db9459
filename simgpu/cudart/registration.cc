// SPDX-License-Identifier: Apache-2.0
// What nvcc's static initialisers and <<<>>> call. Works without a GPU.
#include <cstdlib>
#include <vector>

#include "simgpu/base/thread_state.h"
#include "simgpu/cudart/conversions.h"
#include "simgpu/cudart/device_variables.h"
#include "simgpu/cudart/runtime_call.h"
#include "simgpu/launch/kernel.h"

namespace dltap::simgpu {
namespace {

// What stands behind a fat binary handle (void**).
struct FatBinary {
  const void* image = nullptr;  // first, as in the vendor's library
  std::vector<const void*> stubs;
  std::vector<const void*> variables;
};

FatBinary& BinaryOf(void** handle) {
  return *reinterpret_cast<FatBinary*>(handle);
}

template <ApiName kName>
void Count() {
  const ApiScope scope(FunctionOf<"cudart", kName, ApiDomain::kRuntime>());
}

}  // namespace
}  // namespace dltap::simgpu

using namespace dltap::simgpu;  // NOLINT: defines the vendor's functions only

void** __cudaRegisterFatBinary(void* fatCubin) {
  Count<"__cudaRegisterFatBinary">();
  auto* binary = new FatBinary;
  binary->image = fatCubin;
  return reinterpret_cast<void**>(binary);
}

void __cudaRegisterFatBinaryEnd(void**) {
  Count<"__cudaRegisterFatBinaryEnd">();
}

void __cudaUnregisterFatBinary(void** fatCubinHandle) {
  Count<"__cudaUnregisterFatBinary">();
  if (fatCubinHandle == nullptr) return;
  FatBinary& binary = BinaryOf(fatCubinHandle);
  for (const void* stub : binary.stubs) UnregisterKernel(stub);
  for (const void* variable : binary.variables) ForgetVariable(variable);
  delete &binary;
}

char __cudaInitModule(void**) {
  Count<"__cudaInitModule">();
  return 1;
}

void __cudaRegisterFunction(void** fatCubinHandle, const char* hostFun, char*,
                            const char* deviceName, int thread_limit, uint3*,
                            uint3*, dim3*, dim3*, int*) {
  Count<"__cudaRegisterFunction">();
  RegisterKernel(hostFun, deviceName, thread_limit);
  BinaryOf(fatCubinHandle).stubs.push_back(hostFun);
}

void __cudaRegisterVar(void** fatCubinHandle, char* hostVar, char*, const char*,
                       int, size_t size, int, int) {
  Count<"__cudaRegisterVar">();
  RegisterVariable(hostVar, size);
  BinaryOf(fatCubinHandle).variables.push_back(hostVar);
}

void __cudaRegisterManagedVar(void** fatCubinHandle, void** hostVarPtrAddress,
                              char*, const char*, int, size_t size, int, int) {
  Count<"__cudaRegisterManagedVar">();
  RegisterVariable(hostVarPtrAddress, size);
  BinaryOf(fatCubinHandle).variables.push_back(hostVarPtrAddress);
  *hostVarPtrAddress = ManagedAddressOf(hostVarPtrAddress);
}

unsigned __cudaPushCallConfiguration(dim3 gridDim, dim3 blockDim,
                                     size_t sharedMem, CUstream_st* stream) {
  Count<"__cudaPushCallConfiguration">();
  CurrentThread().configurations.push_back(
      {ToDim3(gridDim), ToDim3(blockDim), sharedMem, stream});
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3* gridDim, dim3* blockDim,
                                       size_t* sharedMem, void* stream) {
  Count<"__cudaPopCallConfiguration">();
  auto& configurations = CurrentThread().configurations;
  if (configurations.empty()) return cudaErrorInvalidValue;
  const CallConfiguration& top = configurations.back();
  *gridDim = dim3(top.grid.x, top.grid.y, top.grid.z);
  *blockDim = dim3(top.block.x, top.block.y, top.block.z);
  *sharedMem = top.shared_bytes;
  *static_cast<void**>(stream) = top.stream;
  configurations.pop_back();
  return cudaSuccess;
}

cudaError_t __cudaGetKernel(cudaKernel_t* kernelPtr,
                            const void* entryFuncAddr) {
  return Runtime<"__cudaGetKernel">(Needs::kNothing, [&] {
    Kernel* kernel = FindKernel(entryFuncAddr);
    if (kernel == nullptr) return Error::kInvalidDeviceFunction;
    *kernelPtr = ToHandle<cudaKernel_t>(kernel);
    return Error::kSuccess;
  });
}
