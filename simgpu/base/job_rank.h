// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_BASE_JOB_RANK_H_
#define DLTAP_SIMGPU_BASE_JOB_RANK_H_

#include <cstdint>

// Which rank of its job a device of this process is, and when the job began.
namespace dltap::simgpu {

// The launcher's (shim/specs/launchers.h), where it started a process for each
// GPU; else what LearnRank() was told, else the device's own number.
int RankOf(int device);

// The device is `rank` of the `ranks` of a communicator that was made from an
// id. The first with more ranks than the launcher started processes counts.
void LearnRank(int device, int rank, int ranks);

// By SimNow(): where virtual time starts, else when the first of those ranks
// made its first call whose communicators this process is in.
int64_t JobStart();
void LearnJobStart(int64_t start_ns);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_BASE_JOB_RANK_H_
