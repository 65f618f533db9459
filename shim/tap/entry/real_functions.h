// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_ENTRY_REAL_FUNCTIONS_H_
#define DLTAP_SHIM_TAP_ENTRY_REAL_FUNCTIONS_H_

#include <atomic>

#include "entry_points.h"
#include "vocabulary.h"

namespace dltap::shim {

// The vendor's functions behind the wrappers, by counter index; null until the
// first call or lookup. Never an address in our own object.
extern constinit std::atomic<void*> g_real[specs::kCounterCount] asm(
    "dltap_real");  // the name is for the gates (gate.h)

// Finds and keeps the real function for a wrapper that was called from
// `caller`. nullptr: no loaded library has it.
[[gnu::cold, gnu::noinline]] void* ResolveReal(int counter_index,
                                               const void* caller);

// Called by the dlsym filter: the application found `real` for a wrapped
// function. False when the wrapper already forwards to another copy of the
// library: then the application must get its own pointer, unwrapped.
bool AdoptReal(int counter_index, void* real);

// The vendor's function of that name, wrapped or not; never a wrapper. nullptr:
// no loaded library has it.
void* FindReal(const char* symbol);

// What a wrapper returns when its real function does not exist: the API's own
// "not initialized".
constexpr int32_t MissStatus(specs::Library library) {
  switch (library) {
    case specs::Library::kCuda:    // CUDA_ERROR_NOT_INITIALIZED
    case specs::Library::kCudart:  // cudaErrorInitializationError
      return 3;
    case specs::Library::kCudnn:  // CUDNN_STATUS_NOT_INITIALIZED
      return 1001;
    case specs::Library::kNccl:  // ncclInternalError
      return 3;
    case specs::Library::kCupti:  // CUPTI_ERROR_NOT_INITIALIZED
      return 15;
    default:  // CUBLAS_STATUS_NOT_INITIALIZED and its kin
      return 1;
  }
}

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_ENTRY_REAL_FUNCTIONS_H_
