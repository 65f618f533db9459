// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_ENTRY_REAL_FUNCTIONS_H_
#define DLTAP_SHIM_TAP_ENTRY_REAL_FUNCTIONS_H_

#include <atomic>

#include "entry_points.h"
#include "shim/tap/entry/loader_watch.h"
#include "vocabulary.h"

namespace dltap::shim {

// The functions behind the wrappers, by counter index: what every caller of
// the wrapper would have been bound to without us. null: not looked for yet, or
// callers differ (two copies of a library, an application's stand-in). Never an
// address in our own object. Forgotten when the loader's count of loads has
// moved and the object is gone, or a new one defines the function, too.
extern constinit std::atomic<void*> g_real[specs::kCounterCount] asm(
    "dltap_real");  // the name is for the gates (gate.h)

// The real function for a wrapper that was called from `caller`. nullptr: no
// loaded library has it.
[[gnu::noinline]] void* ResolveReal(int counter_index, const void* caller);

// Called by the dlsym filter: `caller` found `real` for a wrapped function.
// False, and counted, when the wrapper would lead elsewhere, or when `real` is
// not the vendor's: then the application must get its own pointer, unwrapped.
bool AdoptReal(int counter_index, void* real, const void* caller);

// What the scope of `caller` has, as far as objects' tables show it; nullptr:
// nothing.
void* FindInScope(int counter_index, const void* caller);

// The vendor's function of that name, wrapped or not; never a wrapper. nullptr:
// no loaded library has it.
void* FindReal(const char* symbol);

// The same for the few names that the collector asks (kAsked), without a lock:
// they are noted by the threads that call the vendor. nullptr also while
// something has been loaded or unloaded since: ask again later.
void* FindNoted(const char* symbol);

// Do several of the vendor's libraries define that wrapped function?
bool HasCopies(const char* symbol);

// Takes in what was loaded since the last call. On a thread of the host's.
void SettleRealFunctions();

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
    case specs::Library::kCufft:  // CUFFT_SETUP_FAILED
      return 7;
    case specs::Library::kCurand:  // CURAND_STATUS_NOT_INITIALIZED
      return 101;
    default:  // CUBLAS_STATUS_NOT_INITIALIZED and its kin
      return 1;
  }
}

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_ENTRY_REAL_FUNCTIONS_H_
