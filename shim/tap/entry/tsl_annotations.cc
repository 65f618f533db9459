// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/entry/tsl_annotations.h"

#include <cstring>

#include "shim/tap/entry/loaded_objects.h"
#include "shim/tap/runtime/own_cost.h"
#include "shim/tap/runtime/process_page.h"
#include "shim/tap/runtime/session_state.h"

namespace dltap::shim::nvtx {
namespace {

// tsl::profiler::AnnotationStack::Enable(bool)
constexpr char kSwitch[] = "_ZN3tsl8profiler15AnnotationStack6EnableEb";

// Names are for kernels: without a session, or without kernels, nobody reads
// them, and the program would pay all the same.
bool AreWanted() {
  const uint32_t word = g_process.word.load(std::memory_order_acquire);
  if (word != kPaused && word < kFirstSession) return false;
  return SessionConfig().tensorflow_names &&
         SessionConfig().level == Level::kKernels && !HasSteppedDown();
}

}  // namespace

bool TurnOnAnnotations(const char* name, const void* caller) {
  if (name == nullptr || strcmp(name, "TSL") != 0 || !AreWanted()) return false;
  void* enable = nullptr;
  WithLoadedObjects([&](const LoadedObjects& objects) {
    const int object = objects.Containing(caller);
    if (object == LoadedObjects::kNone) return;
    enable = objects[object].Elf().FindFunction(kSwitch);
  });
  if (enable == nullptr) return false;
  reinterpret_cast<void (*)(bool)>(enable)(true);
  return true;
}

}  // namespace dltap::shim::nvtx
