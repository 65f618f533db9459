// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_IDLE_HOST_TIMELINE_H_
#define DLTAP_ANALYZER_METRICS_IDLE_HOST_TIMELINE_H_

#include <cstdint>
#include <vector>

#include "analyzer/attribution/base/attributed.h"
#include "analyzer/metrics/windows/window.h"
#include "analyzer/model/trace_model.h"

// Which threads feed the devices of a process, and which calls they are in.
namespace dltap::analyzer {

// Threads that put work on the same streams take turns: the backward pass of
// PyTorch runs on a thread of its own while the one that began it sleeps.
// Together they are one feeder.
class Feeders {
 public:
  Feeders(const Process& process, const ProcessAttribution& attribution);

  size_t count() const { return threads_.size(); }
  const std::vector<ThreadId>& ThreadsOf(size_t feeder) const {
    return threads_[feeder];
  }
  // The feeder that a thread is part of; kNoFeeder: it submits nothing.
  size_t OfThread(ThreadId thread) const { return of_thread_[thread.value()]; }
  // Whether it launches kernels, as a thread that only copies ahead doesn't.
  bool Computes(size_t feeder) const { return kernels_[feeder] > 0; }
  // The feeder with most kernels on the device; kNoFeeder: none has any.
  size_t MainFeederOf(const Process& process,
                      const ProcessAttribution& attribution,
                      DeviceId device) const;

  static constexpr size_t kNoFeeder = static_cast<size_t>(-1);

 private:
  std::vector<size_t> of_thread_;
  std::vector<std::vector<ThreadId>> threads_;
  std::vector<uint64_t> kernels_;
};

enum class HostState : uint8_t { kWait, kLaunch, kLibrary, kBetween };
inline constexpr size_t kHostStates = 4;

// A span that a feeder spends in one kind of call.
struct HostSpan {
  Interval span;
  HostState state;
};

// A call that does not return before the device has done something.
struct Wait {
  Interval span;
  CallId call;
  bool pageable;         // a copy of pageable memory, not a synchronizing call
  bool queries = false;  // a loop of them
};

// The calls of one feeder: disjoint, in time; between them no call is open.
struct HostTimeline {
  std::vector<HostSpan> spans;
  std::vector<Wait> waits;           // by begin
  std::vector<int64_t> call_begins;  // of outermost calls
};

HostTimeline TimelineOf(const TraceModel& model, const Process& process,
                        const ProcessAttribution& attribution,
                        const std::vector<ThreadId>& threads);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_IDLE_HOST_TIMELINE_H_
