// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_BASE_ATTRIBUTE_SET_H_
#define DLTAP_SIMGPU_BASE_ATTRIBUTE_SET_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <map>

namespace dltap::simgpu {

// Numbered as cudaLaunchAttributeID and CUlaunchAttributeID.
enum AttributeId : int {
  kAccessPolicyWindow = 1,
  kCooperative = 2,
  kSynchronizationPolicy = 3,
  kClusterDimension = 4,
  kClusterSchedulingPolicy = 5,
  kPriority = 8,
  kMemSyncDomainMap = 9,
  kMemSyncDomain = 10,
  kPreferredClusterDimension = 11,
  kDeviceUpdatable = 13,
  kPreferredCarveout = 14,
};

// Values of launch attributes (the same 64 byte union in both APIs), as a
// kernel node or a stream keeps them. What has no meaning here reads back as it
// was set.
class AttributeSet {
 public:
  static constexpr size_t kValueBytes = 64;

  void Set(int id, const void* value) {
    std::memcpy(values_[id].data(), value, kValueBytes);
  }
  // Zeroes when never set.
  void Get(int id, void* value) const {
    const auto found = values_.find(id);
    if (found == values_.end()) {
      std::memset(value, 0, kValueBytes);
    } else {
      std::memcpy(value, found->second.data(), kValueBytes);
    }
  }
  friend bool operator==(const AttributeSet&, const AttributeSet&) = default;

 private:
  std::map<int, std::array<std::byte, kValueBytes>> values_;
};

template <typename T>
T ReadAttribute(const void* value) {
  T read;
  std::memcpy(&read, value, sizeof(read));
  return read;
}

template <typename T>
void WriteAttribute(const T& value, void* out) {
  static_assert(sizeof(T) <= AttributeSet::kValueBytes);
  std::memset(out, 0, AttributeSet::kValueBytes);
  std::memcpy(out, &value, sizeof(value));
}

template <size_t kCount>
bool IsOneOf(const int (&ids)[kCount], int id) {
  return std::find(std::begin(ids), std::end(ids), id) != std::end(ids);
}

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_BASE_ATTRIBUTE_SET_H_
