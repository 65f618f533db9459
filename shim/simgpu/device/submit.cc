// SPDX-License-Identifier: Apache-2.0
#include "shim/simgpu/device/submit.h"

#include <algorithm>
#include <utility>

#include "shim/simgpu/device/capture.h"
#include "shim/simgpu/device/clock.h"
#include "shim/simgpu/device/event.h"
#include "shim/simgpu/device/faults.h"
#include "shim/simgpu/device/host_executor.h"
#include "shim/simgpu/device/launch.h"
#include "shim/simgpu/device/memory_effects.h"
#include "shim/simgpu/device/thread_state.h"
#include "shim/simgpu/device/work_activity.h"
#include "shim/simgpu/device/written_memory.h"

namespace dltap::simgpu {
namespace {

// The memory effect of work, as a function to call at its turn.
struct Effect {
  void operator()(const KernelWork& kernel) const {
    if (kernel.effect) kernel.effect();
  }
  void operator()(const CopyWork& copy) const { PerformCopy(copy); }
  void operator()(const MemsetWork& set) const { PerformMemset(set); }
  void operator()(const HostWork& host) const {
    ThreadState& thread = CurrentThread();
    thread.in_host_function = true;
    host.function();
    thread.in_host_function = false;
  }
  void operator()(const MemoryOperationsWork& operations) const {
    PerformMemoryOperations(operations);
  }
  template <typename WithoutEffect>
  void operator()(const WithoutEffect&) const {}
};

bool HasEffect(const Work& work) {
  if (const auto* kernel = std::get_if<KernelWork>(&work)) {
    return kernel->effect || kernel->exchange != nullptr;
  }
  return !std::holds_alternative<EmptyWork>(work);
}

// What needs other ranks keeps neither this thread nor other streams waiting.
// REQUIRES: stream.mutex.
void StartExchange(Stream& stream, const ExchangeStarter& starter) {
  const uint64_t before = HostTicketBefore(stream);
  std::function<bool()> poll = starter();
  if (HostWorkDone(before) && poll()) return;
  stream.host_ticket.store(PollOnHost(std::move(poll), before),
                           std::memory_order_relaxed);
}

void FailLaunch(Fault& fault, Device& device, const Span& span) {
  if (const FaultRule* rule = fault.Next()) {
    FailAt(device, static_cast<int>(rule->value), span.end_ns);
  }
}

// REQUIRES: stream.mutex.
void DoEffect(Stream& stream, const Work& work, const Span& span) {
  if (const auto* kernel = std::get_if<KernelWork>(&work)) {
    // A kernel with an effect writes just what it says and leaves the rest.
    if (!HasEffect(work)) MarkAllStale();
    LogLaunch(*kernel, stream);
    if (Fault* fault = FaultAt(FaultPoint::kLaunch)) [[unlikely]]
      FailLaunch(*fault, *stream.device, span);
  }
  if (!HasEffect(work)) return;
  if (const auto* kernel = std::get_if<KernelWork>(&work);
      kernel != nullptr && kernel->exchange != nullptr) {
    return StartExchange(stream, *kernel->exchange);
  }
  const uint64_t before = HostTicketBefore(stream);
  const bool is_host_work = std::holds_alternative<HostWork>(work);
  if (!is_host_work && HostWorkDone(before)) {
    std::visit(Effect{}, work);
    return;
  }
  // A host function runs when everything before it is over, work that follows
  // one when it is over itself.
  const int64_t ready_ns = is_host_work ? span.begin_ns : span.end_ns;
  const uint64_t ticket = RunOnHost(
      ready_ns, [work] { std::visit(Effect{}, work); }, before);
  stream.host_ticket.store(ticket, std::memory_order_relaxed);
}

}  // namespace

void Execute(Stream& stream, const Work& work, Span span, int64_t submitted_ns,
             GraphPlace graph) {
  DoEffect(stream, work, span);
  if (ActivityWanted(kKernelActivity | kCopyActivity | kMemsetActivity)) {
    TellActivity(stream, work, span, submitted_ns, graph);
  }
}

Error Submit(Stream& stream, Work work) {
  Device& device = *stream.device;
  if (const Error sticky = StickyErrorOf(device); sticky != Error::kSuccess) {
    return sticky;
  }
  if (stream.capture.load(std::memory_order_acquire) != nullptr) {
    return CaptureWork(stream, std::move(work));
  }
  if (const Error error = CheckImplicitCapture(stream);
      error != Error::kSuccess) {
    return error;
  }
  const std::lock_guard lock(stream.mutex);
  const int64_t submitted_ns = SimNow();
  const int64_t begin_ns = EarliestBegin(stream, submitted_ns, GapBefore(work));
  const Span span = Occupy(stream, work,
                           {.begin_ns = begin_ns,
                            .now_ns = submitted_ns,
                            .priority = stream.priority});
  stream.tail_ns.store(span.end_ns, std::memory_order_relaxed);
  Execute(stream, work, span, submitted_ns, {});
  return Error::kSuccess;
}

}  // namespace dltap::simgpu
