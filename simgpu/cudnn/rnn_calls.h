// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_CUDNN_RNN_CALLS_H_
#define DLTAP_SIMGPU_CUDNN_RNN_CALLS_H_

#include <vector>

#include "opmodel/operation.h"
#include "simgpu/cudnn/objects.h"
#include "simgpu/launch/library_call.h"

namespace dltap::simgpu {

// Bytes that a call of an RNN works in, and keeps for the way back.
struct RnnSpace {
  size_t work;
  size_t reserve;
};
RnnSpace SpaceOf(const cudnnRNNStruct& rnn, const cudnnRNNDataStruct& x);

// A call that runs an RNN over a batch of sequences. `written`: what the call
// has pointers to non-constant memory for.
cudnnStatus_t RunRnn(ApiFunction& function, opmodel::OpKind kind,
                     cudnnHandle_t handle, const cudnnRNNStruct* rnn,
                     const cudnnRNNDataStruct* x,
                     std::vector<WriteTarget> written);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_CUDNN_RNN_CALLS_H_
