// SPDX-License-Identifier: Apache-2.0
// libcudnn.so.9, a front as the vendor's: at its first call a function opens
// the sub-library that has it and looks itself up there by name. It links no
// other library; nothing here is state of a simulated device.
#include <dlfcn.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstring>

namespace {

struct Forward {
  const char* symbol;
  const char* soname;  // of the sub-library
  bool gives_status;
};

constexpr Forward kForwards[] = {
#define DLTAP_FORWARD(index, symbol, part, gives_status) \
  {#symbol, "libcudnn_" #part ".so.9", gives_status},
#include "simgpu_forward_cudnn.inc"
#undef DLTAP_FORWARD
};

constexpr int kSubLibraryLoadingFailed = 1008;  // cudnnStatus_t

int FailWithStatus() { return kSubLibraryLoadingFailed; }
void* FailWithNothing() { return nullptr; }

// From the folder that this library lies in, else by name.
void* OpenSubLibrary(const char* soname) {
  Dl_info self;
  char path[4096];
  if (dladdr(reinterpret_cast<const void*>(&OpenSubLibrary), &self) != 0) {
    const char* slash = std::strrchr(self.dli_fname, '/');
    const int folder =
        slash == nullptr ? 0 : static_cast<int>(slash - self.dli_fname) + 1;
    const int length = std::snprintf(path, sizeof(path), "%.*s%s", folder,
                                     self.dli_fname, soname);
    if (length > 0 && static_cast<size_t>(length) < sizeof(path)) {
      if (void* library = dlopen(path, RTLD_NOW)) return library;
    }
  }
  return dlopen(soname, RTLD_NOW);
}

void* Find(const Forward& forward) {
  void* library = OpenSubLibrary(forward.soname);
  void* found = library != nullptr ? dlsym(library, forward.symbol) : nullptr;
  if (found != nullptr) return found;
  const char* reason = dlerror();
  std::fprintf(stderr, "dltap: simgpu: cuDNN finds no %s: %s\n", forward.symbol,
               reason != nullptr ? reason : "unknown reason");
  return forward.gives_status ? reinterpret_cast<void*>(&FailWithStatus)
                              : reinterpret_cast<void*>(&FailWithNothing);
}

}  // namespace

// Used by forward_x86_64.S.
extern "C" {
extern std::atomic<void*> dltap_forward_slots[];
[[gnu::visibility("hidden")]] void* dltap_forward_resolve(uint32_t index);
}

// Several threads may be here for one function: they find the same address.
void* dltap_forward_resolve(uint32_t index) {
  void* found = Find(kForwards[index]);
  dltap_forward_slots[index].store(found, std::memory_order_release);
  return found;
}
