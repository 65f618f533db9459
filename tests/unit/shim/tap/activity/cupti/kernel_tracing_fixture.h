// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_TESTS_UNIT_SHIM_TAP_ACTIVITY_CUPTI_KERNEL_TRACING_FIXTURE_H_
#define DLTAP_TESTS_UNIT_SHIM_TAP_ACTIVITY_CUPTI_KERNEL_TRACING_FIXTURE_H_

#include <gtest/gtest.h>

#include <memory>

#include "shim/tap/activity/cupti/kernel_tracing.h"
#include "tests/unit/shim/tap/activity/cupti/fake_cupti.h"
#include "tests/unit/shim/tap/activity/cupti/fake_runtime.h"

namespace dltap::shim::cupti {

// The one KernelTracing of the process, fresh for each test, between a fake
// CUPTI and a fake runtime.
class KernelTracingFixture : public ::testing::Test {
 protected:
  KernelTracingFixture() {
    unsetenv("CUDA_INJECTION64_PATH");
    std::destroy_at(&tracing_);
    std::destroy_at(&g_buffer_pool);
    std::construct_at(&g_buffer_pool);
    std::construct_at(&tracing_);
  }

  void Start() { tracing_.Start(runtime_.runtime()); }

  // Somebody else is CUPTI's subscriber.
  void StartWithApiRecords() {
    cupti_.busy_subscriber = true;
    Start();
  }
  // Whether our kinds are on: clients of these tests want kernels alone.
  bool IsOn() const {
    return cupti_.kinds.count(CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION) != 0;
  }

  // A pass late enough to flush.
  void Pass() {
    runtime_.now_ns += 600'000'000;
    cupti_.now += 600'000'000;
    tracing_.Pass();
  }

  KernelTracing& tracing_ = g_kernel_tracing;
  FakeCupti cupti_;
  FakeRuntime runtime_;
};

}  // namespace dltap::shim::cupti

#endif  // DLTAP_TESTS_UNIT_SHIM_TAP_ACTIVITY_CUPTI_KERNEL_TRACING_FIXTURE_H_
