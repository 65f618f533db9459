// SPDX-License-Identifier: Apache-2.0
// GENERATED from shim/specs/*.toml and the vendor headers by
// gen_entry_points.py. DO NOT EDIT.
#ifndef DLTAP_GENERATED_ENTRY_POINTS_H_
#define DLTAP_GENERATED_ENTRY_POINTS_H_

#include <cstdint>

namespace dltap::specs {

// Every function that a vendor header declares. Values change when headers or
// specs do: never write one to a file without its name.
enum class EntryPoint : uint16_t {
  kToyBind = 0,
  kToyCopy = 1,
  kToyGetName = 2,
  kToyLaunch_v2 = 3,
  kToyMalloc = 4,
};

inline constexpr int kEntryPointCount = 5;
// Functions that the tap wraps; each has a dense counter index.
inline constexpr int kCounterCount = 5;

}  // namespace dltap::specs

#endif  // DLTAP_GENERATED_ENTRY_POINTS_H_
