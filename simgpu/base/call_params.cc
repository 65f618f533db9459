// SPDX-License-Identifier: Apache-2.0
#include "simgpu/base/call_params.h"

#include <utility>

#include "simgpu/base/thread_state.h"
#include "simgpu/launch/kernel.h"
#include "simgpu/stream/device.h"

namespace dltap::simgpu {
namespace {

struct ShownCall {
  CallId call;
  const void* params;
};
[[gnu::tls_model("initial-exec")]] thread_local ShownCall t_shown{};

}  // namespace

void SetCallParams(CallId call, const void* params) {
  t_shown = {call, params};
}

const void* TakeCallParams(CallId call) {
  const ShownCall shown = std::exchange(t_shown, {});
  const bool is_of_call =
      shown.call.domain == call.domain && shown.call.cbid == call.cbid;
  return is_of_call ? shown.params : nullptr;
}

CallContext CurrentCallContext() {
  const ThreadState& thread = CurrentThread();
  Context* context = nullptr;
  if (!thread.contexts.empty()) {
    context = thread.contexts.back();
  } else if (DevicesReady()) {
    context = CurrentDeviceState().primary_context;
  }
  return {context, context == nullptr ? 0 : context->id};
}

const char* NameOfKernel(const void* stub_or_handle) {
  const Kernel* kernel = ResolveKernel(stub_or_handle);
  return kernel == nullptr ? nullptr : kernel->name;
}

}  // namespace dltap::simgpu
