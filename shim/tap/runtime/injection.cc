// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/runtime/injection.h"

#include <atomic>

namespace dltap::shim {
namespace {

constinit std::atomic<Injection> g_injection{Injection::kNone};

}  // namespace

Injection InjectionKind() {
  return g_injection.load(std::memory_order_acquire);
}

void NoteInjection(Injection injection) {
  g_injection.store(injection, std::memory_order_release);
}

}  // namespace dltap::shim
