// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_CUPTI_CLIENT_H_
#define DLTAP_SIMGPU_CUPTI_CLIENT_H_

#include <atomic>
#include <cstdint>
#include <mutex>
#include <unordered_set>

#include "simgpu/base/activity.h"
#include "simgpu/cupti/delivery.h"
#include "simgpu/cupti/memory_records.h"
#include "simgpu/cupti/selection.h"
#include "simgpu/cupti/subscriber.h"

namespace dltap::simgpu {

// CUPTI's state in this process: one activity client, one subscriber. The sink
// of the core's activity; lives for ever.
class Client final : public ActivitySink {
 public:
  static Client& Get();

  Selection& selection() { return selection_; }
  Delivery& delivery() { return delivery_; }
  Subscriber& subscriber() { return subscriber_; }

  // Records of what is there already, for the kinds that describe it.
  void Describe(CUpti_ActivityKind kind);

  // Of all records that a kind can have, those that the client wants.
  struct Options {
    std::atomic<bool> latencies{false};          // ...EnableLatencyTimestamps
    std::atomic<bool> event_times{false};        // ...EventDeviceTimestamps
    std::atomic<bool> allocation_source{false};  // ...EnableAllocationSource
    std::atomic<bool> unready_queries{true};     // ...EnableAllSyncRecords
  };
  Options& options() { return options_; }

  // Tells the core what is wanted now. Call it after every change.
  void Apply();

  // cuptiFinalize: everything off and forgotten, as before the first call.
  void Detach();

  void OnApiEnter(const ApiActivity& call) override;
  void OnApiExit(const ApiActivity& call) override;
  void OnKernel(const KernelActivityRecord& kernel) override;
  void OnCopy(const CopyActivityRecord& copy) override;
  void OnMemset(const MemsetActivityRecord& memset) override;
  void OnSynchronization(const SynchronizationActivityRecord& sync) override;
  void OnEvent(const EventActivityRecord& event) override;
  void OnMemory(const MemoryActivityRecord& memory) override;
  void OnPool(const PoolActivityRecord& pool) override;
  void OnResource(const ResourceActivityRecord& resource) override;

 private:
  Client();
  bool WantsRecord(const ApiActivity& call) const;
  void AddOverhead(CUpti_ActivityOverheadKind kind, int64_t begin_ns,
                   int64_t end_ns);
  void TellFirstUse(const KernelActivityRecord& kernel);
  void TellModule(const ResourceActivityRecord& resource);

  // With GRAPH_TRACE on, a graph launch has one record instead of its nodes'.
  bool GoesIntoGraph(const WorkPlace& place);
  void FinishGraph(const ApiActivity& call);

  Selection selection_;
  Delivery delivery_;
  Subscriber subscriber_;
  MemoryLifetimes memory_lifetimes_;
  Options options_;
  std::mutex used_kernels_mutex_;
  std::unordered_set<const char*> used_kernels_;
};

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_CUPTI_CLIENT_H_
