// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_NCCL_SETUP_H_
#define DLTAP_SIMGPU_NCCL_SETUP_H_

#include <string>
#include <vector>

#include "simgpu/nccl/communicator.h"

namespace dltap::simgpu {

// Communicators are set up by all their ranks together. Each function makes one
// that knows its peers once Progress() has said so.

// Made by this process.
void Randomise(ncclUniqueId* id);

// Once the process that made `id` has ended, who is not in yet fails.
ncclComm* JoinClique(const ncclUniqueId& id, int ranks, int rank, int device,
                     const ncclConfig_t* config);

// ncclCommSplit: nullptr for NCCL_SPLIT_NOCOLOR; the rank takes part in the
// split all the same.
ncclComm* SplitOff(ncclComm& parent, int color, int key,
                   const ncclConfig_t* config);

// ncclCommShrink. REQUIRES: this rank is not excluded.
ncclComm* ShrinkFrom(ncclComm& parent, const std::vector<int>& excluded,
                     const ncclConfig_t* config);

// One step of the setup, without waiting. True: there is nothing left to do.
bool Progress(ncclComm& comm);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_NCCL_SETUP_H_
