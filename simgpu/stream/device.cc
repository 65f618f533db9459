// SPDX-License-Identifier: Apache-2.0
#include "simgpu/stream/device.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <iterator>

#include "simgpu/base/activity.h"
#include "simgpu/base/architecture.h"
#include "simgpu/base/clock.h"
#include "simgpu/base/config.h"
#include "simgpu/base/fork_guard.h"
#include "simgpu/base/thread_state.h"
#include "simgpu/launch/library_call.h"
#include "simgpu/memory/context_memory.h"
#include "simgpu/memory/memory_pool.h"
#include "simgpu/stream/sm_sharing.h"
#include "simgpu/stream/stream.h"

namespace dltap::simgpu {
namespace {

constexpr char kUuidPrefix[] = "dltapsim";

constinit std::atomic<uint32_t> g_last_context_id{0};
constinit std::atomic<bool> g_ready{false};

std::vector<Device*>& Devices() {
  static auto* const devices = new std::vector<Device*>;
  return *devices;
}

void SayThatThisIsASimulation(const Config& config) {
  if (config.quiet) return;
  std::fprintf(stderr,
               "simgpu: simulated %s x%d: no GPU is used, values are not "
               "computed\n",
               std::string(config.gpu->product).c_str(), config.device_count);
}

void TellInitialized() {
  if (!ActivityWanted(kResourceActivity)) return;
  GetActivitySink().OnResource({.event = ResourceEvent::kDriverInitialized,
                                .context = nullptr,
                                .handle = nullptr,
                                .original_graph = nullptr,
                                .node = nullptr,
                                .original_node = nullptr,
                                .node_type = 0});
}

bool MakeDevices() {
  const Config& config = GetConfig();
  if (config.gpu == nullptr) return false;
  SayThatThisIsASimulation(config);
  for (int i = 0; i < config.device_count; ++i) {
    auto* device = new Device(i, *config.gpu, config.memory_bytes);
    device->primary_context = NewContext(*device);
    device->legacy_stream = NewLegacyStream(*device);
    device->default_pool = NewMemoryPool({.device = device});
    device->current_pool = device->default_pool;
    Devices().push_back(device);
  }
  g_ready.store(true, std::memory_order_release);
  TellInitialized();
  return true;
}

void TellCreated(Context* context) {
  if (!ActivityWanted(kResourceActivity)) return;
  GetActivitySink().OnResource({.event = ResourceEvent::kContextCreated,
                                .context = context,
                                .handle = context,
                                .original_graph = nullptr,
                                .node = nullptr,
                                .original_node = nullptr,
                                .node_type = 0});
}

}  // namespace

Device::Device(int device_ordinal, const opmodel::GpuSpec& spec, uint64_t bytes)
    : ordinal(device_ordinal),
      gpu(spec),
      architecture(ArchitectureOf(spec)),
      memory_bytes(bytes),
      uuid{},
      sm_sharing(new SmSharing(architecture.max_resident_grids)) {
  std::memcpy(uuid.data(), kUuidPrefix, sizeof(kUuidPrefix) - 1);
  uuid[8] = static_cast<uint8_t>(spec.compute_major);
  uuid[9] = static_cast<uint8_t>(spec.compute_minor);
  uuid[15] = static_cast<uint8_t>(device_ordinal + 1);
}

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

Error InitializeDevices() {
  if (!g_ready.load(std::memory_order_acquire)) [[unlikely]] {
    static const bool made = MakeDevices();
    if (!made) return Error::kStubLibrary;
    MarkInitialized();
  }
  return IsOrphan() ? Error::kNotInitialized : Error::kSuccess;
}

bool DevicesReady() { return g_ready.load(std::memory_order_acquire); }

int DeviceCount() {
  return InitializeDevices() == Error::kSuccess
             ? static_cast<int>(Devices().size())
             : 0;
}

Device* FindDevice(int ordinal) {
  if (ordinal < 0 || ordinal >= DeviceCount()) return nullptr;
  return Devices()[ordinal];
}

Device& CurrentDeviceState() { return *Devices()[CurrentThread().device]; }

Error InjectedError(int code) {
  constexpr int kSticky[] = {214, 220, 226, 700, 702, 709, 710,
                             714, 715, 716, 717, 718, 719};
  if (std::find(std::begin(kSticky), std::end(kSticky), code) !=
      std::end(kSticky)) {
    CurrentDeviceState().sticky_error.store(code);
  }
  return static_cast<Error>(code);
}

Error ArmedError(Device& device) {
  if (SimNow() < device.failure_ns.load(std::memory_order_relaxed)) {
    return Error::kSuccess;
  }
  int armed = Device::kArmed;
  device.sticky_error.compare_exchange_strong(armed, device.failure_code);
  return static_cast<Error>(device.sticky_error.load());
}

void FailAt(Device& device, int code, int64_t end_ns) {
  int none = 0;
  device.failure_code = code;
  device.failure_ns = end_ns;
  device.sticky_error.compare_exchange_strong(none, Device::kArmed);
}

int CurrentDevice() { return CurrentThread().device; }

uint32_t ContextIdOf(void* context) {
  const auto* found = FromHandle<Context>(context);
  return found == nullptr ? 0 : found->id;
}

uint32_t DeviceIdOfContext(void* context) {
  const auto* found = FromHandle<Context>(context);
  return found == nullptr ? 0 : found->device->ordinal;
}

Device& ActivatePrimaryContext() {
  Device& device = CurrentDeviceState();
  if (!device.primary_active.load(std::memory_order_relaxed)) {
    ActivatePrimary(device);
  }
  ThreadState& thread = CurrentThread();
  if (thread.contexts.empty()) [[unlikely]] {
    thread.contexts.push_back(device.primary_context);
  }
  return device;
}

}  // namespace dltap::simgpu
