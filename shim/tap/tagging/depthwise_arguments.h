// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_TAGGING_DEPTHWISE_ARGUMENTS_H_
#define DLTAP_SHIM_TAP_TAGGING_DEPTHWISE_ARGUMENTS_H_

#include "opmodel/operation.h"
#include "shim/tap/tagging/named_layout.h"

namespace dltap::shim::tagging {

// PyTorch's own convolutions of each channel by itself, forward, by the data
// and by the weights, which get their dimensions as integers
// (aten/src/ATen/native/cuda/DepthwiseConv2d.cu).

// How a kernel of that mangled name is read; no reader: it is none of these.
NamedLayout DepthwiseOfName(const char* name);

// `named` is of DepthwiseOfName. False: nothing certain is told.
bool ReadDepthwise(const NamedLayout& named, const void* const* arguments,
                   opmodel::Operation* out);

}  // namespace dltap::shim::tagging

#endif  // DLTAP_SHIM_TAP_TAGGING_DEPTHWISE_ARGUMENTS_H_
