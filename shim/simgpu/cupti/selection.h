// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_SIMGPU_CUPTI_SELECTION_H_
#define DLTAP_SHIM_SIMGPU_CUPTI_SELECTION_H_

#include <array>
#include <atomic>
#include <cstdint>

#include "shim/simgpu/cupti/cupti_header.h"
#include "shim/simgpu/device/api_function.h"

namespace dltap::simgpu {

// Which activity kinds and which API functions the client wants records of.
// Read without a lock on every call of a simulated library.
class Selection {
 public:
  void SetKind(CUpti_ActivityKind kind, bool enable);
  bool HasKind(CUpti_ActivityKind kind) const {
    return static_cast<size_t>(kind) < kinds_.size() &&
           kinds_[kind].load(std::memory_order_relaxed);
  }

  // cuptiActivityEnableRuntimeApi / DriverApi: overrides the kind for one id.
  bool SetFunction(ApiDomain domain, uint32_t cbid, bool enable);
  bool WantsApi(ApiDomain domain, uint32_t cbid) const;

  void Clear();

  // What NVTX tells, past the core.
  bool HasNvtx() const {
    return HasKind(CUPTI_ACTIVITY_KIND_MARKER) ||
           HasKind(CUPTI_ACTIVITY_KIND_NAME);
  }

  // The core's ActivityBits for all of this.
  uint32_t CoreBits() const;

  // Whether anything is wanted, as of the last CoreBits().
  bool any() const { return any_.load(std::memory_order_relaxed); }

 private:
  static constexpr size_t kMaxCbid = 1024;  // above the newest of CUDA 13
  enum Override : uint8_t { kNone = 0, kOn = 1, kOff = 2 };
  using Overrides = std::array<std::atomic<uint8_t>, kMaxCbid>;

  Overrides& Of(ApiDomain domain) {
    return domain == ApiDomain::kRuntime ? runtime_ : driver_;
  }

  std::array<std::atomic<bool>, CUPTI_ACTIVITY_KIND_COUNT> kinds_{};
  Overrides runtime_{};
  Overrides driver_{};
  mutable std::atomic<bool> any_{false};
};

}  // namespace dltap::simgpu

#endif  // DLTAP_SHIM_SIMGPU_CUPTI_SELECTION_H_
