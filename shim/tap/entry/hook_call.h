// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_ENTRY_HOOK_CALL_H_
#define DLTAP_SHIM_TAP_ENTRY_HOOK_CALL_H_

#include <cstdint>
#include <cstring>

#include "vocabulary.h"

// Hooks: what the specs attach to entry points whose meaning lies in opaque
// objects. A hook has only static members, each optional:
//   Before(selected...)          before the real call, also while off
//   After(result, selected...)   after it, also while off
//   Pack(at, selected...)        stores the packed fields of a record, widest
//                                first and else as the spec has them, after a
//                                recorded call that succeeded; else they are 0.
//                                (After a failure the arguments may be no
//                                objects at all, and a getter would replace the
//                                library's last error message.)
//   Class(selected...)           the layer class of the call, where only an
//                                object knows it; in runs with delays
// `selected` are the arguments named by `hook_args`, as the wrapper's ABI types
// (pointers and handles void*, enums int32_t). Hooks never fail, never block
// longer than a bounded spin, and may call the vendor's getters.
namespace dltap::shim {

// A member that exists but does not take the selected arguments is an error in
// the spec. (Overloaded members are not checked.)
template <typename Hook, typename... Args>
inline void CallBefore(Args... args) {
  if constexpr (requires { Hook::Before(args...); }) {
    Hook::Before(args...);
  } else {
    static_assert(
        !requires { &Hook::Before; }, "see hook_args in the spec");
  }
}

// `args` begins with the result unless the function returns void.
template <typename Hook, typename... Args>
inline void CallAfter(Args... args) {
  if constexpr (requires { Hook::After(args...); }) {
    Hook::After(args...);
  } else {
    static_assert(
        !requires { &Hook::After; }, "see hook_args in the spec");
  }
}

template <typename Hook, int kBytes, typename... Args>
inline void CallPack(uint8_t* at, bool succeeded, Args... args) {
  if constexpr (requires { Hook::Pack(at, args...); }) {
    if (succeeded) [[likely]] {
      Hook::Pack(at, args...);
    } else {
      memset(at, 0, kBytes);  // no operation
    }
  } else {
    static_assert(
        !requires { &Hook::Pack; }, "see hook_args in the spec");
  }
}

template <typename Hook, typename... Args>
inline specs::LayerClass CallLayerClass(specs::LayerClass of_entry,
                                        Args... args) {
  if constexpr (requires { Hook::Class(args...); }) {
    return Hook::Class(args...);
  } else {
    static_assert(
        !requires { &Hook::Class; }, "see hook_args in the spec");
    return of_entry;
  }
}

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_ENTRY_HOOK_CALL_H_
