// SPDX-License-Identifier: Apache-2.0
// Libraries of device code that a program loads itself.
#include "simgpu/cudart/conversions.h"
#include "simgpu/cudart/runtime_call.h"
#include "simgpu/launch/module.h"

namespace dltap::simgpu {
namespace {

template <ApiName kName, typename Load>
cudaError_t LoadInto(cudaLibrary_t* out, Load load) {
  return Runtime<kName>(Needs::kContext, [&] {
    if (out == nullptr) return Error::kInvalidValue;
    Module* module = nullptr;
    const Error error = load(&module);
    if (error == Error::kSuccess) *out = ToHandle<cudaLibrary_t>(module);
    return error;
  });
}

template <ApiName kName, typename Body>
cudaError_t OnLibrary(cudaLibrary_t handle, Body body) {
  return Runtime<kName>(Needs::kContext, [&] {
    Module* module = FromHandle<Module>(handle);
    return module == nullptr ? Error::kInvalidHandle : body(*module);
  });
}

template <ApiName kName>
cudaError_t GetVariable(void** address, size_t* bytes, cudaLibrary_t library,
                        const char* name) {
  return OnLibrary<kName>(library, [&](Module& module) {
    if (name == nullptr) return Error::kInvalidValue;
    ModuleVariable variable{};
    const Error error = FindModuleVariable(module, name, &variable);
    if (error != Error::kSuccess) return error;
    if (address != nullptr) *address = variable.address;
    if (bytes != nullptr) *bytes = variable.bytes;
    return Error::kSuccess;
  });
}

}  // namespace
}  // namespace dltap::simgpu

using namespace dltap::simgpu;  // NOLINT: defines the vendor's functions only

cudaError_t cudaLibraryLoadData(cudaLibrary_t* library, const void* code,
                                cudaJitOption*, void**, unsigned int,
                                cudaLibraryOption*, void**, unsigned int) {
  return LoadInto<"cudaLibraryLoadData">(
      library, [&](Module** module) { return LoadModule(code, module); });
}

cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t* library,
                                    const char* fileName, cudaJitOption*,
                                    void**, unsigned int, cudaLibraryOption*,
                                    void**, unsigned int) {
  return LoadInto<"cudaLibraryLoadFromFile">(library, [&](Module** module) {
    return LoadModuleFile(fileName, module);
  });
}

cudaError_t cudaLibraryUnload(cudaLibrary_t library) {
  return OnLibrary<"cudaLibraryUnload">(
      library, [](Module& module) { return UnloadModule(module); });
}

cudaError_t cudaLibraryGetKernel(cudaKernel_t* pKernel, cudaLibrary_t library,
                                 const char* name) {
  return OnLibrary<"cudaLibraryGetKernel">(library, [&](Module& module) {
    if (pKernel == nullptr || name == nullptr) return Error::kInvalidValue;
    Kernel* kernel = FindInModule(module, name);
    if (kernel == nullptr) return Error::kNotFound;
    *pKernel = ToHandle<cudaKernel_t>(kernel);
    return Error::kSuccess;
  });
}

cudaError_t cudaLibraryGetKernelCount(unsigned int* count, cudaLibrary_t lib) {
  return OnLibrary<"cudaLibraryGetKernelCount">(lib, [&](Module& module) {
    if (count == nullptr) return Error::kInvalidValue;
    *count = static_cast<unsigned>(KernelsOf(module).size());
    return Error::kSuccess;
  });
}

cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t* kernels,
                                        unsigned int numKernels,
                                        cudaLibrary_t lib) {
  return OnLibrary<"cudaLibraryEnumerateKernels">(lib, [&](Module& module) {
    if (kernels == nullptr) return Error::kInvalidValue;
    const std::vector<Kernel*> all = KernelsOf(module);
    for (size_t i = 0; i < numKernels && i < all.size(); ++i) {
      kernels[i] = ToHandle<cudaKernel_t>(all[i]);
    }
    return Error::kSuccess;
  });
}

cudaError_t cudaLibraryGetGlobal(void** dptr, size_t* bytes,
                                 cudaLibrary_t library, const char* name) {
  return GetVariable<"cudaLibraryGetGlobal">(dptr, bytes, library, name);
}

// Managed variables are not told apart from others in an image.
cudaError_t cudaLibraryGetManaged(void** dptr, size_t* bytes,
                                  cudaLibrary_t library, const char* name) {
  return GetVariable<"cudaLibraryGetManaged">(dptr, bytes, library, name);
}

// There is no device code whose address could be taken.
cudaError_t cudaLibraryGetUnifiedFunction(void** fptr, cudaLibrary_t library,
                                          const char* symbol) {
  return OnLibrary<"cudaLibraryGetUnifiedFunction">(library, [&](Module&) {
    if (fptr == nullptr || symbol == nullptr) return Error::kInvalidValue;
    return Error::kNotFound;
  });
}
