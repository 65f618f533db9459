// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_TAGGING_CUDNN_RNN_DATA_H_
#define DLTAP_SHIM_TAP_TAGGING_CUDNN_RNN_DATA_H_

#include <cudnn.h>

#include "opmodel/operation.h"

namespace dltap::shim::tagging {

// One step of the input of an RNN: the type, and the width of a vector.
struct RnnInput {
  cudnnDataType_t type{};
  int width = 0;
};

// Of a cudnnRNNDataDescriptor_t: what it says of the sequences goes to `op`.
RnnInput FillRnnData(void* descriptor, opmodel::Operation* op);

}  // namespace dltap::shim::tagging

#endif  // DLTAP_SHIM_TAP_TAGGING_CUDNN_RNN_DATA_H_
