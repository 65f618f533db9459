// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_BASE_SCOPED_FAULTS_H_
#define DLTAP_SIMGPU_BASE_SCOPED_FAULTS_H_

#include <atomic>
#include <cstdint>
#include <vector>

#include "simgpu/base/scoped_fault_rules.h"

// The faults of DLTAP_SIM_FAULTS that a rank, a link and a time have.
namespace dltap::simgpu {

// Null: there are none, as until the first call into these libraries.
extern std::atomic<const std::vector<ScopedFault>*> g_scoped_faults;
inline bool HasScopedFaults() {
  return g_scoped_faults.load(std::memory_order_acquire) != nullptr;
}

// Kept for ever. At most once.
void SetScopedFaults(std::vector<ScopedFault> faults);

// How fast something is at a value of SimNow(); 1: as without faults. Several
// faults at once multiply.
double GpuSpeed(int device, int64_t at_ns);
double HostSpeed(int device, int64_t at_ns);
double LinkSpeed(int rank, int other_rank, int64_t at_ns);

// Where the rank is dead by now: ends the process, or never returns. A hanging
// rank hangs where it puts work on its GPU; who looks on (NCCL's watchdog in
// PyTorch) goes on.
void MeetDeath(int device, bool puts_work);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_BASE_SCOPED_FAULTS_H_
