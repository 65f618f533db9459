// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_STREAM_DEVICE_H_
#define DLTAP_SIMGPU_STREAM_DEVICE_H_

#include "simgpu/base/error.h"
#include "simgpu/stream/device_state.h"

namespace dltap::simgpu {

// Number of devices that CUDA shows; 0 while no simulation is wanted.
int DeviceCount();

// nullptr when the ordinal is out of range.
Device* FindDevice(int ordinal);

// The same of all devices, those too that CUDA_VISIBLE_DEVICES hides: as NVML
// counts. Does not initialize CUDA: a child that is forked then may.
int DeviceCountOfMachine();
Device* FindDeviceOfMachine(int number);

// REQUIRES: the simulation is enabled.
Device& CurrentDeviceState();

int CurrentDevice();

// The same device, its primary context made active and current where the thread
// has none, as every call of the runtime does.
Device& ActivatePrimaryContext();

// Prints the line which says that this is a simulation, once per process, and
// makes the devices. kStubLibrary without DLTAP_SIM_GPU, kNoDevice where
// CUDA_VISIBLE_DEVICES hides all, kNotInitialized in a child forked after
// initialisation.
Error InitializeDevices();

// True once InitializeDevices() has succeeded.
bool DevicesReady();

// The error of an injected fault; one that CUDA documents to corrupt the
// context (illegal address, launch failure, ...) becomes the current device's
// sticky error.
Error InjectedError(int code);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_STREAM_DEVICE_H_
