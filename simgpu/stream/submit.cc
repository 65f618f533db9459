// SPDX-License-Identifier: Apache-2.0
#include "simgpu/stream/submit.h"

#include <memory>
#include <utility>

#include "simgpu/base/clock.h"
#include "simgpu/base/faults.h"
#include "simgpu/base/thread_state.h"
#include "simgpu/bytes/work_order.h"
#include "simgpu/bytes/written_memory.h"
#include "simgpu/stream/capture_sequence.h"
#include "simgpu/stream/host_executor.h"
#include "simgpu/stream/launch_log.h"
#include "simgpu/stream/memory_effects.h"
#include "simgpu/stream/open_work.h"

namespace dltap::simgpu {
namespace {

// The memory effect of work, as a function to call at its turn.
struct EffectVisitor {
  const Order& order;

  void operator()(const KernelWork& kernel) const {
    if (kernel.effect) {
      kernel.effect();
    } else if (kernel.may_write) {
      MarkStale(*kernel.may_write);
    }
  }
  void operator()(const CopyWork& copy) const { PerformCopy(copy); }
  void operator()(const MemsetWork& set) const { PerformMemset(set); }
  void operator()(const HostWork& host) const { CallHostFunction(host, order); }
  void operator()(const MemoryOperationsWork& operations) const {
    PerformMemoryOperations(operations);
  }
  template <typename WithoutEffect>
  void operator()(const WithoutEffect&) const {}
};

bool HasEffect(const Work& work) {
  if (const auto* kernel = std::get_if<KernelWork>(&work)) {
    return kernel->effect != nullptr || kernel->may_write.has_value();
  }
  return !std::holds_alternative<EmptyWork>(work);
}

void PerformEffect(const Work& work, const Order& order) {
  const AtOrder at(order);
  std::visit(EffectVisitor{order}, work);
}

[[gnu::noinline]] Order OrderOfEffect(Stream& stream, const Work& work) {
  // The writer of the value that is waited for is not known.
  if (std::holds_alternative<MemoryOperationsWork>(work)) {
    stream.line.Join(OrderOfAll());
  }
  const bool is_read = std::holds_alternative<HostWork>(work);
  return is_read ? stream.line.Now() : stream.line.BeginWrite();
}

void FailLaunch(Fault& fault, Device& device, const Span& span) {
  if (const FaultRule* rule = fault.Next()) {
    FailAt(device, static_cast<int>(rule->value), span.end_ns);
  }
}

// Work as it is kept beyond its call.
Work Kept(Work work) {
  if (auto* copy = std::get_if<CopyWork>(&work)) StageSource(*copy);
  return work;
}

// REQUIRES: stream.mutex.
void DoEffect(Stream& stream, const Work& work, const Span& span,
              const Order& order) {
  if (!HasEffect(work)) return;
  const uint64_t before = HostTicketBefore(stream);
  const bool is_host_work = std::holds_alternative<HostWork>(work);
  if (!is_host_work && HostWorkDone(before)) {
    PerformEffect(work, order);
    return;
  }
  // A host function runs when everything before it is over, work that follows
  // one when it is over itself.
  const int64_t ready_ns = is_host_work ? span.begin_ns : span.end_ns;
  const uint64_t ticket = RunOnHost(
      ready_ns, [kept = Kept(work), order] { PerformEffect(kept, order); },
      before);
  stream.host_ticket.store(ticket, std::memory_order_relaxed);
}

// REQUIRES: stream.mutex; all that the work follows has its time.
Span Place(Stream& stream, const Work& work, int64_t submitted_ns) {
  const int64_t begin_ns = EarliestBegin(stream, submitted_ns, GapBefore(work));
  const Span span = Occupy(stream, work,
                           {.begin_ns = begin_ns,
                            .now_ns = submitted_ns,
                            .priority = stream.priority});
  stream.tail_ns.store(span.end_ns, std::memory_order_relaxed);
  return span;
}

// What needs other ranks keeps neither this thread nor other streams waiting.
// REQUIRES: stream.mutex.
void Begin(Stream& stream, const Work& work, const Span& span,
           const Origin& origin) {
  NoteKernel(stream, work, span);
  const uint64_t before = HostTicketBefore(stream);
  auto open = std::make_shared<OpenWork>(stream, work, StartExchange(work),
                                         span, origin);
  if (HostWorkDone(before) && open->IsOver(false)) {
    stream.tail_ns.store(open->end_ns(), std::memory_order_relaxed);
  } else {
    FollowOpenWork(stream, OpenWork::Finish(std::move(open), before));
  }
}

// Work that follows open work: it begins on the host executor's thread.
class LaterWork {
 public:
  LaterWork(Stream& stream, Work work, const Origin& origin)
      : stream_(stream),
        work_(std::move(work)),
        origin_(origin),
        exchange_(StartExchange(work_)) {}

