// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/tagging/object_hooks.h"

#include <cstring>

#include "shim/tap/tagging/cudnn_execution.h"
#include "shim/tap/tagging/cudnn_graphs.h"
#include "shim/tap/tagging/function_names.h"
#include "shim/tap/tagging/handle_streams.h"
#include "shim/tap/tagging/launch_arguments.h"
#include "shim/tap/tagging/operation_table.h"
#include "shim/tap/tagging/tagging_runtime.h"

namespace dltap::shim::hooks {
namespace {

void* Target(void* pointer) {
  void* value = nullptr;
  if (pointer != nullptr) memcpy(&value, pointer, sizeof(value));
  return value;
}

}  // namespace

void CudnnBackendCreate::After(int32_t status, int32_t type,
                               void* descriptor_out) {
  void* descriptor = Target(descriptor_out);
  if (status == 0 && descriptor != nullptr) {
    tagging::g_cudnn_graphs.Created(descriptor, type);
  }
}

void CudnnBackendSet::After(int32_t status, void* descriptor, int32_t name,
                            int32_t type, int64_t count, const void* elements) {
  if (status == 0) {
    tagging::g_cudnn_graphs.WasSet(descriptor, name, type, count, elements);
  }
}

void CudnnBackendGet::After(int32_t status, void* descriptor, int32_t name,
                            int32_t type, int64_t requested, void* count,
                            void* elements) {
  if (status != 0) return;
  int64_t returned = requested;
  if (count != nullptr) memcpy(&returned, count, sizeof(returned));
  tagging::g_cudnn_graphs.WasRead(descriptor, name, type,
                                  returned < requested ? returned : requested,
                                  elements);
}

void CudnnBackendDestroy::Before(void* descriptor) {
  tagging::g_cudnn_graphs.WillBeDestroyed(descriptor);
}

void CudnnExecute::Pack(uint8_t* at, void* plan, void* pack) {
  const uint32_t known = tagging::g_cudnn_graphs.PackCall(plan, pack, at);
  if (known == 0) tagging::CountLoss(trace::LossKind::kOperationUnknown);
  const uint32_t operation = tagging::g_operations.Defined(known);
  memcpy(at + tagging::kGraphCallBytes, &operation, sizeof(operation));
}

specs::LayerClass CudnnExecute::Class(void* plan, void*) {
  return tagging::g_operations.ClassOf(
      tagging::g_cudnn_graphs.OperationOfPlan(plan));
}

void HandleStream::After(int32_t status, void* handle, void* stream) {
  if (status == 0) tagging::g_handle_streams.Set(handle, stream);
}

void HandleGone::Before(void* handle) {
  tagging::g_handle_streams.Forget(handle);
}

void RegisterFunction::After(void* fat_binary, const void* stub,
                             const void* name) {
  const auto* text = static_cast<const char*>(name);
  tagging::g_function_names.Register(fat_binary, stub, text);
  tagging::g_launch_arguments.Named(stub, text);
}

void UnregisterFatBinary::Before(void* fat_binary) {
  tagging::g_function_names.Unregister(fat_binary);
}

void NamedFunction::After(int32_t status, void* function_out,
                          const void* name) {
  if (status != 0) return;
  const void* function = Target(function_out);
  const auto* text = static_cast<const char*>(name);
  tagging::g_function_names.Named(function, text);
  tagging::g_launch_arguments.Named(function, text);
}

void FunctionAlias::After(int32_t status, void* function_out,
                          const void* source) {
  if (status != 0) return;
  const void* function = Target(function_out);
  tagging::g_function_names.Alias(function, source);
  tagging::g_launch_arguments.Alias(function, source);
}

void CaptureBegin::Before() { GraphBegin::Before(); }

void CaptureBegin::After(int32_t status) {
  if (status == 0 && tagging::g_runtime.capture_began != nullptr) {
    tagging::g_runtime.capture_began();
  }
}

void CaptureEnd::After(int32_t status) {
  if (tagging::g_runtime.capture_ended != nullptr) {
    tagging::g_runtime.capture_ended(status != 0);
  }
}

void GraphBegin::Before() {
  if (tagging::g_runtime.capture_begins != nullptr) {
    tagging::g_runtime.capture_begins();
  }
}

}  // namespace dltap::shim::hooks
