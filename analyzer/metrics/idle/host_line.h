// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_IDLE_HOST_LINE_H_
#define DLTAP_ANALYZER_METRICS_IDLE_HOST_LINE_H_

#include <cstdint>
#include <vector>

#include "analyzer/attribution/base/attributed.h"
#include "analyzer/metrics/idle/gap.h"
#include "analyzer/metrics/idle/host_view.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

enum class HostDoes : uint8_t { kWait, kLibrary, kLaunch, kInput, kBetween };

// What switches and samples say of a part between calls, and switches of one in
// a call, as shares of it.
struct HostShares {
  float running = -1;  // negative: nothing tells
  float preempted = 0;
  float unknown = 0;  // neither running nor seen ready or asleep
};

// A span in which a feeder does one thing.
struct HostPart {
  // A call that returns later than this after what it waited for did, or
  // waited for, something else, too.
  static constexpr int64_t kMaxReturnNs = 100'000;

  Interval span;
  HostDoes does;
  // Of all but kWait and kInput, once the line has kept them.
  HostShares shares = {};
  // Of kWait: the call does nothing but wait, or copy.
  bool only_waits = false;
  // Of kWait: what it took after that was the host's own copying.
  bool copies = false;
  // What it waited for, into StepGraph::targets.
  uint32_t first_target = 0;
  uint32_t last_target = 0;  // one behind
};

// What a part counts as while its thread has a CPU.
IdleCause RunsFor(HostDoes does);

// All that one feeder did, from its first call on: parts without holes.
struct HostLine {
  std::vector<HostPart> parts;
  const CpuUse* cpu;  // of the feeder, which outlives the questions below

  // `ns` of a part by cause, added to `out`.
  void AddTo(const HostPart& part, int64_t ns, IdleTimes& out) const;
  // For those who ask for the shares of most parts, and later.
  void KeepShares();

  bool HasBegunBy(int64_t at_ns) const {
    return !parts.empty() && parts.front().span.begin_ns <= at_ns;
  }
  // The part in which it is at that time; none before the first.
  static constexpr uint32_t kNoPart = static_cast<uint32_t>(-1);
  uint32_t PartAt(int64_t at_ns) const;
  // The same; fast if it is `near` or one of those right behind it.
  uint32_t PartAt(int64_t at_ns, uint32_t near) const;
};

// One line per feeder, up to `end_ns`.
std::vector<HostLine> HostLines(const HostView& host, int64_t end_ns);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_IDLE_HOST_LINE_H_
