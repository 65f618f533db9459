// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "simgpu/driver/driver_call.h"

namespace dltap::simgpu {
namespace {

constexpr unsigned kMaxRank = 5;
constexpr uintptr_t kMapAlignment = 64;
constexpr uintptr_t kGlobalAlignment = 16;
constexpr cuuint64_t kStrideAlignment = 16;
constexpr cuuint32_t kMaxBox = 256;

bool IsAligned(const void* pointer, uintptr_t alignment) {
  return reinterpret_cast<uintptr_t>(pointer) % alignment == 0;
}

struct TiledRequest {
  unsigned rank;
  const void* address;
  const cuuint64_t* dims;
  const cuuint64_t* strides;  // rank - 1 of them
  const cuuint32_t* box;
};

// The documented requirements that hold for every interleave and swizzle mode.
bool IsValid(const TiledRequest& request) {
  if (request.rank == 0 || request.rank > kMaxRank ||
      !IsAligned(request.address, kGlobalAlignment) ||
      request.dims == nullptr || request.box == nullptr) {
    return false;
  }
  for (unsigned i = 0; i < request.rank; ++i) {
    if (request.dims[i] == 0 || request.box[i] == 0 ||
        request.box[i] > kMaxBox) {
      return false;
    }
    if (i > 0 && request.strides[i - 1] % kStrideAlignment != 0) return false;
  }
  return true;
}

}  // namespace
}  // namespace dltap::simgpu

using namespace dltap::simgpu;  // NOLINT: defines the vendor's functions only

CUresult cuTensorMapEncodeTiled(CUtensorMap* tensorMap, CUtensorMapDataType,
                                cuuint32_t tensorRank, void* globalAddress,
                                const cuuint64_t* globalDim,
                                const cuuint64_t* globalStrides,
                                const cuuint32_t* boxDim, const cuuint32_t*,
                                CUtensorMapInterleave, CUtensorMapSwizzle,
                                CUtensorMapL2promotion,
                                CUtensorMapFloatOOBfill) {
  return Driver<"cuTensorMapEncodeTiled">(DriverNeeds::kNothing, [&] {
    if (tensorMap == nullptr || !IsAligned(tensorMap, kMapAlignment) ||
        !IsValid(
            {tensorRank, globalAddress, globalDim, globalStrides, boxDim})) {
      return Error::kInvalidValue;
    }
    // Opaque to everything but a kernel, which is never run.
    std::memset(tensorMap, 0, sizeof(*tensorMap));
    std::memcpy(tensorMap, &globalAddress, sizeof(globalAddress));
    return Error::kSuccess;
  });
}

CUresult cuTensorMapReplaceAddress(CUtensorMap* tensorMap,
                                   void* globalAddress) {
  return Driver<"cuTensorMapReplaceAddress">(DriverNeeds::kNothing, [&] {
    if (tensorMap == nullptr || !IsAligned(globalAddress, kGlobalAlignment)) {
      return Error::kInvalidValue;
    }
    std::memcpy(tensorMap, &globalAddress, sizeof(globalAddress));
    return Error::kSuccess;
  });
}
