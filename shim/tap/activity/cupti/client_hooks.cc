// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/activity/cupti/client_hooks.h"

#include "shim/tap/activity/cupti/kernel_tracing.h"

namespace dltap::shim::hooks {

using cupti::ApiDomain;
using cupti::g_kernel_tracing;

namespace {

void AfterFunction(int32_t status, ApiDomain domain, uint32_t id, bool on) {
  if (status == 0) g_kernel_tracing.clients().AfterFunction(domain, id, on);
  if (on) g_kernel_tracing.clients().HasCome();
}

}  // namespace

void CuptiSubscribe::Before(void*, void*, void*) {
  g_kernel_tracing.clients().BeforeSubscribe();
}
void CuptiSubscribe::Before(void*, void*, void*, void*) {
  g_kernel_tracing.clients().BeforeScopedSubscribe();
}
void CuptiSubscribe::After(int32_t status, void*, void*, void*) {
  g_kernel_tracing.clients().AfterSubscribe(status == 0);
}
void CuptiSubscribe::After(int32_t status, void*, void*, void*, void*) {
  g_kernel_tracing.clients().AfterScopedSubscribe(status == 0);
}

void CuptiUnsubscribe::After(int32_t status, void*) {
  if (status == 0) g_kernel_tracing.clients().AfterUnsubscribe();
}

void CuptiRegisterCallbacks::Before(void*, void*) {
  g_kernel_tracing.clients().BeforeRegister();
}
void CuptiRegisterCallbacks::After(int32_t status, void* requested,
                                   void* completed) {
  if (status == 0) {
    g_kernel_tracing.clients().AfterRegister(
        reinterpret_cast<CUpti_BuffersCallbackRequestFunc>(requested),
        reinterpret_cast<CUpti_BuffersCallbackCompleteFunc>(completed));
  }
  g_kernel_tracing.clients().HasCome();
}

void CuptiTimestampCallback::Before(void*) {
  g_kernel_tracing.clients().BeforeTimestampCallback();
}
void CuptiTimestampCallback::After(int32_t status, void* callback) {
  if (status != 0) return;
  g_kernel_tracing.clients().AfterTimestampCallback(
      reinterpret_cast<CUpti_TimestampCallbackFunc>(callback));
}

void CuptiEnable::Before(int32_t) { g_kernel_tracing.clients().BeforeEnable(); }
void CuptiEnable::After(int32_t status, int32_t kind) {
  if (status == 0) g_kernel_tracing.clients().AfterEnable(kind);
  g_kernel_tracing.clients().HasCome();
}

void CuptiDisable::After(int32_t status, int32_t kind) {
  if (status == 0) g_kernel_tracing.clients().AfterDisable(kind);
}

void CuptiRuntimeFunction::Before(uint32_t, uint8_t enable) {
  if (enable != 0) g_kernel_tracing.clients().BeforeEnable();
}
void CuptiRuntimeFunction::After(int32_t status, uint32_t id, uint8_t enable) {
  AfterFunction(status, ApiDomain::kRuntime, id, enable != 0);
}

void CuptiDriverFunction::Before(uint32_t, uint8_t enable) {
  if (enable != 0) g_kernel_tracing.clients().BeforeEnable();
}
void CuptiDriverFunction::After(int32_t status, uint32_t id, uint8_t enable) {
  AfterFunction(status, ApiDomain::kDriver, id, enable != 0);
}

void CuptiFlushAll::After(int32_t status) {
  if (status == 0) g_kernel_tracing.clients().AfterFlush();
}

void CuptiFinalize::Before() { g_kernel_tracing.clients().BeforeFinalize(); }

}  // namespace dltap::shim::hooks
