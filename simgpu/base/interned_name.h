// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_BASE_INTERNED_NAME_H_
#define DLTAP_SIMGPU_BASE_INTERNED_NAME_H_

namespace dltap::simgpu {

// A permanent copy of `name`; equal names give the same pointer.
const char* InternName(const char* name);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_BASE_INTERNED_NAME_H_
