// SPDX-License-Identifier: Apache-2.0
#include "simgpu/bytes/work_order.h"

#include <algorithm>
#include <utility>

#include "simgpu/base/thread_state.h"

namespace dltap::simgpu {
namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;
constexpr size_t kHostIndex = 0;

// Components of the clocks. That of a stream which is gone goes to the next
// one: its work was joined into the host's line.
struct Lines {
  std::mutex mutex;  // before that of any line
  std::vector<OrderLine*> live;
  std::vector<size_t> free;
  size_t count = kHostIndex + 1;
};

Lines& AllLines() {
  static auto* const lines = new Lines;
  return *lines;
}

size_t TakeIndex() {
  Lines& lines = AllLines();
  const std::lock_guard lock(lines.mutex);
  if (lines.free.empty()) return lines.count++;
  const size_t index = lines.free.back();
  lines.free.pop_back();
  return index;
}

// The line is whole: others may ask it from now on.
void Enter(OrderLine* line) {
  Lines& lines = AllLines();
  const std::lock_guard lock(lines.mutex);
  lines.live.push_back(line);
}

void Leave(OrderLine* line, size_t index) {
  Lines& lines = AllLines();
  const std::lock_guard lock(lines.mutex);
  std::erase(lines.live, line);
  lines.free.push_back(index);
}

// to = max(to, from), by component. True: that changed something.
bool Raise(VectorClock& to, const VectorClock& from) {
  bool changed = false;
  if (to.size() < from.size()) to.resize(from.size());
  for (size_t i = 0; i < from.size(); ++i) {
    if (to[i] >= from[i]) continue;
    to[i] = from[i];
    changed = true;
  }
  return changed;
}

}  // namespace

constinit std::atomic<uint64_t> g_host_order_version{0};

OrderLine::OrderLine()
    : now_(std::make_shared<OrderPoint>(
          OrderPoint{.line = TakeIndex(), .writes = {}, .spoilt = {}})) {
  Enter(this);
}

OrderLine::~OrderLine() {
  const Order last = Now();
  HostLine().Join(last);
  Leave(this, last->line);
}

void OrderLine::Set(OrderPoint point) {
  all_spoilt_.store(point.spoilt == point.writes, kRelaxed);
  now_ = std::make_shared<const OrderPoint>(std::move(point));
  if (is_host_) g_host_order_version.fetch_add(1, std::memory_order_release);
}

void OrderLine::FollowHost() {
  if (is_host_) return;
  const uint64_t version = g_host_order_version.load(std::memory_order_acquire);
  if (host_version_.load(kRelaxed) == version) return;
  Join(HostLine().Now());
  host_version_.store(version, kRelaxed);
}

void OrderLine::SpoilAll() {
  FollowHost();
  const std::lock_guard lock(mutex_);
  if (all_spoilt_.load(kRelaxed)) return;
  OrderPoint point = *now_;
  point.spoilt = point.writes;
  Set(std::move(point));
}

Order OrderLine::BeginWrite() {
  FollowHost();
  const std::lock_guard lock(mutex_);
  // Writes share a number as long as nothing can tell them apart.
  const bool is_spoilt = now_->write_number() == At(now_->spoilt, now_->line);
  if (was_seen_ || is_spoilt) {
    OrderPoint point = *now_;
    if (point.writes.size() <= point.line) point.writes.resize(point.line + 1);
    ++point.writes[point.line];
    Set(std::move(point));
    was_seen_ = false;
  }
  return now_;
}

Order OrderLine::Now() {
  FollowHost();
  const std::lock_guard lock(mutex_);
  was_seen_ = true;
  return now_;
}

void OrderLine::Join(const Order& order) {
  if (order == nullptr) return;
  const std::lock_guard lock(mutex_);
  if (order == now_) return;
  OrderPoint point = *now_;
  const bool more_writes = Raise(point.writes, order->writes);
  const bool more_spoilt = Raise(point.spoilt, order->spoilt);
  if (more_writes || more_spoilt) Set(std::move(point));
}

OrderLine& HostLine() {
  static auto* const line = [] {
    auto* made = new OrderLine(OrderLine::HostTag{});
    made->now_ = std::make_shared<OrderPoint>();
    return made;
  }();
  return *line;
}

OrderLine& BlockingLine() {
  static auto* const line = new OrderLine;
  return *line;
}

Order OrderOfAll() {
  OrderPoint all = *HostLine().Now();
  Lines& lines = AllLines();
  const std::lock_guard lock(lines.mutex);
  for (OrderLine* line : lines.live) {
    const Order order = line->Now();
    Raise(all.writes, order->writes);
    Raise(all.spoilt, order->spoilt);
  }
  return std::make_shared<const OrderPoint>(std::move(all));
}

AtOrder::AtOrder(const Order& order) : outer_(CurrentThread().order) {
  CurrentThread().order = &order;
}

AtOrder::~AtOrder() { CurrentThread().order = outer_; }

Order OrderOfWrite() {
  const Order* current = CurrentThread().order;
  return current != nullptr && *current ? *current : HostLine().BeginWrite();
}

Order OrderOfRead() {
  const Order* current = CurrentThread().order;
  return current != nullptr && *current ? *current : HostLine().Now();
}

}  // namespace dltap::simgpu
