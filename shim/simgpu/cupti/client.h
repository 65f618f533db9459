// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_SIMGPU_CUPTI_CLIENT_H_
#define DLTAP_SHIM_SIMGPU_CUPTI_CLIENT_H_

#include <atomic>
#include <cstdint>

#include "shim/simgpu/cupti/delivery.h"
#include "shim/simgpu/cupti/selection.h"
#include "shim/simgpu/cupti/subscriber.h"
#include "shim/simgpu/device/activity.h"

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

  void set_latencies(bool wanted) { latencies_ = wanted; }

  // Tells the core what is wanted now. Call it after every change.
  void Apply();

  void set_thread_id_type(CUpti_ActivityThreadIdType type) {
    thread_id_type_ = type;
  }
  CUpti_ActivityThreadIdType thread_id_type() const { return thread_id_type_; }

  void OnApiEnter(const ApiActivity& call) override;
  void OnApiExit(const ApiActivity& call) override;
  void OnKernel(const KernelActivityRecord& kernel) override;
  void OnCopy(const CopyActivityRecord& copy) override;
  void OnMemset(const MemsetActivityRecord& memset) override;
  void OnSynchronization(const SynchronizationActivityRecord& sync) override;
  void OnMemory(const MemoryActivityRecord& memory) override;
  void OnResource(const ResourceActivityRecord& resource) override;

 private:
  Client() = default;
  uint32_t ThreadIdOf(const ApiActivity& call) const;

  // With GRAPH_TRACE on, a graph launch has one record instead of its nodes'.
  bool GoesIntoGraph(const WorkPlace& place);
  void FinishGraph(const ApiActivity& call);

  Selection selection_;
  Delivery delivery_;
  Subscriber subscriber_;
  std::atomic<bool> latencies_{false};
  std::atomic<CUpti_ActivityThreadIdType> thread_id_type_{
      CUPTI_ACTIVITY_THREAD_ID_TYPE_DEFAULT};
};

}  // namespace dltap::simgpu

#endif  // DLTAP_SHIM_SIMGPU_CUPTI_CLIENT_H_
