// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_TAGGING_CUDNN_LEGACY_H_
#define DLTAP_SHIM_TAP_TAGGING_CUDNN_LEGACY_H_

#include <cstdint>

// What a hook is: shim/tap/entry/hook_call.h.
namespace dltap::shim::hooks {

// Legacy cuDNN: dimensions are read back with the vendor's getters. All pack
// `operation`.
struct CudnnConvForward {
  static void Pack(uint8_t* at, void* x, void* w, void* conv, void* y);
};
struct CudnnConvBackwardData {
  static void Pack(uint8_t* at, void* w, void* dy, void* conv, void* dx);
};
struct CudnnConvBackwardFilter {
  static void Pack(uint8_t* at, void* x, void* dy, void* conv, void* dw);
};
struct CudnnPoolForward {
  static void Pack(uint8_t* at, void* x, void* y);
};
struct CudnnPoolBackward {
  static void Pack(uint8_t* at, void* x, void* y);
};
struct CudnnSoftmaxForward {
  static void Pack(uint8_t* at, void* x, void* y);
};
struct CudnnSoftmaxBackward {
  static void Pack(uint8_t* at, void* y, void* dx);
};
struct CudnnActivationForward {
  static void Pack(uint8_t* at, void* x, void* y);
};
struct CudnnActivationBackward {
  static void Pack(uint8_t* at, void* x, void* y);
};
struct CudnnDropoutForward {
  static void Pack(uint8_t* at, void* x, void* y);
};
struct CudnnDropoutBackward {
  static void Pack(uint8_t* at, void* dy, void* dx);
};
struct CudnnNormForward {
  static void Pack(uint8_t* at, void* x, void* y);
};
struct CudnnNormBackward {
  static void Pack(uint8_t* at, void* x, void* dx);
};
struct CudnnPointwise {
  static void Pack(uint8_t* at, void* in, void* out);
};
struct CudnnLayout {
  static void Pack(uint8_t* at, void* in, void* out);
};
struct CudnnReduction {
  static void Pack(uint8_t* at, void* in, void* out);
};
struct CudnnRnnForward {
  static void Pack(uint8_t* at, void* rnn, void* data);
};
struct CudnnRnnBackwardData {
  static void Pack(uint8_t* at, void* rnn, void* data);
};
struct CudnnRnnBackwardWeights {
  static void Pack(uint8_t* at, void* rnn, void* data);
};

}  // namespace dltap::shim::hooks

#endif  // DLTAP_SHIM_TAP_TAGGING_CUDNN_LEGACY_H_
