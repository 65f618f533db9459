// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/path/replay.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <vector>

#include "analyzer/model/nearly_sorted.h"

namespace dltap::analyzer {
namespace {

double FactorOf(const HostPart& part, const TimeFactors& factors) {
  const auto of = [&factors](IdleCause cause) {
    return factors.host[static_cast<size_t>(cause)];
  };
  switch (part.does) {
    case HostDoes::kWait:
      return of(part.copies ? IdleCause::kLaunch : IdleCause::kWait);
    case HostDoes::kInput: return of(IdleCause::kInput);
    default: break;
  }
  if (part.shares.running < 0) return of(IdleCause::kUnknown);
  const double running = static_cast<double>(part.shares.running);
  const double preempted = static_cast<double>(part.shares.preempted);
  const double unknown = static_cast<double>(part.shares.unknown);
  return running * of(RunsFor(part.does)) +
         preempted * of(IdleCause::kPreempted) +
         unknown * of(IdleCause::kUnknown) +
         (1 - running - preempted - unknown) * of(IdleCause::kBlocked);
}

// The work of one device's streams, each in order.
class StreamWork {
 public:
  StreamWork(const Process& process, DeviceId device)
      : process_(process), streams_(process.streams.size()) {
    for (uint32_t i = 0; i < process.activities.size(); ++i) {
      const Activity& activity = process.activities[i];
      if (activity.device != device || !activity.stream.known()) continue;
      streams_[activity.stream.value()].push_back(i);
    }
  }

  // The last work of each stream that was over by then.
  std::vector<uint32_t> OverBy(int64_t at_ns) const {
    std::vector<uint32_t> over;
    for (const std::vector<uint32_t>& works : streams_) {
      const auto after = std::partition_point(
          works.begin(), works.end(), [this, at_ns](uint32_t work) {
            return process_.activities[work].end_ns <= at_ns;
          });
      if (after != works.begin()) over.push_back(*std::prev(after));
    }
    return over;
  }

