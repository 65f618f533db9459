// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_TAGGING_CUDNN_RNN_V6_H_
#define DLTAP_SHIM_TAP_TAGGING_CUDNN_RNN_V6_H_

#include <cstdint>

// What a hook is: shim/tap/entry/hook_call.h.
namespace dltap::shim::hooks {

// RNN calls of cuDNN 8 and older, which cuDNN 9 removed: the layer is set by
// cudnnSetRNNDescriptor_v6, and the input is an array of tensor descriptors
// {batch, width, 1}, one a step. All pack `operation`.
struct CudnnRnnV6Forward {
  static void Pack(uint8_t* at, void* handle, void* rnn, int32_t steps,
                   void* inputs);
};
struct CudnnRnnV6BackwardData {
  static void Pack(uint8_t* at, void* handle, void* rnn, int32_t steps,
                   void* inputs);
};
struct CudnnRnnV6BackwardWeights {
  static void Pack(uint8_t* at, void* handle, void* rnn, int32_t steps,
                   void* inputs);
};

// With sequences of different lengths: the input is one descriptor.
struct CudnnRnnExForward {
  static void Pack(uint8_t* at, void* handle, void* rnn, void* input);
};
struct CudnnRnnExBackwardData {
  static void Pack(uint8_t* at, void* handle, void* rnn, void* input);
};
struct CudnnRnnExBackwardWeights {
  static void Pack(uint8_t* at, void* handle, void* rnn, void* input);
};

}  // namespace dltap::shim::hooks

#endif  // DLTAP_SHIM_TAP_TAGGING_CUDNN_RNN_V6_H_
