// SPDX-License-Identifier: Apache-2.0
// The callback API: one subscriber.
#include <cstring>
#include <iterator>

#include "simgpu/base/config.h"
#include "simgpu/cupti/client.h"
#include "simgpu/cupti/cupti_call.h"
#include "simgpu/cupti/toolkit.h"

namespace dltap::simgpu {
namespace {

// Applies a change and tells the core what is wanted from now on.
template <typename Change>
CUptiResult Changing(Change change) {
  const CUptiResult result = change(Client::Get().subscriber());
  Client::Get().Apply();
  return result;
}

}  // namespace
}  // namespace dltap::simgpu

using namespace dltap::simgpu;  // NOLINT: the vendor's names are global

extern "C" {

CUptiResult CUPTIAPI cuptiSubscribe(CUpti_SubscriberHandle* subscriber,
                                    CUpti_CallbackFunc callback,
                                    void* user_data) {
  return Cupti<"cuptiSubscribe">([&] {
    if (!SimulationEnabled()) return CUPTI_ERROR_NOT_INITIALIZED;
    Subscriber& current = Client::Get().subscriber();
    const CUptiResult result =
        current.Subscribe(callback, user_data, nullptr, subscriber);
    if (result == CUPTI_SUCCESS) current.SetScoped(false);
    return result;
  });
}

// "pParams ... Can be NULL." Since 13.3 several clients of this function may be
// subscribed at once if all ask for it; here one is, whatever it asks for. One
// of cuptiSubscribe() excludes them, and is excluded by them, in every release;
// since 13.3 so do activity kinds that are on for the whole process.
CUptiResult CUPTIAPI cuptiSubscribe_v2(CUpti_SubscriberHandle* subscriber,
                                       CUpti_CallbackFunc callback,
                                       void* user_data,
                                       CUpti_SubscriberParams* params) {
  return Cupti<"cuptiSubscribe_v2">([&] {
    if (!SimulationEnabled()) return CUPTI_ERROR_NOT_INITIALIZED;
    if (params != nullptr && params->structSize == 0) {
      return CUPTI_ERROR_INVALID_PARAMETER;
    }
    // The activity functions that serve the whole process are in use.
    if (HasScopedActivity() && Client::Get().selection().HasKinds()) {
      return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
    }
    Subscriber& current = Client::Get().subscriber();
    const CUptiResult result = current.Subscribe(
        callback, user_data,
        params == nullptr ? nullptr : params->subscriberName, subscriber);
    if (result == CUPTI_SUCCESS) current.SetScoped(true);
    if (result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED &&
        params != nullptr && params->oldSubscriberName != nullptr &&
        params->oldSubscriberSize > 0) {
      std::strncpy(params->oldSubscriberName, current.name().c_str(),
                   params->oldSubscriberSize - 1);
      params->oldSubscriberName[params->oldSubscriberSize - 1] = '\0';
    }
    return result;
  });
}

CUptiResult CUPTIAPI cuptiUnsubscribe(CUpti_SubscriberHandle subscriber) {
  return Cupti<"cuptiUnsubscribe">([&] {
    return Changing([&](Subscriber& s) { return s.Unsubscribe(subscriber); });
  });
}

CUptiResult CUPTIAPI cuptiEnableCallback(uint32_t enable,
                                         CUpti_SubscriberHandle subscriber,
                                         CUpti_CallbackDomain domain,
                                         CUpti_CallbackId cbid) {
  return Cupti<"cuptiEnableCallback">([&] {
    return Changing([&](Subscriber& s) {
      return s.EnableCallback(enable != 0, subscriber, domain, cbid);
    });
  });
}

CUptiResult CUPTIAPI cuptiEnableDomain(uint32_t enable,
                                       CUpti_SubscriberHandle subscriber,
                                       CUpti_CallbackDomain domain) {
  return Cupti<"cuptiEnableDomain">([&] {
    return Changing([&](Subscriber& s) {
      return s.EnableDomain(enable != 0, subscriber, domain);
    });
  });
}

CUptiResult CUPTIAPI cuptiEnableAllDomains(uint32_t enable,
                                           CUpti_SubscriberHandle subscriber) {
  return Cupti<"cuptiEnableAllDomains">([&] {
    return Changing([&](Subscriber& s) {
      CUptiResult result = CUPTI_SUCCESS;
      for (int d = CUPTI_CB_DOMAIN_DRIVER_API; d < CUPTI_CB_DOMAIN_SIZE; ++d) {
        result = s.EnableDomain(enable != 0, subscriber,
                                static_cast<CUpti_CallbackDomain>(d));
        if (result != CUPTI_SUCCESS) break;
      }
      return result;
    });
  });
}

CUptiResult CUPTIAPI cuptiSupportedDomains(size_t* count,
                                           CUpti_DomainTable* table) {
  return Cupti<"cuptiSupportedDomains">([&] {
    if (count == nullptr || table == nullptr) {
      return CUPTI_ERROR_INVALID_PARAMETER;
    }
    static CUpti_CallbackDomain domains[] = {
        CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_CB_DOMAIN_RUNTIME_API,
        CUPTI_CB_DOMAIN_RESOURCE,   CUPTI_CB_DOMAIN_SYNCHRONIZE,
        CUPTI_CB_DOMAIN_NVTX,       CUPTI_CB_DOMAIN_STATE,
    };
    *table = domains;
    *count = std::size(domains);
    if (!Subscriber::IsCallback(CUPTI_CB_DOMAIN_STATE, 1)) --*count;
    return CUPTI_SUCCESS;
  });
}

CUptiResult CUPTIAPI cuptiGetCallbackState(uint32_t* enable,
                                           CUpti_SubscriberHandle subscriber,
                                           CUpti_CallbackDomain domain,
                                           CUpti_CallbackId cbid) {
  return Cupti<"cuptiGetCallbackState">([&] {
    const Subscriber& current = Client::Get().subscriber();
    if (enable == nullptr || !current.IsCurrent(subscriber) ||
        !Subscriber::IsCallback(domain, cbid)) {
      return CUPTI_ERROR_INVALID_PARAMETER;
    }
    *enable = current.IsEnabled(domain, cbid) ? 1 : 0;
    return CUPTI_SUCCESS;
  });
}

}  // extern "C"
