// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_SPECS_ABI_CHECK_H_
#define DLTAP_SHIM_SPECS_ABI_CHECK_H_

#include <type_traits>

namespace dltap::specs {

// Do values of the two types travel in the same registers or stack bytes?
// Structures are generated member by member, so size and alignment suffice.
template <typename A, typename B>
constexpr bool SameValueAbi() {
  if constexpr (std::is_void_v<A> || std::is_void_v<B>) {
    return std::is_void_v<A> && std::is_void_v<B>;
  } else {
    return sizeof(A) == sizeof(B) && alignof(A) == alignof(B) &&
           std::is_floating_point_v<A> == std::is_floating_point_v<B> &&
           std::is_class_v<A> == std::is_class_v<B> &&
           std::is_trivially_copyable_v<A>;
  }
}

template <typename Real, typename Wrapper>
struct AbiComparison : std::false_type {};

template <typename R, typename... A, typename S, typename... B>
  requires(sizeof...(A) == sizeof...(B))
struct AbiComparison<R (*)(A...), S (*)(B...)> {
  static constexpr bool value =
      SameValueAbi<R, S>() && (SameValueAbi<A, B>() && ...);
};

template <typename R, typename... A, typename S, typename... B>
struct AbiComparison<R (*)(A...) noexcept, S (*)(B...)>
    : AbiComparison<R (*)(A...), S (*)(B...)> {};

template <typename Real, typename Wrapper>
inline constexpr bool SameAbi = AbiComparison<Real, Wrapper>::value;

}  // namespace dltap::specs

#endif  // DLTAP_SHIM_SPECS_ABI_CHECK_H_
