// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_BYTES_MAPPED_PAGES_H_
#define DLTAP_SIMGPU_BYTES_MAPPED_PAGES_H_

#include <cstddef>

namespace dltap::simgpu {

// The process has mapped all pages of these bytes. One system call in 4 MiB.
bool ArePagesMapped(const void* address, size_t bytes);

size_t RoundToPages(size_t bytes);

// Lazily committed private pages for `bytes`; null when the system refuses.
void* MapPages(size_t bytes);
void UnmapPages(void* address, size_t bytes);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_BYTES_MAPPED_PAGES_H_
