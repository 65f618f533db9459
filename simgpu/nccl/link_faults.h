// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_NCCL_LINK_FAULTS_H_
#define DLTAP_SIMGPU_NCCL_LINK_FAULTS_H_

#include <cstdint>
#include <vector>

#include "simgpu/nccl/operation.h"

namespace dltap::simgpu {

// At what share of its bandwidth a call uses the links of its communicator then
// (base/scoped_faults.h). A ring is as fast as its slowest link, from each rank
// to the next; sends, receives and what is made of them use the link from this
// rank to each other one.
double SpeedOfLinks(const Operation& operation, int64_t at_ns);

// How much longer a batch takes then than over sound links; below 0: shorter.
int64_t LinkDelayNs(const std::vector<Operation>& batch, int64_t at_ns);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_NCCL_LINK_FAULTS_H_
