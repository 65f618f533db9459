// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_NCCL_GROUP_H_
#define DLTAP_SIMGPU_NCCL_GROUP_H_

#include "simgpu/nccl/operation.h"

namespace dltap::simgpu {

// ncclGroupStart / End of this thread: what is called between them is queued
// and starts together at the outermost end.
void BeginGroup();
ncclResult_t EndGroup();
bool InGroup();

// Queues the operation, or starts it when no group is open.
ncclResult_t Enqueue(const Operation& operation);

// REQUIRES: InGroup(). The communicator is set up at the end of the group.
void QueueSetup(ncclComm* comm);

// Waits until it is set up, unless it is not a blocking one. In a group, what
// is returned stands for the time after ncclGroupEnd().
ncclResult_t FinishSetup(ncclComm* comm);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_NCCL_GROUP_H_
