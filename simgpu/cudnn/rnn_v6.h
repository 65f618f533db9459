// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_CUDNN_RNN_V6_H_
#define DLTAP_SIMGPU_CUDNN_RNN_V6_H_

#include "shim/specs/supplement/cudnn_removed.h"
#include "simgpu/cudnn/objects.h"

// The RNN interface that cuDNN 9 removed: a descriptor does not know the width
// and the type of its input; each call brings them.
namespace dltap::simgpu {

// The RNN, completed by its input.
cudnnRNNStruct Completed(const cudnnRNNStruct& rnn, cudnnDataType_t type,
                         int input);

// An array of tensor descriptors {batch, width, 1}, one a step, as a batch of
// sequences. Of nothing: an empty one.
cudnnRNNDataStruct SequencesOf(const cudnnTensorDescriptor_t* steps, int count);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_CUDNN_RNN_V6_H_
