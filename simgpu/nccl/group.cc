// SPDX-License-Identifier: Apache-2.0
#include "simgpu/nccl/group.h"

#include <unistd.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "simgpu/base/thread_state.h"
#include "simgpu/launch/library_call.h"
#include "simgpu/nccl/exchange.h"
#include "simgpu/nccl/setup.h"

namespace dltap::simgpu {
namespace {

struct Group {
  int depth = 0;
  ncclResult_t error = ncclSuccess;  // the first inside it
  std::vector<Operation> operations;
  std::vector<ncclComm*> setups;
};

Group& GroupOfThread() {
  // Leaked: calls may come after the thread's destructors have run.
  static thread_local Group& group = *new Group;
  return group;
}

// One kernel for what a group does with one communicator on one stream.
using Batch = std::vector<Operation>;

std::vector<Batch> BatchesOf(const std::vector<Operation>& operations) {
  std::vector<Batch> batches;
  for (const Operation& operation : operations) {
    const auto batch = std::find_if(
        batches.begin(), batches.end(), [&](const Batch& candidate) {
          return candidate.front().comm == operation.comm &&
                 candidate.front().stream == operation.stream;
        });
    if (batch == batches.end()) {
      batches.push_back({operation});
    } else {
      batch->push_back(operation);
    }
  }
  return batches;
}

// A null stream is the default one of the communicator's device.
class OnDeviceOf {
 public:
  explicit OnDeviceOf(const ncclComm& comm)
      : before_(std::exchange(CurrentThread().device, comm.device)) {}
  ~OnDeviceOf() { CurrentThread().device = before_; }
  OnDeviceOf(const OnDeviceOf&) = delete;
  OnDeviceOf& operator=(const OnDeviceOf&) = delete;

 private:
  const int before_;
};

ncclResult_t Launch(const Batch& batch) {
  const OnDeviceOf device(*batch.front().comm);
  LibraryKernel kernel{.name = KernelName(batch.front()), .grid = {24, 1, 1}};
  kernel.block = {544, 1, 1};
  kernel.dynamic_shared_bytes = 82'240;
  kernel.registers_per_thread = 96;
  kernel.duration_ns = DurationNs(batch);
  kernel.exchange = std::make_shared<const ExchangeStarter>(
      [batch] { return StartExchanges(batch); });
  return LaunchLibraryKernel(batch.front().stream, kernel) == Error::kSuccess
             ? ncclSuccess
             : ncclUnhandledCudaError;
}

ncclResult_t Start(const std::vector<Operation>& operations) {
  ncclResult_t result = ncclSuccess;
  for (const Batch& batch : BatchesOf(operations)) {
    const ncclResult_t launched = Launch(batch);
    if (result == ncclSuccess) result = launched;
  }
  return result;
}

// Of a setup that has come to its end; one that was aborted has none.
ncclResult_t ResultOf(const ncclComm& comm) {
  const ncclResult_t state = comm.async_error;
  return state == ncclInProgress ? ncclSuccess : state;
}

// In turns, since the communicators of a group may be ranks of one another.
ncclResult_t FinishSetups(const std::vector<ncclComm*>& setups) {
  const auto wants_more = [](ncclComm* comm) { return !Progress(*comm); };
  const bool waits = std::all_of(setups.begin(), setups.end(),
                                 [](ncclComm* comm) { return comm->blocking; });
  for (int turn = 0; std::count_if(setups.begin(), setups.end(), wants_more);
       ++turn) {
    if (!waits) return ncclInProgress;
    usleep(turn < 1000 ? 50 : 1000);
  }
  for (const ncclComm* comm : setups) {
    if (ResultOf(*comm) != ncclSuccess) return ResultOf(*comm);
  }
  return ncclSuccess;
}

}  // namespace

void BeginGroup() { ++GroupOfThread().depth; }

bool InGroup() { return GroupOfThread().depth > 0; }

ncclResult_t EndGroup() {
  Group& group = GroupOfThread();
  if (group.depth == 0) return ncclInvalidUsage;
  if (--group.depth > 0) return ncclSuccess;
  const Group ended = std::exchange(group, {});
  if (ended.error != ncclSuccess) return ended.error;
  const ncclResult_t set_up = FinishSetups(ended.setups);
  return set_up == ncclSuccess ? Start(ended.operations) : set_up;
}

void QueueSetup(ncclComm* comm) { GroupOfThread().setups.push_back(comm); }

ncclResult_t FinishSetup(ncclComm* comm) {
  if (InGroup()) {
    QueueSetup(comm);
    return ncclSuccess;
  }
  if (!comm->blocking) {
    return Progress(*comm) ? ResultOf(*comm) : ncclInProgress;
  }
  for (int turn = 0; !Progress(*comm); ++turn) usleep(turn < 1000 ? 50 : 1000);
  return ResultOf(*comm);
}

ncclResult_t Enqueue(const Operation& operation) {
  Group& group = GroupOfThread();
  const ncclResult_t checked = Check(operation);
  if (checked != ncclSuccess) {
    if (group.depth > 0 && group.error == ncclSuccess) group.error = checked;
    return checked;
  }
  if (group.depth == 0) return Start({operation});
  group.operations.push_back(operation);
  return ncclSuccess;
}

}  // namespace dltap::simgpu
