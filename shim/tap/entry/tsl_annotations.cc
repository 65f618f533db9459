// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/entry/tsl_annotations.h"

#include <cstring>

#include "shim/tap/entry/loaded_objects.h"

namespace dltap::shim::nvtx {
namespace {

// tsl::profiler::AnnotationStack::Enable(bool)
constexpr char kSwitch[] = "_ZN3tsl8profiler15AnnotationStack6EnableEb";

}  // namespace

void TurnOnAnnotations(const char* name, const void* caller) {
  if (name == nullptr || strcmp(name, "TSL") != 0) return;
  void* enable = nullptr;
  WithLoadedObjects([&](const LoadedObjects& objects) {
    const int object = objects.Containing(caller);
    if (object == LoadedObjects::kNone) return;
    enable = objects[object].Elf().FindFunction(kSwitch);
  });
  if (enable != nullptr) reinterpret_cast<void (*)(bool)>(enable)(true);
}

}  // namespace dltap::shim::nvtx
