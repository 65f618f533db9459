// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_ACTIVITY_CUPTI_CLIENT_HOOKS_H_
#define DLTAP_SHIM_TAP_ACTIVITY_CUPTI_CLIENT_HOOKS_H_

#include <cstdint>

// CUPTI calls of other clients. Activity buffers, kinds and the subscriber are
// one per process, so when another client comes, dltap steps aside before its
// call reaches CUPTI, and takes back what the client has given up. See
// shim/tap/entry/hook_call.h for what a hook is.
namespace dltap::shim::hooks {

struct CuptiSubscribe {  // cuptiSubscribe, cuptiSubscribe_v2
  static void Before(void* subscriber, void* callback, void* user_data);
  static void Before(void* subscriber, void* callback, void* user_data,
                     void* params);
  static void After(int32_t status, void* subscriber, void* callback,
                    void* user_data);
  static void After(int32_t status, void* subscriber, void* callback,
                    void* user_data, void* params);
};
struct CuptiUnsubscribe {
  static void After(int32_t status, void* subscriber);
};
struct CuptiRegisterCallbacks {
  static void Before(void* requested, void* completed);
  static void After(int32_t status, void* requested, void* completed);
};
struct CuptiTimestampCallback {
  static void Before(void* callback);
  static void After(int32_t status, void* callback);
};
struct CuptiEnable {  // cuptiActivityEnable, -EnableContext, -EnableAndDump
  static void Before(int32_t kind);
  static void After(int32_t status, int32_t kind);
};
struct CuptiDisable {  // cuptiActivityDisable, cuptiActivityDisableContext
  static void After(int32_t status, int32_t kind);
};
struct CuptiRuntimeFunction {  // cuptiActivityEnableRuntimeApi
  static void Before(uint32_t id, uint8_t enable);
  static void After(int32_t status, uint32_t id, uint8_t enable);
};
struct CuptiDriverFunction {
  static void Before(uint32_t id, uint8_t enable);
  static void After(int32_t status, uint32_t id, uint8_t enable);
};
struct CuptiFlushAll {
  static void After(int32_t status);
};
struct CuptiFinalize {
  static void Before();
};

}  // namespace dltap::shim::hooks

#endif  // DLTAP_SHIM_TAP_ACTIVITY_CUPTI_CLIENT_HOOKS_H_
