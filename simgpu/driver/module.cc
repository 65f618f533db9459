// SPDX-License-Identifier: Apache-2.0
// Modules and libraries: one kind of object serves as both.
#include "simgpu/launch/module.h"

#include "simgpu/driver/driver_call.h"

namespace dltap::simgpu {
namespace {

Module* ToModule(const void* handle) { return FromHandle<Module>(handle); }

template <ApiName kName, typename Vendor, typename Load>
CUresult LoadInto(Vendor* out, DriverNeeds needs, Load load) {
  return Driver<kName>(needs, [&] {
    if (out == nullptr) return Error::kInvalidValue;
    Module* module = nullptr;
    const Error error = load(&module);
    if (error != Error::kSuccess) return error;
    *out = ToHandle<Vendor>(module);
    return Error::kSuccess;
  });
}

template <ApiName kName, typename Body>
CUresult OnModule(const void* handle, Body body) {
  return Driver<kName>(DriverNeeds::kInit, [&] {
    Module* module = ToModule(handle);
    return module == nullptr ? Error::kInvalidHandle : body(*module);
  });
}

template <typename Vendor>
Error GetFunction(Module& module, const char* name, Vendor* out) {
  if (name == nullptr || out == nullptr) return Error::kInvalidValue;
  Kernel* kernel = FindInModule(module, name);
  if (kernel == nullptr) return Error::kNotFound;
  *out = ToHandle<Vendor>(kernel);
  return Error::kSuccess;
}

template <typename Vendor>
Error Enumerate(Module& module, Vendor* out, unsigned count) {
  if (out == nullptr) return Error::kInvalidValue;
  const std::vector<Kernel*> kernels = KernelsOf(module);
  for (size_t i = 0; i < count && i < kernels.size(); ++i) {
    out[i] = ToHandle<Vendor>(kernels[i]);
  }
  return Error::kSuccess;
}

Error CountKernels(Module& module, unsigned* count) {
  if (count == nullptr) return Error::kInvalidValue;
  *count = static_cast<unsigned>(KernelsOf(module).size());
  return Error::kSuccess;
}

Error GetVariable(Module& module, const char* name, CUdeviceptr* address,
                  size_t* bytes) {
  if (name == nullptr) return Error::kInvalidValue;
  ModuleVariable variable{};
  const Error error = FindModuleVariable(module, name, &variable);
  if (error != Error::kSuccess) return error;
  if (address != nullptr) *address = ToAddress(variable.address);
  if (bytes != nullptr) *bytes = variable.bytes;
  return Error::kSuccess;
}

}  // namespace
}  // namespace dltap::simgpu

using namespace dltap::simgpu;  // NOLINT: defines the vendor's functions only

CUresult cuModuleLoad(CUmodule* module, const char* fname) {
  return LoadInto<"cuModuleLoad">(
      module, DriverNeeds::kContext,
      [&](Module** m) { return LoadModuleFile(fname, m); });
}

CUresult cuModuleLoadData(CUmodule* module, const void* image) {
  return LoadInto<"cuModuleLoadData">(
      module, DriverNeeds::kContext,
      [&](Module** m) { return LoadModule(image, m); });
}

CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned int,
                            CUjit_option*, void**) {
  return LoadInto<"cuModuleLoadDataEx">(
      module, DriverNeeds::kContext,
      [&](Module** m) { return LoadModule(image, m); });
}

CUresult cuModuleLoadFatBinary(CUmodule* module, const void* fatCubin) {
  return LoadInto<"cuModuleLoadFatBinary">(
      module, DriverNeeds::kContext,
      [&](Module** m) { return LoadModule(fatCubin, m); });
}

CUresult cuModuleUnload(CUmodule hmod) {
  return OnModule<"cuModuleUnload">(hmod, UnloadModule);
}

CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode* mode) {
  return Driver<"cuModuleGetLoadingMode">(DriverNeeds::kInit, [&] {
    if (mode == nullptr) return Error::kInvalidValue;
    *mode = CU_MODULE_LAZY_LOADING;
    return Error::kSuccess;
  });
}

