// SPDX-License-Identifier: Apache-2.0
#include "simgpu/stream/open_work.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "simgpu/base/atomic_max.h"
#include "simgpu/base/clock.h"
#include "simgpu/base/config.h"
#include "simgpu/base/thread_state.h"
#include "simgpu/stream/host_executor.h"

namespace dltap::simgpu {
namespace {

bool IsRealTime() { return GetConfig().clock == ClockMode::kReal; }

const ExchangeStarter* StarterOf(const Work& work) {
  const auto* kernel = std::get_if<KernelWork>(&work);
  return kernel == nullptr ? nullptr : kernel->exchange.get();
}

}  // namespace

bool IsOpenEnded(const Work& work) {
  return StarterOf(work) != nullptr ||
         (std::holds_alternative<HostWork>(work) && IsRealTime());
}

OpenExchange StartExchange(const Work& work) {
  const ExchangeStarter* starter = StarterOf(work);
  return starter == nullptr ? OpenExchange{} : (*starter)();
}

void CallHostFunction(const HostWork& host, const Order& order) {
  HostLine().Join(order);
  ThreadState& thread = CurrentThread();
  thread.in_host_function = true;
  host.function();
  thread.in_host_function = false;
}

constinit std::atomic<bool> g_has_open_work{false};

bool FollowsOpenWork(Stream& stream) {
  return !HostWorkDone(TicketBefore(stream, &Stream::open_ticket));
}

namespace {

constexpr std::chrono::milliseconds kLongestPatience{2000};
constexpr std::chrono::milliseconds kShortestPatience{20};

// A ticket that is over when all open work is; what was waited for in vain, and
// how long the next wait may be.
constinit std::atomic<uint64_t> g_all_open{0};
constinit std::atomic<uint64_t> g_given_up{0};
constinit std::atomic<std::chrono::milliseconds> g_patience{kLongestPatience};

[[gnu::noinline, gnu::cold]] void WaitForOpenWork() {
  if (!HostWorkDone(g_given_up.load())) return;
  const uint64_t ticket = g_all_open.load();
  const std::chrono::milliseconds patience = g_patience.load();
  if (WaitForHostWork(ticket, patience)) return;
  g_given_up.store(ticket);
  g_patience.store(std::max(kShortestPatience, patience / 2));
}

}  // namespace

void SettleOpenWork() {
  if (g_has_open_work.load(std::memory_order_relaxed) && IsVirtualTime()) {
    WaitForOpenWork();
  }
}

void FollowOpenWork(Stream& stream, uint64_t ticket) {
  FollowHostWork(g_all_open, ticket);
  g_has_open_work.store(true, std::memory_order_relaxed);
  stream.host_ticket.store(ticket, std::memory_order_relaxed);
  stream.open_ticket.store(ticket, std::memory_order_relaxed);
}

OpenWork::OpenWork(Stream& stream, const Work& work, OpenExchange exchange,
                   const Span& span, const Origin& origin)
    : stream_(stream),
      work_(work),
      exchange_(std::move(exchange)),
      origin_(origin),
      modelled_end_ns_(span.end_ns),
      span_(span) {}

// Earlier only where nothing else has moved it since.
void OpenWork::MoveTail() const {
  int64_t modelled_ns = modelled_end_ns_;
  if (stream_.tail_ns.compare_exchange_strong(modelled_ns, end_ns())) return;
  RaiseTo(stream_.tail_ns, end_ns());
}

bool OpenWork::IsOver(bool on_host_executor) {
  if (over_) return true;
  if (const auto* host = std::get_if<HostWork>(&work_)) {
    over_ = on_host_executor && RunHostFunction(*host);
  } else {
    over_ = AskOthers();
  }
  return over_;
}

bool OpenWork::RunHostFunction(const HostWork& host) {
  if (IsRealTime() && SimNow() < span_.begin_ns) return false;
  CallHostFunction(host, origin_.order);
  if (IsRealTime()) span_.end_ns = std::max(span_.end_ns, SimNow());
  return true;
}

bool OpenWork::AskOthers() {
  const AtOrder at(origin_.order);
  const std::optional<int64_t> last_begin_ns = exchange_(span_.begin_ns);
  if (!last_begin_ns.has_value()) return false;
  // Less than nothing where links are faster than modelled.
  span_.end_ns =
      std::max(span_.begin_ns, span_.end_ns + *last_begin_ns - span_.begin_ns);
  TellActivity(stream_, work_, span_, origin_);
  return true;
}

uint64_t OpenWork::Finish(std::shared_ptr<OpenWork> work, uint64_t before) {
  const auto ask = [work] {
    if (!work->IsOver(true)) return false;
    work->MoveTail();
    return true;
  };
  if (std::holds_alternative<HostWork>(work->work_)) {
    return RunOnHost(work->span_.begin_ns, ask, before);
  }
  return PollOnHost(ask, before);
}

}  // namespace dltap::simgpu
