// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_SPECS_ROLES_H_
#define DLTAP_SHIM_SPECS_ROLES_H_

#include <cstdint>

namespace dltap::specs {

// The vendor library that exports a function.
enum class Library : uint8_t {
  kCuda = 1,  // the driver, libcuda
  kCudart = 2,
  kCublas = 3,
  kCublaslt = 4,
  kCudnn = 5,
  kNccl = 6,
  kCupti = 7,
  kNvtx = 8,
  kNvml = 9,
  kNvrtc = 10,
  kCusolver = 11,
  kCusparse = 12,
  kCusparselt = 13,
  kCufft = 14,
  kCurand = 15,
  kCufile = 16,
  kNvshmem = 17,
};

// What the tap does with calls of a function.
enum class Role : uint8_t {
  kUnknown = 0,  // no spec mentions it: not wrapped
  kRecord = 1,   // one record per call, with its scalar arguments
  kCount = 2,    // a per-thread counter
  kState = 3,    // followed from the first call on, counted
  kNot = 4,      // not wrapped, for the reason that the spec gives
};

// What a call does, as far as gaps, joins and byte counts need to know.
enum class Kind : uint8_t {
  kOther = 0,
  kLaunch = 1,
  kGraphLaunch = 2,
  kMemcpy = 3,
  kMemset = 4,
  kMalloc = 5,  // device memory
  kFree = 6,
  kHostMalloc = 7,  // pinned or registered host memory
  kHostFree = 8,
  kSync = 9,  // waits for the device, a stream or an event
  kEventRecord = 10,
  kEventWait = 11,  // a stream waits for an event
  kStreamCreate = 12,
  kStreamDestroy = 13,
  kHostFunction = 14,  // enqueues a callback on the host
  kCaptureBegin = 15,
  kCaptureEnd = 16,
  kGraphInstantiate = 17,
  kGraphEdit = 18,     // adds, changes or destroys a graph or a node
  kHandleCreate = 19,  // a library handle or communicator
  kModuleLoad = 20,
  kCollective = 21,
  kPointToPoint = 22,
  kGroup = 23,  // ncclGroupStart, ncclGroupEnd
  kGemm = 24,
  kConv = 25,
  kRnn = 26,
  kAttention = 27,
  kNorm = 28,
  kPool = 29,
  kSoftmax = 30,
  kActivation = 31,
  kDropout = 32,
  kPointwise = 33,
  kReduction = 34,
  kSolve = 35,         // triangular solves and factorizations
  kCudnnExecute = 36,  // runs a plan of the cuDNN backend graph API
  kMarker = 37,        // NVTX ranges and marks, cudaProfilerStart and Stop
  kEventElapsed = 38,
  kPrefetch = 39,  // managed memory moves or advice
};

// Ways by which applications reach a function; bits of EntryPointInfo.routes.
inline constexpr uint8_t kRouteSymbol = 1;  // linked
inline constexpr uint8_t kRouteDlsym = 2;
inline constexpr uint8_t kRouteGetProcAddress = 4;    // cuGetProcAddress
inline constexpr uint8_t kRouteDriverEntryPoint = 8;  // of the runtime
inline constexpr uint8_t kRouteInjection = 16;        // NVTX

}  // namespace dltap::specs

#endif  // DLTAP_SHIM_SPECS_ROLES_H_
