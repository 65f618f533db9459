// SPDX-License-Identifier: Apache-2.0
#include "simgpu/base/call_params.h"

#include <utility>

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

}  // namespace dltap::simgpu
