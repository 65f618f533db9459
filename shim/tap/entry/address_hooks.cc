// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/entry/address_hooks.h"

#include <cerrno>

#include "shim/tap/entry/real_functions.h"
#include "tap_tables.h"

namespace dltap::shim::hooks {

void DriverAddress::After(int32_t status, const void* name,
                          void* function_out) {
  if (status != 0 || name == nullptr || function_out == nullptr) return;
  void*& function = *static_cast<void**>(function_out);
  const auto* symbol = static_cast<const char*>(name);
  const int index = specs::FindWrapped(symbol);
  if (index < 0 || function == nullptr) return;
  const auto entry = static_cast<specs::EntryPoint>(index);
  if (specs::LibraryOf(entry) != specs::Library::kCuda) return;
  const int saved_errno = errno;
  // A name stands for several versions of a function; only the one that is
  // exported by this very name has the wrapper's arguments.
  const bool is_same = FindReal(symbol) == function;
  if (is_same && AdoptReal(specs::CounterOf(entry), function)) {
    function = specs::WrapperAddress(entry);
  }
  errno = saved_errno;
}

}  // namespace dltap::shim::hooks
