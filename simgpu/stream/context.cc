// SPDX-License-Identifier: Apache-2.0
#include "simgpu/stream/context.h"

#include "simgpu/base/activity.h"
#include "simgpu/stream/device_memory.h"

namespace dltap::simgpu {
namespace {

constinit std::atomic<uint32_t> g_last_context_id{0};

void TellCreated(Context* context) {
  if (!ActivityWanted(kResourceActivity)) return;
  GetActivitySink().OnResource({.event = ResourceEvent::kContextCreated,
                                .context = context,
                                .handle = context});
}

}  // namespace

void ActivatePrimary(Device& device) {
  if (device.primary_active.exchange(true)) return;
  TakeContextMemory(device);
  TellCreated(device.primary_context);
}

Context* NewContext(Device& device) {
  const uint32_t id = g_last_context_id.fetch_add(1) + 1;
  const bool primary = device.primary_context == nullptr;
  Context* made = HandlePool<Context>::New(&device, primary, id);
  if (!primary) TellCreated(made);  // that one exists when it is active
  return made;
}

}  // namespace dltap::simgpu