 private:
  const Process& process_;
  std::vector<std::vector<uint32_t>> streams_;
};

}  // namespace

TimeFactors::TimeFactors() {
  work.fill(1);
  host.fill(1);
}

Replay::Replay(const StepGraph& graph, const Process& process,
               const ProcessAttribution& attribution, DeviceId device,
               const std::vector<StepWindow>& windows, size_t most_items)
    : graph_(graph), process_(process), attribution_(attribution) {
  GatherItems();
  ChooseWindows(device, windows, most_items);
  for (const HostLine& line : graph.lines) {
    part_times_.emplace_back(line.parts.size());
  }
  for (uint32_t l = 0; l < part_times_.size(); ++l) {
    for (uint32_t p = 0; p < part_times_[l].size(); ++p) ResetPart(l, p);
  }
  begin_ns_.resize(process.activities.size());
  end_ns_.resize(process.activities.size());
  for (uint32_t i = 0; i < begin_ns_.size(); ++i) ResetWork(i);
}

// Of those at one time parts come before work that they submit.
void Replay::GatherItems() {
  const auto is_before = [](const Item& a, const Item& b) {
    return std::tie(a.at_ns, a.line, a.index) <
           std::tie(b.at_ns, b.line, b.index);
  };
  std::vector<Item> parts_of_all;
  size_t n_parts = 0;
  for (const HostLine& line : graph_.lines) n_parts += line.parts.size();
  parts_of_all.reserve(n_parts);
  for (uint32_t l = 0; l < graph_.lines.size(); ++l) {
    const auto& parts = graph_.lines[l].parts;
    for (uint32_t p = 0; p < parts.size(); ++p) {
      parts_of_all.push_back({parts[p].span.end_ns, l, p});
    }
  }
  std::vector<Item> work;
  work.reserve(process_.activities.size());
  for (uint32_t i = 0; i < process_.activities.size(); ++i) {
    work.push_back({process_.activities[i].begin_ns, WorkNode::kNoLine, i});
  }
  SortNearlySorted(parts_of_all, is_before);
  SortNearlySorted(work, is_before);
  items_.resize(parts_of_all.size() + work.size());
  std::merge(parts_of_all.begin(), parts_of_all.end(), work.begin(), work.end(),
             items_.begin(), is_before);
}

// From the start of the trace, where that is not too far away: how far the
// host has run ahead is then part of the replay.
void Replay::ChooseWindows(DeviceId device,
                           const std::vector<StepWindow>& windows,
                           size_t most_items) {
  const auto item_at = [this](int64_t at_ns) {
    return std::partition_point(
        items_.begin(), items_.end(),
        [at_ns](const Item& item) { return item.at_ns <= at_ns; });
  };
  auto first = items_.begin();
  const auto begin = item_at(windows.front().span.begin_ns);
  const auto most = static_cast<ptrdiff_t>(most_items);
  if (begin - first > most / 2) first = begin - most / 2;
  auto last = first;
  const StreamWork works(process_, device);
  const auto edge_at = [&](int64_t at_ns, bool is_begin) {
    return Edge{EdgeAt(process_, device, at_ns, is_begin), works.OverBy(at_ns)};
  };
  for (const StepWindow& window : windows) {
    const auto end = item_at(window.span.end_ns);
    if (!edges_.empty() && end - first > most) break;
    last = end;
    edges_.push_back({edge_at(window.span.begin_ns, true),
                      edge_at(window.span.end_ns, false)});
    measured_ns_ += window.span.length_ns();
  }
  items_ = std::vector<Item>(first, last);
}

void Replay::ResetPart(uint32_t line, uint32_t part) {
  const Interval& span = graph_.lines[line].parts[part].span;
  part_times_[line][part] = {static_cast<double>(span.begin_ns),
                             static_cast<double>(span.length_ns())};
}

void Replay::ResetWork(uint32_t work) {
  const Activity& activity = process_.activities[work];
  begin_ns_[work] = static_cast<double>(activity.begin_ns);
  end_ns_[work] = static_cast<double>(activity.end_ns);
}

void Meeting::Reset() {
  begun_ = 0;
  late_ns_ = -std::numeric_limits<double>::infinity();
}

bool Replay::Has(uint32_t work) const {
  const int64_t at_ns = process_.activities[work].begin_ns;
  auto item = std::partition_point(
      items_.begin(), items_.end(),
      [at_ns](const Item& before) { return before.at_ns < at_ns; });
  for (; item != items_.end() && item->at_ns == at_ns; ++item) {
    if (item->line == WorkNode::kNoLine && item->index == work) return true;
  }
  return false;
}

void Replay::Join(Meeting& meeting, uint32_t work, int64_t waited_ns) {
  meeting.members_.push_back({this, work});
  meetings_[work] = {&meeting, waited_ns};
}

// What a run may have moved: its items, and each part after one.
void Replay::Begin() {
  next_ = 0;
  for (const Item& item : items_) {
    if (item.line == WorkNode::kNoLine) {
      ResetWork(item.index);
      continue;
    }
    ResetPart(item.line, item.index);
    if (item.index + 1 < part_times_[item.line].size()) {
      ResetPart(item.line, item.index + 1);
    }
  }
}

int64_t Replay::Run(const TimeFactors& factors) {
  Begin();
  Advance(factors);
  return WindowsNs();
}

bool Replay::Advance(const TimeFactors& factors) {
  for (; next_ < items_.size(); ++next_) {
    const Item& item = items_[next_];
    if (!meetings_.empty() && !IsKnown(item, factors)) return false;
    if (item.line == WorkNode::kNoLine) {
      BeginWork(item, factors);
    } else {
      EndPart(item, factors);
    }
  }
  return true;
}

// Whether all is over that the item waits for.
bool Replay::IsKnown(const Item& item, const TimeFactors& factors) const {
  if (item.line == WorkNode::kNoLine) {
    const WorkNode& work = graph_.works[item.index];
    for (uint32_t b = work.first_before; b < work.last_before; ++b) {
      if (std::isnan(end_ns_[graph_.before[b].on])) return false;
    }
    return true;
  }
  const HostPart& part = graph_.lines[item.line].parts[item.index];
  if (part.does != HostDoes::kWait) return true;
  if (part.only_waits && !factors.waits) return true;
  for (uint32_t t = part.first_target; t < part.last_target; ++t) {
    if (std::isnan(end_ns_[graph_.targets[t]])) return false;
  }
  return true;
}

int64_t Replay::WindowsNs() const {
  double ns = 0;
  for (const Edges& edges : edges_) {
    ns += TimeOf(edges.end) - TimeOf(edges.begin);
  }
  return std::llround(ns);
}

// Without waiting for work.
double Replay::LengthOf(const HostPart& part,
                        const TimeFactors& factors) const {
  const auto ns = static_cast<double>(part.span.length_ns());
  if (part.does != HostDoes::kWait) return ns * FactorOf(part, factors);
  if (!factors.waits && part.only_waits) return 0;
  int64_t last_ns = part.span.begin_ns;
  for (uint32_t t = part.first_target; t < part.last_target; ++t) {
    last_ns = std::max(last_ns, process_.activities[graph_.targets[t]].end_ns);
  }
  // What it took after that, or, if there was nothing to wait for, in all.
  int64_t own_ns = part.span.end_ns - last_ns;
  if (part.only_waits) own_ns = std::min(own_ns, HostPart::kMaxReturnNs);
  return static_cast<double>(own_ns) * FactorOf(part, factors);
}

void Replay::EndPart(const Item& item, const TimeFactors& factors) {
  const HostPart& part = graph_.lines[item.line].parts[item.index];
  PartTime& time = part_times_[item.line][item.index];
  double end_ns = time.begin_ns + LengthOf(part, factors);
  const bool waits = factors.waits || !part.only_waits;
  if (part.does == HostDoes::kWait && waits) {
    const double own_ns = end_ns - time.begin_ns;
    for (uint32_t t = part.first_target; t < part.last_target; ++t) {
      end_ns = std::max(end_ns, end_ns_[graph_.targets[t]] + own_ns);
    }
  }
  time.length_ns = end_ns - time.begin_ns;
  if (item.index + 1 == part_times_[item.line].size()) return;
  PartTime& next = part_times_[item.line][item.index + 1];
  next.begin_ns = end_ns;
  next.length_ns =
      LengthOf(graph_.lines[item.line].parts[item.index + 1], factors);
}

// A call that waits does what it submits first, at its usual speed.
double Replay::HostTime(uint32_t line, uint32_t part, int64_t at_ns) const {
  const HostPart& was = graph_.lines[line].parts[part];
  const PartTime& is = part_times_[line][part];
  const auto into = static_cast<double>(at_ns - was.span.begin_ns);
  if (was.does == HostDoes::kWait) return is.begin_ns + into;
  return is.begin_ns +
         into * is.length_ns / static_cast<double>(was.span.length_ns());
}

void Replay::BeginWork(const Item& item, const TimeFactors& factors) {
  const WorkNode& work = graph_.works[item.index];
  const Activity& activity = process_.activities[item.index];
  double begin_ns = -std::numeric_limits<double>::infinity();
  if (work.submission_known()) {
    begin_ns = HostTime(work.line, work.part, work.submitted_ns) +
               static_cast<double>(work.launch_lag_ns);
  }
  for (uint32_t b = work.first_before; b < work.last_before; ++b) {
    const Before& before = graph_.before[b];
    begin_ns = std::max(
        begin_ns, end_ns_[before.on] + static_cast<double>(before.lag_ns));
  }
  // What nothing is known before begins when it did.
  if (!std::isfinite(begin_ns)) {
    begin_ns = static_cast<double>(activity.begin_ns);
  }
  begin_ns_[item.index] = begin_ns;
  if (meetings_.contains(item.index)) return Meet(item.index, factors);
  end_ns_[item.index] =
      begin_ns + static_cast<double>(activity.end_ns - activity.begin_ns) *
                     FactorOfWork(item.index, factors);
}

double Replay::FactorOfWork(uint32_t work, const TimeFactors& factors) const {
  return factors
      .work[static_cast<size_t>(attribution_.activities[work].layer_class)];
}

// Each rank has its own clock: times count from when the last rank began.
void Replay::Meet(uint32_t work, const TimeFactors& factors) {
  const auto& [meeting, waited_ns] = meetings_.find(work)->second;
  const int64_t last_ns = process_.activities[work].begin_ns + waited_ns;
  end_ns_[work] = std::numeric_limits<double>::quiet_NaN();
  meeting->late_ns_ = std::max(meeting->late_ns_,
                               begin_ns_[work] - static_cast<double>(last_ns));
  if (++meeting->begun_ < meeting->members_.size()) return;
  for (const Meeting::Member& member : meeting->members_) {
    member.replay->EndMeeting(member.work, meeting->late_ns_, factors);
  }
}

// Waiting for the last rank takes what it takes; what is faster is the rest.
void Replay::EndMeeting(uint32_t work, double late_ns,
                        const TimeFactors& factors) {
  const Activity& activity = process_.activities[work];
  const int64_t last_ns =
      activity.begin_ns + meetings_.find(work)->second.waited_ns;
  end_ns_[work] = static_cast<double>(last_ns) + late_ns +
                  static_cast<double>(activity.end_ns - last_ns) *
                      FactorOfWork(work, factors);
}

// What was over when a window began or ended is over in any case: otherwise
// steps whose first work is a copy ahead of time could pass the kernels.
double Replay::TimeOf(const Edge& edge) const {
  double at_ns = TimeOf(edge.at);
  for (const uint32_t work : edge.over) at_ns = std::max(at_ns, end_ns_[work]);
  return at_ns;
}

double Replay::TimeOf(const WindowEdge& edge) const {
  if (edge.work != kNoWork) {
    if (edge.begins) return begin_ns_[edge.work];
    const Activity& activity = process_.activities[edge.work];
    const double part =
        static_cast<double>(edge.at_ns - activity.begin_ns) /
        static_cast<double>(activity.end_ns - activity.begin_ns);
    return begin_ns_[edge.work] +
           part * (end_ns_[edge.work] - begin_ns_[edge.work]);
  }
  if (graph_.main_line == WorkNode::kNoLine) {
    return static_cast<double>(edge.at_ns);
  }
  const uint32_t part = graph_.lines[graph_.main_line].PartAt(edge.at_ns);
  if (part == HostLine::kNoPart) return static_cast<double>(edge.at_ns);
  return HostTime(graph_.main_line, part, edge.at_ns);
}

}  // namespace dltap::analyzer
