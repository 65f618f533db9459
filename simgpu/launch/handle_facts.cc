// SPDX-License-Identifier: Apache-2.0
#include "simgpu/launch/handle_facts.h"

#include "simgpu/base/handle.h"
#include "simgpu/base/thread_state.h"
#include "simgpu/graph/graph_exec_state.h"
#include "simgpu/launch/kernel.h"
#include "simgpu/stream/stream.h"

namespace dltap::simgpu {

uint32_t ContextIdOf(void* context) {
  const auto* found = FromHandle<Context>(context);
  return found == nullptr ? 0 : found->id;
}

uint32_t DeviceIdOfContext(void* context) {
  const auto* found = FromHandle<Context>(context);
  return found == nullptr ? 0 : found->device->ordinal;
}

uint32_t StreamIdOf(void* stream) {
  const Stream* found = ResolveStream(stream);
  return found == nullptr ? 0 : found->id;
}

uint64_t GraphNodeIdOf(void* node) {
  const auto* found = FromHandle<GraphNode>(node);
  return found == nullptr ? 0 : found->id;
}

uint32_t GraphIdOf(void* graph) {
  const auto* found = FromHandle<Graph>(graph);
  return found == nullptr ? 0 : found->id;
}

uint32_t GraphExecIdOf(void* graph_exec) {
  const auto* found = FromHandle<GraphExec>(graph_exec);
  return found == nullptr ? 0 : found->graph->id;
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
