// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_SIMGPU_DEVICE_HOST_EXECUTOR_H_
#define DLTAP_SHIM_SIMGPU_DEVICE_HOST_EXECUTOR_H_

#include <cstdint>
#include <functional>

namespace dltap::simgpu {

// One thread that runs host functions (cudaLaunchHostFunc, stream callbacks)
// and the memory effects of work that follows one in its stream, in the order
// of their device times. Nothing else runs there, so a program without host
// functions never starts the thread.
//
// A ticket stands for one job. Real mode: the job runs once SimNow() has
// reached ready_ns. Otherwise it runs at once: nobody may be waiting.

uint64_t RunOnHost(int64_t ready_ns, std::function<void()> job);

// True when the job of this ticket and all before it are over; 0 always is.
bool HostWorkDone(uint64_t ticket);

// Blocks until HostWorkDone(). Returns at once on the executor's own thread: a
// host function that calls CUDA breaks its rules, but should not hang.
void WaitForHostWork(uint64_t ticket);

}  // namespace dltap::simgpu

#endif  // DLTAP_SHIM_SIMGPU_DEVICE_HOST_EXECUTOR_H_
