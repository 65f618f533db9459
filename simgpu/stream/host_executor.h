// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_STREAM_HOST_EXECUTOR_H_
#define DLTAP_SIMGPU_STREAM_HOST_EXECUTOR_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>

namespace dltap::simgpu {

// One thread that runs host functions (cudaLaunchHostFunc, stream callbacks),
// what waits for other processes (collectives), and the memory effects of work
// that follows one of these in its stream. Nothing else runs there, so a
// program without them never starts the thread.
//
// A ticket stands for one job; 0 for none. A job runs when the job of the
// ticket `after` is over and, in real mode, SimNow() has reached ready_ns;
// among several in the order of ready_ns, then of tickets. Jobs that do not
// follow one another do not wait for each other.

uint64_t RunOnHost(int64_t ready_ns, std::function<void()> job,
                   uint64_t after = 0);

// A job that is asked again and again until it returns true. Others run
// meanwhile.
uint64_t PollOnHost(std::function<bool()> poll, uint64_t after = 0);

// A ticket that is over when both are.
uint64_t JoinHostWork(uint64_t first, uint64_t second);

// `ticket` becomes one that is over when both are.
void FollowHostWork(std::atomic<uint64_t>& ticket, uint64_t other);

bool HostWorkDone(uint64_t ticket);

// Blocks until HostWorkDone(). Returns at once on the executor's own thread: a
// host function that calls CUDA breaks its rules, but should not hang.
void WaitForHostWork(uint64_t ticket);

// The same for so long of real time. False: it was too short.
bool WaitForHostWork(uint64_t ticket, std::chrono::milliseconds limit);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_STREAM_HOST_EXECUTOR_H_
