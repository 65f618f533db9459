// SPDX-License-Identifier: Apache-2.0
// The tap's templates, as small as the generated code allows: the real function
// is called, the payload of the last record is kept for the test to see.
#ifndef DLTAP_TESTS_UNIT_SHIM_SPECS_STUB_SHIM_TAP_ENTRY_TRACED_H_
#define DLTAP_TESTS_UNIT_SHIM_SPECS_STUB_SHIM_TAP_ENTRY_TRACED_H_

#include <cstdint>

#include "entry_points.h"
#include "shim/tap/entry/hook_call.h"

namespace dltap::shim {

template <specs::EntryPoint kEntry>
struct EntryTraits;

namespace hooks {

struct ToyBind {
  static inline void* bound = nullptr;
  static inline int32_t status = -1;
  static void After(int32_t result, void* stream) {
    status = result;
    bound = stream;
  }
};

struct ToyLaunch {
  static void Pack(uint8_t* at, void*) { *at = 42; }
};

}  // namespace hooks

inline void* g_real[specs::kEntryPointCount];
inline uint8_t g_payload[128];

template <specs::EntryPoint kEntry, typename... Args>
auto CallReal(Args... args) {
  using Traits = EntryTraits<kEntry>;
  const auto real =
      reinterpret_cast<typename Traits::Real>(g_real[static_cast<int>(kEntry)]);
  return real(args...);
}

template <specs::EntryPoint kEntry, typename... Args>
auto Traced(Args... args) {
  const auto result = CallReal<kEntry>(args...);
  EntryTraits<kEntry>::Pack(g_payload, result == 0, args...);
  return result;
}

template <specs::EntryPoint kEntry, typename... Args>
auto Counted(Args... args) {
  return CallReal<kEntry>(args...);
}

template <specs::EntryPoint kEntry, typename... Args>
auto Followed(Args... args) {
  const auto result = CallReal<kEntry>(args...);
  if constexpr (EntryTraits<kEntry>::kHasHook) {
    EntryTraits<kEntry>::After(result, args...);
  }
  return result;
}

}  // namespace dltap::shim

#endif  // DLTAP_TESTS_UNIT_SHIM_SPECS_STUB_SHIM_TAP_ENTRY_TRACED_H_
