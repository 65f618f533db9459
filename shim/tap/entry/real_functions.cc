// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/entry/real_functions.h"

#include "shim/tap/entry/loaded_objects.h"
#include "shim/tap/runtime/log.h"
#include "shim/tap/runtime/losses.h"
#include "tap_tables.h"

namespace dltap::shim {

constinit std::atomic<void*> g_real[specs::kCounterCount];

// The library that the caller was linked to; else any library of the vendor's;
// else any object that defines the name: a renamed library, or a framework that
// exports lazy stubs under the vendor's names. A stub is called but not kept:
// it loads the vendor's library, which the next call then finds.
void* ResolveReal(int counter_index, const void* caller) {
  const specs::EntryPoint entry = specs::OfCounter(counter_index);
  const char* symbol = specs::SymbolOf(entry);
  const char* prefix = specs::SonamePrefix(specs::LibraryOf(entry));
  void* real = FindVendorFunction(prefix, symbol, caller);
  if (real != nullptr) {
    g_real[counter_index].store(real, std::memory_order_relaxed);
    return real;
  }
  real = FindAnyFunction(symbol);
  if (real == nullptr) {
    Log(LogLevel::kWarning, "%s was called, but no loaded library defines it",
        symbol);
  }
  return real;
}

void* FindReal(const char* symbol) {
  const int index = specs::FindWrapped(symbol);
  if (index >= 0) {
    const auto entry = static_cast<specs::EntryPoint>(index);
    const char* prefix = specs::SonamePrefix(specs::LibraryOf(entry));
    void* real = FindVendorFunction(prefix, symbol, nullptr);
    if (real != nullptr) return real;
  }
  return FindAnyFunction(symbol);
}

bool AdoptReal(int counter_index, void* real) {
  void* known = nullptr;
  if (g_real[counter_index].compare_exchange_strong(
          known, real, std::memory_order_relaxed) ||
      known == real) {
    return true;
  }
  CountLoss(trace::LossKind::kUnwrappedRoute);
  return false;
}

}  // namespace dltap::shim
