// SPDX-License-Identifier: Apache-2.0
#include "simgpu/cudart/runtime_call.h"

namespace dltap::simgpu {
namespace {

// The driver refuses zero bytes, the runtime gives a null pointer.
Error GiveNull(void** address) {
  if (address == nullptr) return Error::kInvalidValue;
  *address = nullptr;
  return Error::kSuccess;
}

}  // namespace

namespace body {

Error MallocAsync(const DriverStreamTable& driver, void** address, size_t bytes,
                  cudaStream_t stream) {
  if (bytes == 0) return GiveNull(address);
  return FromDriver(driver.mem_alloc_async(
      reinterpret_cast<CUdeviceptr*>(address), bytes, stream));
}

Error MallocFromPoolAsync(const DriverStreamTable& driver, void** address,
                          size_t bytes, cudaMemPool_t pool,
                          cudaStream_t stream) {
  if (bytes == 0) return GiveNull(address);
  return FromDriver(driver.mem_alloc_from_pool_async(
      reinterpret_cast<CUdeviceptr*>(address), bytes, pool, stream));
}

}  // namespace body
}  // namespace dltap::simgpu
