// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/entry/address_hooks.h"

#include <cerrno>
#include <cstring>

#include "shim/tap/entry/loaded_objects.h"
#include "shim/tap/entry/real_functions.h"
#include "shim/tap/runtime/losses.h"
#include "tap_tables.h"

namespace dltap::shim::hooks {
namespace {

// A name stands for several versions of a function, which have arguments of
// their own: cuMemAlloc for cuMemAlloc_v2, for a stream per thread _ptsz.
constexpr const char* kVersions[] = {
    "",      "_v2",   "_v3",      "_v4",      "WithFlags",
    "_ptsz", "_ptds", "_v2_ptsz", "_v2_ptds", "_v3_ptsz"};

struct Version {
  int index = -1;           // of the wrapper that leads to the address
  bool is_wrapped = false;  // one of the versions is
};

// The driver's function at `address`, by one of the names that `name` may stand
// for there.
Version VersionAt(const char* name, const void* address) {
  constexpr size_t kMaxName = 128;
  Version version;
  const size_t length = strnlen(name, kMaxName);
  if (length == kMaxName) return version;
  char symbol[kMaxName + 16];
  memcpy(symbol, name, length);
  WithLoadedObjects([&](const LoadedObjects& objects) {
    const int driver = objects.Containing(address);
    if (driver == LoadedObjects::kNone) return;
    const ElfObject elf = objects[driver].Elf();
    for (const char* suffix : kVersions) {
      strcpy(symbol + length, suffix);
      const int index = specs::FindWrapped(symbol);
      if (index < 0) continue;
      const auto entry = static_cast<specs::EntryPoint>(index);
      if (specs::LibraryOf(entry) != specs::Library::kCuda) continue;
      version.is_wrapped = true;
      if (elf.FindFunction(symbol) != address) continue;
      version.index = index;
      return;
    }
  });
  return version;
}

}  // namespace

void DriverAddress::After(int32_t status, const void* name,
                          void* function_out) {
  if (status != 0 || name == nullptr || function_out == nullptr) return;
  void*& function = *static_cast<void**>(function_out);
  if (function == nullptr) return;
  const int saved_errno = errno;
  const Version version = VersionAt(static_cast<const char*>(name), function);
  const auto entry = static_cast<specs::EntryPoint>(version.index);
  if (version.index < 0) {
    if (version.is_wrapped) CountLoss(trace::LossKind::kUnwrappedRoute);
  } else if (AdoptReal(specs::CounterOf(entry), function, nullptr)) {
    function = specs::WrapperAddress(entry);
  }
  errno = saved_errno;
}

}  // namespace dltap::shim::hooks
