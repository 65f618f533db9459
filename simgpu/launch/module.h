// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_LAUNCH_MODULE_H_
#define DLTAP_SIMGPU_LAUNCH_MODULE_H_

#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "simgpu/base/error.h"
#include "simgpu/base/handle.h"
#include "simgpu/launch/kernel.h"

namespace dltap::simgpu {

struct ModuleVariable {
  void* address;
  size_t bytes;
};

// A CUmodule, and a CUlibrary: what was loaded at run time. The code in it is
// never run, only its names are read (image.h). Where an image hides its names
// (a fat binary's are compressed), any name is taken to exist.
struct Module : Handle {
  static constexpr uint32_t kTag = 0x4d4f4455;  // "MODU"
  explicit Module(uint32_t module_id) : Handle(kTag), id(module_id) {}

  const uint32_t id;  // CUPTI's

  bool complete = false;  // no other names exist
  std::mutex mutex;
  std::map<std::string, Kernel*> kernels;
  std::map<std::string, ModuleVariable> variables;
};

// `image` is a cubin, a fat binary or PTX text. kInvalidImage: neither.
Error LoadModule(const void* image, Module** module);
Error LoadModuleFile(const char* path, Module** module);
Error UnloadModule(Module& module);

// null: no kernel of this name. kNotFound: no such variable.
Kernel* FindInModule(Module& module, const char* name);
Error FindModuleVariable(Module& module, const char* name, ModuleVariable* out);

std::vector<Kernel*> KernelsOf(Module& module);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_LAUNCH_MODULE_H_
