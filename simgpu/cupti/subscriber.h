// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_CUPTI_SUBSCRIBER_H_
#define DLTAP_SIMGPU_CUPTI_SUBSCRIBER_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>

#include "simgpu/base/activity.h"
#include "simgpu/cupti/cupti_header.h"

namespace dltap::simgpu {

// The one client of the callback API; a second is refused, as by CUPTI before
// 13.2.
class Subscriber {
 public:
  CUptiResult Subscribe(CUpti_CallbackFunc callback, void* user_data,
                        const char* name, CUpti_SubscriberHandle* handle);
  CUptiResult Unsubscribe(CUpti_SubscriberHandle handle);

  CUptiResult EnableCallback(bool enable, CUpti_SubscriberHandle handle,
                             CUpti_CallbackDomain domain,
                             CUpti_CallbackId cbid);
  CUptiResult EnableDomain(bool enable, CUpti_SubscriberHandle handle,
                           CUpti_CallbackDomain domain);
  // Without a subscriber (cuptiFinalize).
  void Clear();
  bool IsEnabled(CUpti_CallbackDomain domain, CUpti_CallbackId cbid) const;
  bool IsCurrent(CUpti_SubscriberHandle handle) const {
    return subscribed_ && handle != nullptr && handle == Handle();
  }
  const std::string& name() const { return name_; }
  // Did it come by cuptiSubscribe_v2? Set by that function.
  bool is_scoped() const { return subscribed_ && is_scoped_; }
  void SetScoped(bool is_scoped) { is_scoped_ = is_scoped; }

  // The core's ActivityBits that the enabled callbacks need.
  uint32_t CoreBits() const;

  void OnApi(const ApiActivity& call, CUpti_ApiCallbackSite site);
  void OnResource(const ResourceActivityRecord& resource);
  void OnSynchronization(const SynchronizationActivityRecord& sync);

  void OnNvtx(CUpti_nvtx_api_trace_cbid cbid, const CUpti_NvtxData& data);

  // Whether the release that is simulated has such a callback.
  static bool IsCallback(CUpti_CallbackDomain domain, CUpti_CallbackId cbid);

  static constexpr size_t kMaxCbid = 1024;

 private:
  CUpti_SubscriberHandle Handle() const {
    return reinterpret_cast<CUpti_SubscriberHandle>(
        const_cast<Subscriber*>(this));
  }
  void Call(CUpti_CallbackDomain domain, CUpti_CallbackId cbid,
            const void* data);
  // Is a callback enabled of a call that puts no work anywhere?
  bool HasCheapCalls() const;

  std::mutex mutex_;
  std::string name_;
  std::atomic<bool> subscribed_{false};
  std::atomic<bool> is_scoped_{false};
  std::atomic<CUpti_CallbackFunc> callback_{nullptr};
  std::atomic<void*> user_data_{nullptr};
  std::array<std::array<std::atomic<bool>, kMaxCbid>, CUPTI_CB_DOMAIN_SIZE>
      enabled_{};
};

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_CUPTI_SUBSCRIBER_H_
