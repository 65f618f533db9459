// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_DRIVER_PROC_ADDRESSES_H_
#define DLTAP_SIMGPU_DRIVER_PROC_ADDRESSES_H_

#include <span>
#include <string_view>

namespace dltap::simgpu {

struct ProcAddress {
  std::string_view base;
  int version;      // the CUDA version that brought this ABI
  bool per_thread;  // _ptsz or _ptds
  const char* symbol;
  void* address;  // of the exported function
};

// What cuGetProcAddress knows.
std::span<const ProcAddress> ProcAddresses();

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_DRIVER_PROC_ADDRESSES_H_
