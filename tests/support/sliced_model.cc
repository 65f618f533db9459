// SPDX-License-Identifier: Apache-2.0
#include "tests/support/sliced_model.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace dltap::analyzer {
namespace {

constexpr int64_t kApartNs = 10'000'000;

EventTotals Count(const Process& process) {
  EventTotals totals;
  totals.calls = process.calls.size();
  totals.launches = process.launches.size();
  totals.activities = process.activities.size();
  totals.of_device.resize(process.devices.size());
  for (const Activity& activity : process.activities) {
    ++totals.of_device[activity.device.value()];
  }
  std::vector<TimePart> captures;
  for (const Call& call : process.calls) {
    if (call.capturing) captures.push_back({call.begin_ns, call.end_ns + 1});
  }
  std::ranges::sort(captures, {}, &TimePart::begin_ns);
  for (const TimePart& part : captures) {
    std::vector<TimePart>& into = totals.captures;
    if (into.empty() || part.begin_ns > into.back().end_ns + kApartNs) {
      into.push_back(part);
    }
    into.back().end_ns = std::max(into.back().end_ns, part.end_ns);
  }
  return totals;
}

template <typename Event>
void Keep(const std::vector<Event>& from, const std::vector<TimePart>& parts,
          std::vector<Event>& into) {
  for (const Event& event : from) {
    if (std::ranges::any_of(parts, [&](const TimePart& part) {
          return part.Holds(event.begin_ns);
        })) {
      into.push_back(event);
    }
  }
}

void Clear(Process& process) {
  process.calls.clear();
  process.launches.clear();
  process.activities.clear();
  process.ranges.clear();
}

}  // namespace

SlicedModel::SlicedModel(TraceModel whole)
    : whole_(std::move(whole)), part_(whole_) {
  for (Process& process : part_.processes) {
    totals_.push_back(Count(process));
    std::vector<int64_t>& begins = begins_.emplace_back();
    for (const auto& event : process.calls) begins.push_back(event.begin_ns);
    for (const auto& event : process.launches) begins.push_back(event.begin_ns);
    for (const auto& event : process.activities) {
      begins.push_back(event.begin_ns);
    }
    std::ranges::sort(begins);
    Clear(process);
  }
}

int64_t SlicedModel::TimeAfter(size_t process, int64_t from_ns,
                               uint64_t events) const {
  const std::vector<int64_t>& begins = begins_[process];
  const auto from = std::ranges::lower_bound(begins, from_ns);
  if (static_cast<uint64_t>(begins.end() - from) <= events) {
    return std::numeric_limits<int64_t>::max();
  }
  return from[static_cast<ptrdiff_t>(events)] + 1;
}

Process SlicedModel::Read(size_t index, const std::vector<TimePart>& parts) {
  const Process& from = whole_.processes[index];
  Process into = part_.processes[index];
  Keep(from.calls, parts, into.calls);
  Keep(from.launches, parts, into.launches);
  Keep(from.activities, parts, into.activities);
  for (const Range& range : from.ranges) {
    if (std::ranges::any_of(parts, [&](const TimePart& part) {
          return range.end_ns >= part.begin_ns && range.begin_ns < part.end_ns;
        })) {
      into.ranges.push_back(range);
    }
  }
  into.cpu_samples.clear();
  for (const CpuSample& sample : from.cpu_samples) {
    if (parts.back().Holds(sample.at_ns)) into.cpu_samples.push_back(sample);
  }
  into.frames_seen.clear();
  for (const FramesSeen& seen : from.frames_seen) {
    if (parts.back().Holds(seen.at_ns)) into.frames_seen.push_back(seen);
  }
  most_events_ = std::max<uint64_t>(
      most_events_,
      into.calls.size() + into.launches.size() + into.activities.size());
  ++reads_;
  return into;
}

}  // namespace dltap::analyzer
