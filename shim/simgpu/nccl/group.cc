// SPDX-License-Identifier: Apache-2.0
#include "shim/simgpu/nccl/group.h"

#include <memory>
#include <vector>

#include "shim/simgpu/device/library_call.h"

namespace dltap::simgpu {
namespace {

struct Group {
  int depth = 0;
  std::vector<Operation> queue;
};

Group& GroupOfThread() {
  // Leaked: calls may come after the thread's destructors have run.
  static thread_local Group& group = *new Group;
  return group;
}

// A captured operation exchanges anew at each replay.
std::function<void()> CapturedEffect(const Operation& operation) {
  return [operation] {
    Exchange exchange(operation);
    exchange.Publish();
    exchange.Complete();
  };
}

std::function<void()> Effect(std::shared_ptr<Exchange> exchange) {
  return [exchange = std::move(exchange)] { exchange->Complete(); };
}

ncclResult_t Launch(const Operation& operation, std::function<void()> effect) {
  LibraryKernel kernel{
      .name = KernelName(operation), .grid = {24, 1, 1}, .effect = {}};
  kernel.block = {544, 1, 1};
  kernel.dynamic_shared_bytes = 82'240;
  kernel.registers_per_thread = 96;
  kernel.duration_ns = DurationNs(operation);
  kernel.effect = std::move(effect);
  return LaunchLibraryKernel(operation.stream, kernel) == Error::kSuccess
             ? ncclSuccess
             : ncclUnhandledCudaError;
}

ncclResult_t Start(const std::vector<Operation>& operations) {
  std::vector<std::function<void()>> effects;
  for (const Operation& operation : operations) {
    if (IsCapturing(operation.stream)) {
      effects.push_back(CapturedEffect(operation));
      continue;
    }
    auto exchange = std::make_shared<Exchange>(operation);
    if (!exchange->Publish()) return ncclSystemError;
    effects.push_back(Effect(std::move(exchange)));
  }
  ncclResult_t result = ncclSuccess;
  for (size_t i = 0; i < operations.size(); ++i) {
    const ncclResult_t launched = Launch(operations[i], std::move(effects[i]));
    if (result == ncclSuccess) result = launched;
  }
  return result;
}

}  // namespace

void BeginGroup() { ++GroupOfThread().depth; }

bool InGroup() { return GroupOfThread().depth > 0; }

ncclResult_t EndGroup() {
  Group& group = GroupOfThread();
  if (group.depth == 0) return ncclInvalidUsage;
  if (--group.depth > 0) return ncclSuccess;
  const std::vector<Operation> operations = std::move(group.queue);
  group.queue.clear();
  return Start(operations);
}

ncclResult_t Enqueue(const Operation& operation) {
  const ncclResult_t checked = Check(operation);
  if (checked != ncclSuccess) return checked;
  Group& group = GroupOfThread();
  if (group.depth == 0) return Start({operation});
  group.queue.push_back(operation);
  return ncclSuccess;
}

}  // namespace dltap::simgpu
