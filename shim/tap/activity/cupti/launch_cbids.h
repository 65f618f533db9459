// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_ACTIVITY_CUPTI_LAUNCH_CBIDS_H_
#define DLTAP_SHIM_TAP_ACTIVITY_CUPTI_LAUNCH_CBIDS_H_

#include <cstdint>

namespace dltap::shim::cupti {

// API functions that put kernels, copies or memsets on a device, by callback
// id: the only ones whose API records are worth their cost. Numbers never
// change meaning; those of newer libraries are refused by older ones, which
// does no harm. Names: cupti_runtime_cbid.h, cupti_driver_cbid.h.
struct CbidRange {
  uint16_t first, last;
};

inline constexpr CbidRange kRuntimeLaunches[] = {
    {31, 52},    // cudaMemcpy ... cudaMemset2DAsync
    {142, 145},  // cudaMemset3D, cudaMemcpy3D and Async
    {160, 163},  // cudaMemcpyPeer, cudaMemcpy3DPeer and Async
    {211, 211},  // cudaLaunchKernel
    {214, 236},  // cudaLaunchKernel_ptsz, copies and memsets _ptds, _ptsz
    {243, 246}, {249, 250}, {269, 270},  // cudaLaunchCooperativeKernel
    {272, 272}, {311, 312},              // cudaGraphLaunch
    {430, 431},                          // cudaLaunchKernelExC
    {482, 485},                          // cudaMemcpyBatchAsync, 3D
    {505, 506},  // __cudaLaunchKernel, what nvcc 13 emits
    {509, 512},
};

inline constexpr CbidRange kDriverLaunches[] = {
    {248, 254},              // cuMemcpy_v2, cuMemsetD*_v2
    {276, 293},              // cuMemcpy*_v2
    {305, 307},              // cuMemcpy, cuMemcpyAsync, cuLaunchKernel
    {318, 321},              // cuMemcpyPeer, cuMemcpy3DPeer
    {397, 416},              // copies and memsets _ptds
    {418, 433},              // and _ptsz
    {442, 442},              // cuLaunchKernel_ptsz
    {477, 478},              // cuLaunchCooperativeKernel
    {480, 480}, {514, 515},  // cuGraphLaunch
    {652, 653},              // cuLaunchKernelEx
    {776, 779},              // cuMemcpyBatchAsync, 3D
    {796, 799}, {216, 216},  // cuMemsetD*Async
    {218, 218}, {220, 220}, {222, 222}, {224, 224}, {226, 226},
};

template <int kCount>
constexpr bool Contains(const CbidRange (&ranges)[kCount], uint32_t cbid) {
  for (const CbidRange& range : ranges) {
    if (cbid >= range.first && cbid <= range.last) return true;
  }
  return false;
}

}  // namespace dltap::shim::cupti

#endif  // DLTAP_SHIM_TAP_ACTIVITY_CUPTI_LAUNCH_CBIDS_H_
