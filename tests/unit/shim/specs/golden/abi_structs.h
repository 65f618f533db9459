// SPDX-License-Identifier: Apache-2.0
// GENERATED from shim/specs/*.toml and the vendor headers by
// gen_entry_points.py. DO NOT EDIT.
#ifndef DLTAP_GENERATED_ABI_STRUCTS_H_
#define DLTAP_GENERATED_ABI_STRUCTS_H_

#include <cstdint>

namespace dltap::shim::abi {

// Vendor structures that are passed by value: same size, alignment and
// register class, so that wrappers need no vendor header.
struct alignas(4) toyDim {
  uint32_t x;
  uint32_t y;
  uint32_t z;
};
static_assert(sizeof(toyDim) == 12);

}  // namespace dltap::shim::abi

#endif  // DLTAP_GENERATED_ABI_STRUCTS_H_
