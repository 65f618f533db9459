// SPDX-License-Identifier: Apache-2.0
// The driver's functions by name. Like the vendor's, this library is not linked
// to libcuda but opens it.
#include "simgpu/base/library_versions.h"
#include "simgpu/cudart/runtime_call.h"

namespace dltap::simgpu::body {

Error GetDriverEntryPoint(DefaultStream null, const char* symbol,
                          void** function, unsigned long long flags,
                          cudaDriverEntryPointQueryResult* status) {
  return GetDriverEntryPointByVersion(null, symbol, function,
                                      GetLibraryVersions().cuda, flags, status);
}

Error GetDriverEntryPointByVersion(DefaultStream null, const char* symbol,
                                   void** function, unsigned version,
                                   unsigned long long flags,
                                   cudaDriverEntryPointQueryResult* status) {
  if (symbol == nullptr || function == nullptr) return Error::kInvalidValue;
  const GetProcAddress get = FindGetProcAddress();
  if (get == nullptr) return Error::kNotFound;
  if (null == DefaultStream::kPerThread && flags == cudaEnableDefault) {
    flags = cudaEnablePerThreadDefaultStream;
  }
  auto found = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  *function = nullptr;
  get(symbol, function, static_cast<int>(version), flags, &found);
  // Unlike the driver's, this function reports a missing name by the status.
  if (status != nullptr) {
    *status = static_cast<cudaDriverEntryPointQueryResult>(found);
    return Error::kSuccess;
  }
  return *function == nullptr ? Error::kNotFound : Error::kSuccess;
}

}  // namespace dltap::simgpu::body
