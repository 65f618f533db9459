// SPDX-License-Identifier: Apache-2.0
// Modules and libraries: one kind of object serves as both.
#include "simgpu/launch/module.h"

#include "simgpu/driver/driver_body.h"

namespace dltap::simgpu {
namespace {

template <typename Vendor, typename Load>
Error LoadInto(Vendor* out, Load load) {
  if (out == nullptr) return Error::kInvalidValue;
  Module* module = nullptr;
  const Error error = load(&module);
  if (error != Error::kSuccess) return error;
  *out = ToHandle<Vendor>(module);
  return Error::kSuccess;
}

template <typename Body>
Error OnModule(const void* handle, Body body) {
  return With<Module>(handle, body, Error::kInvalidHandle);
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

namespace body {

Error ModuleLoad(CUmodule* module, const char* fname) {
  return LoadInto(module, [&](Module** m) { return LoadModuleFile(fname, m); });
}

Error ModuleLoadData(CUmodule* module, const void* image) {
  return LoadInto(module, [&](Module** m) { return LoadModule(image, m); });
}

Error ModuleLoadDataEx(CUmodule* module, const void* image, unsigned,
                       CUjit_option*, void**) {
  return LoadInto(module, [&](Module** m) { return LoadModule(image, m); });
}

Error ModuleLoadFatBinary(CUmodule* module, const void* fatCubin) {
  return LoadInto(module, [&](Module** m) { return LoadModule(fatCubin, m); });
}

Error ModuleUnload(CUmodule hmod) { return OnModule(hmod, UnloadModule); }

Error ModuleGetLoadingMode(CUmoduleLoadingMode* mode) {
  if (mode == nullptr) return Error::kInvalidValue;
  *mode = CU_MODULE_LAZY_LOADING;
  return Error::kSuccess;
}

Error ModuleGetFunction(CUfunction* hfunc, CUmodule hmod, const char* name) {
  return OnModule(
      hmod, [&](Module& module) { return GetFunction(module, name, hfunc); });
}

Error ModuleGetFunctionCount(unsigned* count, CUmodule mod) {
  return OnModule(mod,
                  [&](Module& module) { return CountKernels(module, count); });
}

Error ModuleEnumerateFunctions(CUfunction* functions, unsigned numFunctions,
                               CUmodule mod) {
  return OnModule(mod, [&](Module& module) {
    return Enumerate(module, functions, numFunctions);
  });
}

Error ModuleGetGlobal(CUdeviceptr* dptr, size_t* bytes, CUmodule hmod,
                      const char* name) {
  return OnModule(hmod, [&](Module& module) {
    return GetVariable(module, name, dptr, bytes);
  });
}

Error LibraryLoadData(CUlibrary* library, const void* code, CUjit_option*,
                      void**, unsigned, CUlibraryOption*, void**, unsigned) {
  return LoadInto(library, [&](Module** m) { return LoadModule(code, m); });
}

Error LibraryLoadFromFile(CUlibrary* library, const char* fileName,
                          CUjit_option*, void**, unsigned, CUlibraryOption*,
                          void**, unsigned) {
  return LoadInto(library,
                  [&](Module** m) { return LoadModuleFile(fileName, m); });
}

Error LibraryUnload(CUlibrary library) {
  return OnModule(library, UnloadModule);
}

Error LibraryGetKernel(CUkernel* pKernel, CUlibrary library, const char* name) {
  return OnModule(library, [&](Module& module) {
    return GetFunction(module, name, pKernel);
  });
}

Error LibraryGetKernelCount(unsigned* count, CUlibrary lib) {
  return OnModule(lib,
                  [&](Module& module) { return CountKernels(module, count); });
}

Error LibraryEnumerateKernels(CUkernel* kernels, unsigned numKernels,
                              CUlibrary lib) {
  return OnModule(lib, [&](Module& module) {
    return Enumerate(module, kernels, numKernels);
  });
}

Error LibraryGetModule(CUmodule* pMod, CUlibrary library) {
  return OnModule(library, [&](Module& module) {
    if (pMod == nullptr) return Error::kInvalidValue;
    *pMod = ToHandle<CUmodule>(&module);
    return Error::kSuccess;
  });
}

Error LibraryGetGlobal(CUdeviceptr* dptr, size_t* bytes, CUlibrary library,
                       const char* name) {
  return OnModule(library, [&](Module& module) {
    return GetVariable(module, name, dptr, bytes);
  });
}

// Managed variables are not told apart from others in an image.
Error LibraryGetManaged(CUdeviceptr* dptr, size_t* bytes, CUlibrary library,
                        const char* name) {
  return OnModule(library, [&](Module& module) {
    return GetVariable(module, name, dptr, bytes);
  });
}

// There is no device code whose address could be taken.
Error LibraryGetUnifiedFunction(void** fptr, CUlibrary library,
                                const char* symbol) {
  return OnModule(library, [&](Module&) {
    if (fptr == nullptr || symbol == nullptr) return Error::kInvalidValue;
    return Error::kNotFound;
  });
}

}  // namespace body
}  // namespace dltap::simgpu
