// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/cupti/hooks.h"

// Weak, empty: until shim/tap/cupti defines them.
namespace dltap::shim::hooks {

[[gnu::weak]] void CuptiSubscribe::Before(void*, void*, void*) {}
[[gnu::weak]] void CuptiSubscribe::Before(void*, void*, void*, void*) {}
[[gnu::weak]] void CuptiUnsubscribe::After(int32_t, void*) {}
[[gnu::weak]] void CuptiRegisterCallbacks::Before(void*, void*) {}
[[gnu::weak]] void CuptiRegisterCallbacks::After(int32_t, void*, void*) {}
[[gnu::weak]] void CuptiTimestampCallback::Before(void*) {}
[[gnu::weak]] void CuptiTimestampCallback::After(int32_t, void*) {}
[[gnu::weak]] void CuptiEnable::Before(int32_t) {}
[[gnu::weak]] void CuptiEnable::After(int32_t, int32_t) {}
[[gnu::weak]] void CuptiDisable::After(int32_t, int32_t) {}
[[gnu::weak]] void CuptiFlushAll::After(int32_t) {}
[[gnu::weak]] void CuptiFinalize::Before() {}

}  // namespace dltap::shim::hooks
