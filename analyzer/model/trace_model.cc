// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/trace_model.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

#include "analyzer/model/nearly_sorted.h"

namespace dltap::analyzer {
namespace {

template <typename T>
int64_t Load(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return static_cast<int64_t>(value);
}

std::optional<int64_t> LoadArg(const ArgLayout& arg, const std::byte* at) {
  const bool is_signed = arg.kind == ArgKind::kInt;
  switch (arg.width) {
    case 1: return is_signed ? Load<int8_t>(at) : Load<uint8_t>(at);
    case 2: return is_signed ? Load<int16_t>(at) : Load<uint16_t>(at);
    case 4: return is_signed ? Load<int32_t>(at) : Load<uint32_t>(at);
    case 8: return Load<int64_t>(at);
    default: return std::nullopt;
  }
}

// Calls `visit` with every time stamp of the process, by reference.
template <typename Visit>
void VisitTimes(Process& process, Visit visit) {
  for (Call& c : process.calls) visit(c.begin_ns), visit(c.end_ns);
  for (Activity& a : process.activities) visit(a.begin_ns), visit(a.end_ns);
  for (LaunchRecord& l : process.launches) visit(l.begin_ns), visit(l.end_ns);
  for (Range& r : process.ranges) visit(r.begin_ns), visit(r.end_ns);
  for (Sync& s : process.syncs) visit(s.begin_ns), visit(s.end_ns);
  for (MemoryEvent& m : process.memory_events) visit(m.at_ns);
  for (CpuSample& s : process.cpu_samples) visit(s.at_ns);
  for (OffCpu& o : process.off_cpu) visit(o.begin_ns), visit(o.end_ns);
  for (SwitchesKnown& s : process.switches_known) {
    visit(s.begin_ns), visit(s.end_ns);
  }
  for (FramesSeen& f : process.frames_seen) visit(f.at_ns);
  for (ProcessSample& s : process.process_samples) visit(s.at_ns);
  for (DelayWindow& d : process.delays) visit(d.begin_ns), visit(d.end_ns);
  for (int64_t& at_ns : process.delayed_calls) visit(at_ns);
  for (OpenCall& c : process.open_calls) visit(c.begin_ns);
  for (NotObserved& n : process.not_observed) {
    visit(n.begin_ns), visit(n.end_ns);
  }
  if (process.recorded_until_ns) visit(*process.recorded_until_ns);
}

// The window that the process's work spans; samples and unobserved spans say
// nothing of work and don't widen it.
void SetWindow(Process& process) {
  int64_t begin = std::numeric_limits<int64_t>::max();
  int64_t end = std::numeric_limits<int64_t>::min();
  const auto widen = [&](const auto& events) {
    for (const auto& event : events) {
      begin = std::min(begin, event.begin_ns);
      end = std::max(end, event.end_ns);
    }
  };
  widen(process.calls);
  widen(process.activities);
  widen(process.ranges);
  process.begin_ns = begin <= end ? begin : 0;
  process.end_ns = begin <= end ? end : 0;
}

template <typename T>
auto ThreadOrder(const T& event) {
  return std::make_tuple(event.thread, event.begin_ns, -event.end_ns);
}

// Activities name ranges by position, so the positions move with them.
void SortRanges(Process& process) {
  std::vector<Range>& ranges = process.ranges;
  if (std::is_sorted(ranges.begin(), ranges.end(),
                     [](const Range& a, const Range& b) {
                       return ThreadOrder(a) < ThreadOrder(b);
                     })) {
    return;
  }
  std::vector<size_t> order(ranges.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return ThreadOrder(ranges[a]) < ThreadOrder(ranges[b]);
  });
  std::vector<Range> sorted(ranges.size());
  std::vector<RangeId> moved_to(ranges.size());
  for (size_t to = 0; to < order.size(); ++to) {
    sorted[to] = ranges[order[to]];
    moved_to[order[to]] = RangeId(to);
  }
  ranges = std::move(sorted);
  for (Activity& activity : process.activities) {
    if (activity.annotation.known()) {
      activity.annotation = moved_to[activity.annotation.value()];
    }
  }
}

}  // namespace

void SortEvents(Process& process) {
  // Depth breaks ties: a virtual clock may give parent and child one time.
  const auto key = [](const Call& c) {
    return std::make_tuple(c.thread, c.begin_ns, c.depth);
  };
  SortNearlySorted(process.calls, [&](const Call& a, const Call& b) {
    return key(a) < key(b);
  });
  SortNearlySorted(process.launches,
                   [](const LaunchRecord& a, const LaunchRecord& b) {
                     return ThreadOrder(a) < ThreadOrder(b);
                   });
  SortRanges(process);
  SortNearlySorted(process.activities,
                   [](const Activity& a, const Activity& b) {
                     return a.begin_ns < b.begin_ns;
                   });
  SortNearlySorted(process.syncs, [](const Sync& a, const Sync& b) {
    return a.begin_ns < b.begin_ns;
  });
  SortNearlySorted(process.memory_events,
                   [](const MemoryEvent& a, const MemoryEvent& b) {
                     return a.at_ns < b.at_ns;
                   });
  SortNearlySorted(
      process.cpu_samples,
      [](const CpuSample& a, const CpuSample& b) { return a.at_ns < b.at_ns; });
  SortNearlySorted(process.off_cpu, [](const OffCpu& a, const OffCpu& b) {
    return a.begin_ns < b.begin_ns;
  });
  SortNearlySorted(process.switches_known,
                   [](const SwitchesKnown& a, const SwitchesKnown& b) {
                     return a.begin_ns < b.begin_ns;
                   });
  SortNearlySorted(process.frames_seen,
                   [](const FramesSeen& a, const FramesSeen& b) {
                     return a.at_ns < b.at_ns;
                   });
  SortNearlySorted(process.process_samples,
                   [](const ProcessSample& a, const ProcessSample& b) {
                     return a.at_ns < b.at_ns;
                   });
  SortNearlySorted(process.delays,
                   [](const DelayWindow& a, const DelayWindow& b) {
                     return a.begin_ns < b.begin_ns;
                   });
  SortNearlySorted(process.delayed_calls, std::less<>());
  SetWindow(process);
}

void ShiftTimes(Process& process, int64_t by) {
  VisitTimes(process, [by](int64_t& ns) { ns += by; });
  process.begin_ns += by;
  process.end_ns += by;
}

std::optional<int64_t> IntArg(const EntryPoint& entry, const Process& process,
                              const Call& call, size_t arg) {
  if (arg >= entry.args.size()) return std::nullopt;
  const ArgLayout& layout = entry.args[arg];
  if (layout.offset + layout.width > call.payload_bytes) return std::nullopt;
  return LoadArg(layout,
                 &process.payloads[call.payload_offset + layout.offset]);
}

int64_t LastSeenNs(const Process& process) {
  int64_t at_ns = process.end_ns;
  for (const CpuSample& s : process.cpu_samples) {
    at_ns = std::max(at_ns, s.at_ns);
  }
  for (const ProcessSample& s : process.process_samples) {
    at_ns = std::max(at_ns, s.at_ns);
  }
  return at_ns;
}

void Normalise(TraceModel& model) {
  int64_t origin = std::numeric_limits<int64_t>::max();
  for (Process& process : model.processes) {
    SortEvents(process);
    if (process.end_ns != process.begin_ns) {
      origin = std::min(origin, process.begin_ns);
    }
  }
  if (origin == std::numeric_limits<int64_t>::max()) return;
  model.origin_ns += origin;
  for (Process& process : model.processes) {
    ShiftTimes(process, -origin);
  }
}

}  // namespace dltap::analyzer