CUresult cuModuleGetFunction(CUfunction* hfunc, CUmodule hmod,
                             const char* name) {
  return OnModule<"cuModuleGetFunction">(
      hmod, [&](Module& module) { return GetFunction(module, name, hfunc); });
}

CUresult cuModuleGetFunctionCount(unsigned int* count, CUmodule mod) {
  return OnModule<"cuModuleGetFunctionCount">(
      mod, [&](Module& module) { return CountKernels(module, count); });
}

CUresult cuModuleEnumerateFunctions(CUfunction* functions,
                                    unsigned int numFunctions, CUmodule mod) {
  return OnModule<"cuModuleEnumerateFunctions">(mod, [&](Module& module) {
    return Enumerate(module, functions, numFunctions);
  });
}

CUresult cuModuleGetGlobal_v2(CUdeviceptr* dptr, size_t* bytes, CUmodule hmod,
                              const char* name) {
  return OnModule<"cuModuleGetGlobal_v2">(hmod, [&](Module& module) {
    return GetVariable(module, name, dptr, bytes);
  });
}

CUresult cuLibraryLoadData(CUlibrary* library, const void* code, CUjit_option*,
                           void**, unsigned int, CUlibraryOption*, void**,
                           unsigned int) {
  return LoadInto<"cuLibraryLoadData">(
      library, DriverNeeds::kInit,
      [&](Module** m) { return LoadModule(code, m); });
}

CUresult cuLibraryLoadFromFile(CUlibrary* library, const char* fileName,
                               CUjit_option*, void**, unsigned int,
                               CUlibraryOption*, void**, unsigned int) {
  return LoadInto<"cuLibraryLoadFromFile">(
      library, DriverNeeds::kInit,
      [&](Module** m) { return LoadModuleFile(fileName, m); });
}

CUresult cuLibraryUnload(CUlibrary library) {
  return OnModule<"cuLibraryUnload">(library, UnloadModule);
}

CUresult cuLibraryGetKernel(CUkernel* pKernel, CUlibrary library,
                            const char* name) {
  return OnModule<"cuLibraryGetKernel">(library, [&](Module& module) {
    return GetFunction(module, name, pKernel);
  });
}

CUresult cuLibraryGetKernelCount(unsigned int* count, CUlibrary lib) {
  return OnModule<"cuLibraryGetKernelCount">(
      lib, [&](Module& module) { return CountKernels(module, count); });
}

CUresult cuLibraryEnumerateKernels(CUkernel* kernels, unsigned int numKernels,
                                   CUlibrary lib) {
  return OnModule<"cuLibraryEnumerateKernels">(lib, [&](Module& module) {
    return Enumerate(module, kernels, numKernels);
  });
}

CUresult cuLibraryGetModule(CUmodule* pMod, CUlibrary library) {
  return OnModule<"cuLibraryGetModule">(library, [&](Module& module) {
    if (pMod == nullptr) return Error::kInvalidValue;
    *pMod = ToHandle<CUmodule>(&module);
    return Error::kSuccess;
  });
}

CUresult cuLibraryGetGlobal(CUdeviceptr* dptr, size_t* bytes, CUlibrary library,
                            const char* name) {
  return OnModule<"cuLibraryGetGlobal">(library, [&](Module& module) {
    return GetVariable(module, name, dptr, bytes);
  });
}

// Managed variables are not told apart from others in an image.
CUresult cuLibraryGetManaged(CUdeviceptr* dptr, size_t* bytes,
                             CUlibrary library, const char* name) {
  return OnModule<"cuLibraryGetManaged">(library, [&](Module& module) {
    return GetVariable(module, name, dptr, bytes);
  });
}

// There is no device code whose address could be taken.
CUresult cuLibraryGetUnifiedFunction(void** fptr, CUlibrary library,
                                     const char* symbol) {
  return OnModule<"cuLibraryGetUnifiedFunction">(library, [&](Module&) {
    if (fptr == nullptr || symbol == nullptr) return Error::kInvalidValue;
    return Error::kNotFound;
  });
}
