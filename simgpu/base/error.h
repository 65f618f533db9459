// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_BASE_ERROR_H_
#define DLTAP_SIMGPU_BASE_ERROR_H_

namespace dltap::simgpu {

// Result of a device-core function. The values are those that cudaError_t and
// CUresult share (cuda.h and driver_types.h number them alike), so that both
// front ends convert by a cast. Static asserts in driver/ and cudart/ hold it.
enum class Error : int {
  kSuccess = 0,
  kInvalidValue = 1,
  kOutOfMemory = 2,
  kNotInitialized = 3,
  kDeinitialized = 4,
  kInvalidConfiguration = 9,       // the driver says kInvalidValue instead
  kInvalidPitch = 12,              // runtime only
  kInvalidSymbol = 13,             // runtime only
  kInvalidChannelDescriptor = 20,  // runtime only
  kInvalidMemcpyDirection = 21,    // runtime only
  kStubLibrary = 34,
  kInsufficientDriver = 35,
  kInvalidDeviceFunction = 98,  // runtime only
  kNoDevice = 100,
  kInvalidDevice = 101,
  kInvalidImage = 200,
  kInvalidContext = 201,
  kMapFailed = 205,
  kUnmapFailed = 206,
  kNotMapped = 211,
  kPeerAccessUnsupported = 217,
  kFileNotFound = 301,
  kInvalidHandle = 400,
  kIllegalState = 401,
  kLossyQuery = 402,
  kNotFound = 500,
  kNotReady = 600,
  kIllegalAddress = 700,
  kLaunchOutOfResources = 701,
  kPeerAlreadyEnabled = 704,
  kPeerNotEnabled = 705,
  kHostMemoryAlreadyRegistered = 712,
  kHostMemoryNotRegistered = 713,
  kLaunchFailed = 719,
  kCooperativeLaunchTooLarge = 720,
  kNotPermitted = 800,
  kNotSupported = 801,
  kCaptureUnsupported = 900,
  kCaptureInvalidated = 901,
  kCaptureMerge = 902,
  kCaptureUnmatched = 903,
  kCaptureUnjoined = 904,
  kCaptureIsolation = 905,
  kCaptureImplicit = 906,
  kCapturedEvent = 907,
  kCaptureWrongThread = 908,
  kGraphExecUpdateFailure = 910,
  kInvalidClusterSize = 912,
  kInvalidResourceType = 914,
  kInvalidResourceConfiguration = 915,
  kUnknown = 999,
};

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_BASE_ERROR_H_
