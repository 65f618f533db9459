// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_MODEL_STRONG_ID_H_
#define DLTAP_ANALYZER_MODEL_STRONG_ID_H_

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>

namespace dltap::analyzer {

// An index into one table of the model; ids of different tables don't mix.
// Default: none.
template <typename Tag>
class StrongId {
 public:
  constexpr StrongId() = default;
  constexpr explicit StrongId(size_t value)
      : value_(static_cast<uint32_t>(value)) {}

  constexpr bool known() const { return value_ != kNone; }
  constexpr size_t value() const { return value_; }

  friend constexpr auto operator<=>(StrongId, StrongId) = default;
  template <typename H>
  friend H AbslHashValue(H hash, StrongId id) {
    return H::combine(std::move(hash), id.value_);
  }

 private:
  static constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();
  uint32_t value_ = kNone;
};

struct StrongIdHash {
  template <typename Tag>
  size_t operator()(StrongId<Tag> id) const {
    return std::hash<size_t>()(id.value());
  }
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_MODEL_STRONG_ID_H_
