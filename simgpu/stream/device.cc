// SPDX-License-Identifier: Apache-2.0
#include "simgpu/stream/device.h"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <string>
#include <vector>

#include "simgpu/base/activity.h"
#include "simgpu/base/config.h"
#include "simgpu/base/fork_guard.h"
#include "simgpu/base/teardown.h"
#include "simgpu/base/thread_state.h"
#include "simgpu/base/visible_devices.h"
#include "simgpu/stream/context.h"
#include "simgpu/stream/device_listener.h"
#include "simgpu/stream/injection.h"
#include "simgpu/stream/stream_state.h"

namespace dltap::simgpu {
namespace {

constinit std::atomic<bool> g_ready{false};

// Those that CUDA shows.
std::vector<Device*>& Devices() {
  static auto* const devices = new std::vector<Device*>;
  return *devices;
}

std::vector<Device*> MakeMachine() {
  const Config& config = GetConfig();
  std::vector<Device*> devices;
  if (config.gpu == nullptr) return devices;
  for (int number = 0; number < config.device_count; ++number) {
    devices.push_back(new Device(number, *config.gpu, config.memory_bytes));
  }
  return devices;
}

const std::vector<Device*>& DevicesOfMachine() {
  static const auto* const devices = new std::vector<Device*>(MakeMachine());
  return *devices;
}

void SayThatThisIsASimulation(const Config& config) {
  if (config.quiet || VisibleDevices().empty()) return;
  std::fprintf(stderr,
               "dltap: simulated %s x%d: no GPU is used, values are not "
               "computed\n",
               std::string(config.gpu->product).c_str(),
               static_cast<int>(VisibleDevices().size()));
}

void TellInitialized() {
  if (!ActivityWanted(kResourceActivity)) return;
  GetActivitySink().OnResource({.event = ResourceEvent::kDriverInitialized});
}

Error MakeDevices() {
  const Config& config = GetConfig();
  if (config.gpu == nullptr) return Error::kStubLibrary;
  SayThatThisIsASimulation(config);
  for (const int number : VisibleDevices()) {
    Device* device = DevicesOfMachine()[number];
    device->ordinal = static_cast<int>(Devices().size());
    device->primary_context = NewContext(*device);
    device->legacy_stream = MakeStream(*device, 0, 0);
    device->legacy_stream->legacy = true;
    kDeviceListener.made(*device);
    Devices().push_back(device);
  }
  if (Devices().empty()) return Error::kNoDevice;
  g_ready.store(true, std::memory_order_release);
  TellInitialized();
  return Error::kSuccess;
}

}  // namespace

Error InitializeDevices() {
  if (!g_ready.load(std::memory_order_acquire)) [[unlikely]] {
    static const Error made = MakeDevices();
    if (made != Error::kSuccess) return made;
    MarkInitialized();
    RegisterTeardown();
    LoadInjection();
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

int DeviceCountOfMachine() {
  return static_cast<int>(DevicesOfMachine().size());
}

Device* FindDeviceOfMachine(int number) {
  if (number < 0 || number >= DeviceCountOfMachine()) return nullptr;
  return DevicesOfMachine()[number];
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

int CurrentDevice() { return CurrentThread().device; }

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
