// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/idle/host_line.h"

#include <algorithm>
#include <cmath>

namespace dltap::analyzer {
namespace {

HostDoes DoesIn(HostState state) {
  switch (state) {
    case HostState::kWait: return HostDoes::kWait;
    case HostState::kLibrary: return HostDoes::kLibrary;
    default: return HostDoes::kLaunch;
  }
}

// Turns the calls of one feeder into parts, and what lies between them too.
class LineMaker {
 public:
  LineMaker(const HostTimeline& timeline, const std::vector<Interval>& inputs)
      : timeline_(timeline), inputs_(inputs) {}

  std::vector<HostPart> Run(int64_t end_ns) {
    const std::vector<HostSpan>& spans = timeline_.spans;
    if (spans.empty()) return {};
    parts_.reserve(2 * spans.size() + 1);
    int64_t at = spans.front().span.begin_ns;
    for (const HostSpan& span : spans) {
      AddBetween({at, span.span.begin_ns});
      Add(span.span, DoesIn(span.state));
      at = span.span.end_ns;
    }
    AddBetween({at, end_ns});
    return std::move(parts_);
  }

 private:
  void Add(Interval span, HostDoes does) {
    if (span.length_ns() > 0) parts_.push_back({span, does});
  }

  void AddBetween(Interval span) {
    while (input_ < inputs_.size() && inputs_[input_].end_ns <= span.begin_ns) {
      ++input_;
    }
    for (size_t i = input_;
         i < inputs_.size() && inputs_[i].begin_ns < span.end_ns; ++i) {
      Add({span.begin_ns, inputs_[i].begin_ns}, HostDoes::kBetween);
      const Interval inside = Common(span, inputs_[i]);
      Add(inside, HostDoes::kInput);
      span.begin_ns = inside.end_ns;
    }
    Add(span, HostDoes::kBetween);
  }

  const HostTimeline& timeline_;
  const std::vector<Interval>& inputs_;
  std::vector<HostPart> parts_;
  size_t input_ = 0;
};

// In a call the thread runs, or waits for the driver, unless it is known to be
// preempted.
HostShares SharesOf(const CpuUse& cpu, const HostPart& part,
                    CpuUse::Place& near) {
  const auto ns = static_cast<double>(part.span.length_ns());
  if (part.does != HostDoes::kBetween) {
    const auto preempted = static_cast<float>(
        static_cast<double>(cpu.PreemptedIn(part.span, near)) / ns);
    return {1 - preempted, preempted};
  }
  const std::optional<CpuSplit> split = cpu.Split(part.span, near);
  if (!split) return {};
  return {static_cast<float>(split->running_ns / ns),
          static_cast<float>(split->preempted_ns / ns),
          static_cast<float>(split->unknown_ns / ns)};
}

}  // namespace

IdleCause RunsFor(HostDoes does) {
  switch (does) {
    case HostDoes::kLibrary: return IdleCause::kLibrary;
    case HostDoes::kLaunch: return IdleCause::kLaunch;
    default: return IdleCause::kFramework;
  }
}

void HostLine::AddTo(const HostPart& part, int64_t ns, IdleTimes& out) const {
  const auto at = [&out](IdleCause cause) -> int64_t& {
    return out[static_cast<size_t>(cause)];
  };
  switch (part.does) {
    case HostDoes::kWait: at(IdleCause::kWait) += ns; return;
    case HostDoes::kInput: at(IdleCause::kInput) += ns; return;
    default: break;
  }
  CpuUse::Place near;
  const HostShares shares = SharesOf(*cpu, part, near);
  if (shares.running < 0) {
    at(IdleCause::kUnknown) += ns;
    return;
  }
  // Each may be rounded up, but not beyond the whole.
  const auto share = [ns](float of_part, int64_t most) {
    return std::min<int64_t>(
        std::llround(static_cast<double>(ns) * static_cast<double>(of_part)),
        most);
  };
  const int64_t runs = share(shares.running, ns);
  const int64_t ready = share(shares.preempted, ns - runs);
  const int64_t untold = share(shares.unknown, ns - runs - ready);
  at(RunsFor(part.does)) += runs;
  at(IdleCause::kPreempted) += ready;
  at(IdleCause::kUnknown) += untold;
  at(IdleCause::kBlocked) += ns - runs - ready - untold;
}

void HostLine::KeepShares() {
  CpuUse::Place near;
  for (HostPart& part : parts) {
    if (part.does == HostDoes::kWait || part.does == HostDoes::kInput) continue;
    part.shares = SharesOf(*cpu, part, near);
  }
}

uint32_t HostLine::PartAt(int64_t at_ns, uint32_t near) const {
  constexpr uint32_t kMostSteps = 16;
  const auto begins_by = [&](uint32_t part) {
    return part < parts.size() && parts[part].span.begin_ns <= at_ns;
  };
  if (!begins_by(near)) return PartAt(at_ns);
  for (uint32_t part = near; part < near + kMostSteps; ++part) {
    if (!begins_by(part + 1)) return part;
  }
  return PartAt(at_ns);
}

uint32_t HostLine::PartAt(int64_t at_ns) const {
  const auto after = std::upper_bound(
      parts.begin(), parts.end(), at_ns,
      [](int64_t at, const HostPart& p) { return at < p.span.begin_ns; });
  return after == parts.begin()
             ? kNoPart
             : static_cast<uint32_t>(after - parts.begin() - 1);
}

std::vector<HostLine> HostLines(const HostView& host, int64_t end_ns) {
  std::vector<HostLine> lines;
  for (size_t f = 0; f < host.feeders().count(); ++f) {
    const HostView::Feeder& feeder = host.Of(f);
    lines.push_back(
        {LineMaker(feeder.timeline, host.inputs()).Run(end_ns), &feeder.cpu});
  }
  return lines;
}

}  // namespace dltap::analyzer
