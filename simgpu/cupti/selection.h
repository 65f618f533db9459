// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_CUPTI_SELECTION_H_
#define DLTAP_SIMGPU_CUPTI_SELECTION_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <shared_mutex>
#include <utility>

#include "simgpu/base/api_function.h"
#include "simgpu/cupti/cupti_header.h"

namespace dltap::simgpu {

// Which activity kinds and which API functions the client wants records of.
// Read without a lock on every call of a simulated library.
class Selection {
 public:
  void SetKind(CUpti_ActivityKind kind, bool enable);
  // "Supersedes the global settings" for this context.
  void SetKindInContext(CUpti_ActivityKind kind, uint32_t context_id,
                        bool enable);

  // Whether records of any kind are.
  bool HasKinds() const {
    for (const auto& kind : kinds_) {
      if (kind.load(std::memory_order_relaxed)) return true;
    }
    return false;
  }
  // Whether records of the kind are wanted of any context.
  bool HasKind(CUpti_ActivityKind kind) const {
    return static_cast<size_t>(kind) < kinds_.size() &&
           kinds_[kind].load(std::memory_order_relaxed);
  }
  bool HasKindIn(CUpti_ActivityKind kind, uint32_t context_id) const {
    if (!HasKind(kind)) return false;
    return !has_contexts_.load(std::memory_order_relaxed) ||
           FindKindIn(kind, context_id);
  }

  // cuptiActivityEnableRuntimeApi / DriverApi: overrides the kind for one id,
  // until SetKind(), which "overrides the settings done by this API if it is
  // called after the API".
  bool SetFunction(ApiDomain domain, uint32_t cbid, bool enable);
  bool WantsApi(ApiDomain domain, uint32_t cbid, uint32_t context_id) const;

  void Clear();

  // What NVTX reports; it does not go through the core.
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

  void ClearFunctions(ApiDomain domain);
  bool FindKindIn(CUpti_ActivityKind kind, uint32_t context_id) const;
  // REQUIRES: contexts_mutex_.
  void UpdateKind(CUpti_ActivityKind kind);

  std::array<std::atomic<bool>, CUPTI_ACTIVITY_KIND_COUNT> kinds_{};
  std::atomic<bool> has_contexts_{false};
  mutable std::shared_mutex contexts_mutex_;  // guards the next two
  std::array<bool, CUPTI_ACTIVITY_KIND_COUNT> everywhere_{};
  std::map<std::pair<CUpti_ActivityKind, uint32_t>, bool> contexts_;
  Overrides runtime_{};
  Overrides driver_{};
  mutable std::atomic<bool> any_{false};
};

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_CUPTI_SELECTION_H_