  bool IsOver() {
    if (open_ == nullptr) {
      const std::lock_guard lock(stream_.mutex);
      const Span span = Place(stream_, work_, origin_.submitted_ns);
      if (!IsOpenEnded(work_) && !std::holds_alternative<HostWork>(work_)) {
        ExecuteLater(stream_, work_, span, origin_);
        return true;
      }
      NoteKernel(stream_, work_, span);
      open_ = std::make_unique<OpenWork>(stream_, work_, std::move(exchange_),
                                         span, origin_);
    }
    if (!open_->IsOver(true)) return false;
    open_->MoveTail();
    return true;
  }

 private:
  Stream& stream_;
  const Work work_;
  const Origin origin_;
  OpenExchange exchange_;
  std::unique_ptr<OpenWork> open_;
};

// REQUIRES: stream.mutex.
[[gnu::noinline, gnu::cold]] void SubmitLater(Stream& stream, Work work,
                                              const Origin& origin) {
  auto later =
      std::make_shared<LaterWork>(stream, Kept(std::move(work)), origin);
  FollowOpenWork(stream, PollOnHost([later] { return later->IsOver(); },
                                    HostTicketBefore(stream)));
}

}  // namespace

Order NoteOrder(Stream& stream, const Work& work) {
  if (const auto* kernel = std::get_if<KernelWork>(&work)) {
    const bool has_order = kernel->effect || kernel->exchange != nullptr;
    if (!has_order) {
      if (!kernel->may_write) stream.line.NoteUnknownKernel();
      return nullptr;
    }
  } else if (!HasEffect(work)) {
    return nullptr;
  }
  return OrderOfEffect(stream, work);
}

void NoteKernel(const Stream& stream, const Work& work, const Span& span) {
  const auto* kernel = std::get_if<KernelWork>(&work);
  if (kernel == nullptr) return;
  LogLaunch(*kernel, stream);
  if (Fault* fault = FaultAt(FaultPoint::kLaunch)) [[unlikely]]
    FailLaunch(*fault, *stream.device, span);
}

void Execute(Stream& stream, const Work& work, const Span& span,
             const Origin& origin) {
  NoteKernel(stream, work, span);
  DoEffect(stream, work, span, origin.order);
  TellActivity(stream, work, span, origin);
}

void ExecuteLater(Stream& stream, const Work& work, const Span& span,
                  const Origin& origin) {
  NoteKernel(stream, work, span);
  PerformEffect(work, origin.order);
  TellActivity(stream, work, span, origin);
}

Error Submit(Stream& stream, Work&& work) {
  Device& device = *stream.device;
  CurrentThread().puts_work = true;
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
  SettleOpenWork();
  const std::lock_guard lock(stream.mutex);
  const Origin origin{
      SimNow(), CurrentThread().correlation_id, {}, NoteOrder(stream, work)};
  if (!MayBegin(stream)) [[unlikely]] {
    SubmitLater(stream, std::move(work), origin);
    return Error::kSuccess;
  }
  const Span span = Place(stream, work, origin.submitted_ns);
  if (IsOpenEnded(work)) [[unlikely]] {
    Begin(stream, work, span, origin);
  } else {
    Execute(stream, work, span, origin);
  }
  return Error::kSuccess;
}

}  // namespace dltap::simgpu
