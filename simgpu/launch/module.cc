// SPDX-License-Identifier: Apache-2.0
#include "simgpu/launch/module.h"

#include <atomic>
#include <cstdio>

#include "simgpu/base/activity.h"
#include "simgpu/base/clock.h"
#include "simgpu/bytes/mapped_pages.h"
#include "simgpu/launch/image.h"
#include "simgpu/launch/library_call.h"
#include "simgpu/memory/memory.h"
#include "simgpu/stream/device.h"

namespace dltap::simgpu {
namespace {

// A variable whose size the image does not tell.
constexpr size_t kUnknownVariableBytes = 64 * 1024;

// REQUIRES: module.mutex.
Kernel* AddKernel(Module& module, const std::string& name) {
  auto* kernel = HandlePool<Kernel>::New(InternName(name.c_str()), &module);
  module.kernels.emplace(name, kernel);
  return kernel;
}

constinit std::atomic<uint32_t> g_last_module_id{0};

void TellModule(ResourceEvent event, Module& module, const ModuleFacts& facts) {
  GetActivitySink().OnResource({.event = event,
                                .context = CurrentDeviceState().primary_context,
                                .handle = &module,
                                .module = &facts});
}

void TellLoaded(Module& module, const ImageContents& contents,
                const void* image, int64_t begin_ns) {
  ModuleFacts facts{.id = module.id,
                    .image = image,
                    .image_bytes = contents.bytes,
                    .compiled = contents.compiled,
                    .begin_ns = begin_ns,
                    .end_ns = SimNow()};
  for (const auto& [name, kernel] : module.kernels) {
    facts.kernels.push_back(kernel->name);
  }
  TellModule(ResourceEvent::kModuleLoaded, module, facts);
}

Module* MakeModule(const ImageContents& contents) {
  auto* module = HandlePool<Module>::New(g_last_module_id.fetch_add(1) + 1);
  module->complete = contents.complete;
  for (const ImageKernel& kernel : contents.kernels) {
    Kernel& made = *AddKernel(*module, kernel.name);
    made.static_shared_bytes = kernel.static_shared_bytes;
    made.parameters_known = kernel.parameters_known;
    made.parameters = kernel.parameters;
  }
  for (const ImageVariable& variable : contents.variables) {
    module->variables[variable.name] = {nullptr, variable.bytes};
  }
  return module;
}

Error LoadBytes(const void* image, size_t limit, Module** module) {
  const int64_t begin_ns = ActivityWanted(kResourceActivity) ? SimNow() : 0;
  const auto contents = ReadImage(image, limit);
  if (!contents) return Error::kInvalidImage;
  *module = MakeModule(*contents);
  if (ActivityWanted(kResourceActivity)) {
    TellLoaded(**module, *contents, image, begin_ns);
  }
  return Error::kSuccess;
}

bool ReadFile(const char* path, std::string* bytes) {
  std::FILE* file = std::fopen(path, "rb");
  if (file == nullptr) return false;
  char block[1 << 16];
  size_t count = 0;
  while ((count = std::fread(block, 1, sizeof(block), file)) > 0) {
    bytes->append(block, count);
  }
  std::fclose(file);
  return true;
}

}  // namespace

Error LoadModule(const void* image, Module** module) {
  if (image == nullptr || module == nullptr) return Error::kInvalidValue;
  return LoadBytes(image, SIZE_MAX / 2, module);
}

Error LoadModuleFile(const char* path, Module** module) {
  if (path == nullptr || module == nullptr) return Error::kInvalidValue;
  std::string bytes;
  if (!ReadFile(path, &bytes)) return Error::kFileNotFound;
  return LoadBytes(bytes.c_str(), bytes.size() + 1, module);
}

Error UnloadModule(Module& module) {
  if (ActivityWanted(kResourceActivity)) {
    TellModule(ResourceEvent::kModuleUnloaded, module, {.id = module.id});
  }
  for (const auto& [name, kernel] : module.kernels) {
    HandlePool<Kernel>::Delete(kernel);
  }
  for (const auto& [name, variable] : module.variables) {
    if (variable.address == nullptr) continue;
    RemoveAllocation(variable.address);
    UnmapPages(variable.address, variable.bytes);
  }
  HandlePool<Module>::Delete(&module);
  return Error::kSuccess;
}

Kernel* FindInModule(Module& module, const char* name) {
  const std::lock_guard lock(module.mutex);
  const auto found = module.kernels.find(name);
  if (found != module.kernels.end()) return found->second;
  return module.complete ? nullptr : AddKernel(module, name);
}

Error FindModuleVariable(Module& module, const char* name,
                         ModuleVariable* out) {
  const std::lock_guard lock(module.mutex);
  if (module.complete && !module.variables.contains(name)) {
    return Error::kNotFound;
  }
  auto [at, is_new] = module.variables.try_emplace(
      name, ModuleVariable{nullptr, kUnknownVariableBytes});
  ModuleVariable& variable = at->second;
  if (variable.bytes == 0) variable.bytes = kUnknownVariableBytes;
  if (variable.address == nullptr) {
    variable.address = MapPages(variable.bytes);
    if (variable.address == nullptr) return Error::kOutOfMemory;
    AddAllocation({.base = reinterpret_cast<uintptr_t>(variable.address),
                   .bytes = variable.bytes,
                   .kind = MemoryKind::kDevice,
                   .owner = MemoryOwner::kModule,
                   .device = CurrentDevice()});
  }
  *out = variable;
  return Error::kSuccess;
}

std::vector<Kernel*> KernelsOf(Module& module) {
  const std::lock_guard lock(module.mutex);
  std::vector<Kernel*> kernels;
  for (const auto& [name, kernel] : module.kernels) kernels.push_back(kernel);
  return kernels;
}

}  // namespace dltap::simgpu
