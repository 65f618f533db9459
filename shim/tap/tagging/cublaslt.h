// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_TAGGING_CUBLASLT_H_
#define DLTAP_SHIM_TAP_TAGGING_CUBLASLT_H_

#include <cstdint>

// What a hook is: shim/tap/entry/hook_call.h.
namespace dltap::shim::hooks {

// Packs `operation`: the GEMM, and a pointwise node when it has an epilogue.
struct CublasLtMatmul {
  static void Pack(uint8_t* at, void* compute, void* a, void* b, void* c,
                   void* d);
};

}  // namespace dltap::shim::hooks

#endif  // DLTAP_SHIM_TAP_TAGGING_CUBLASLT_H_
