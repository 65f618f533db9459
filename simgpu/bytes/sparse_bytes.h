// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_BYTES_SPARSE_BYTES_H_
#define DLTAP_SIMGPU_BYTES_SPARSE_BYTES_H_

#include <cstddef>

namespace dltap::simgpu {

// Most memory of a simulated program is never written: it must not be committed
// by zeroing it or by copying it around.

// memset(address, 0, bytes); whole pages of a memory file are given back.
void ZeroBytes(std::byte* address, size_t bytes);

// memmove(); pages that the source does not have are given back in the
// destination, too.
void MoveBytes(std::byte* destination, const std::byte* source, size_t bytes);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_BYTES_SPARSE_BYTES_H_
