// SPDX-License-Identifier: Apache-2.0
#include "simgpu/cudart/driver_table.h"

#include <dlfcn.h>

namespace dltap::simgpu {
namespace {

// The per-thread variants came with CUDA 7.
constexpr int kPerThreadVersion = 7000;

void* Find(GetProcAddress get, const char* name, int version,
           cuuint64_t flags) {
  void* function = nullptr;
  if (flags == CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM &&
      version < kPerThreadVersion) {
    version = kPerThreadVersion;
  }
  auto status = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  get(name, &function, version, flags, &status);
  return function;
}

bool Fill(GetProcAddress get, cuuint64_t flags, DriverStreamTable* table) {
  bool complete = true;
#define SIMGPU_FIND(member, name, version, symbol)                          \
  table->member =                                                           \
      reinterpret_cast<decltype(&symbol)>(Find(get, name, version, flags)); \
  complete &= table->member != nullptr;
  SIMGPU_DRIVER_STREAM_FUNCTIONS(SIMGPU_FIND)
#undef SIMGPU_FIND
  return complete;
}

bool Fill(GetProcAddress get, DriverTable* table) {
  constexpr cuuint64_t flags = CU_GET_PROC_ADDRESS_LEGACY_STREAM;
  bool complete = true;
#define SIMGPU_FIND(member, name, version, symbol)                          \
  table->member =                                                           \
      reinterpret_cast<decltype(&symbol)>(Find(get, name, version, flags)); \
  complete &= table->member != nullptr;
  SIMGPU_DRIVER_FUNCTIONS(SIMGPU_FIND)
#undef SIMGPU_FIND
  complete &= Fill(get, flags, &table->legacy);
  return Fill(get, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM,
              &table->per_thread) &&
         complete;
}

}  // namespace

GetProcAddress FindGetProcAddress() {
  static const auto function = [] {
    void* driver = dlopen("libcuda.so.1", RTLD_NOW);
    return driver == nullptr ? nullptr
                             : reinterpret_cast<GetProcAddress>(
                                   dlsym(driver, "cuGetProcAddress_v2"));
  }();
  return function;
}

constinit std::atomic<const DriverTable*> g_driver_table{nullptr};

const DriverTable* LookUpDriverTable() {
  static const DriverTable* const found = []() -> const DriverTable* {
    static constinit DriverTable table{};
    const GetProcAddress get = FindGetProcAddress();
    return get != nullptr && Fill(get, &table) ? &table : nullptr;
  }();
  g_driver_table.store(found, std::memory_order_release);
  return found;
}

}  // namespace dltap::simgpu
