// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/devices/window_series.h"

#include "analyzer/metrics/idle/phases.h"

namespace dltap::analyzer {

size_t WindowSeries::AddSegment(const Segment& segment) {
  size_t& window = segment_window_;
  while (windows_[window].span.end_ns <= segment.span.begin_ns) ++window;
  const int64_t ns = segment.span.length_ns();
  if (segment.state == DeviceState::kNotObserved) {
    Add({SeriesKind::kNotObserved}, window, ns);
  }
  if (segment.leading != kNoActivity) {
    const Attributed& leading = attribution_.activities[segment.leading];
    Add({SeriesKind::kLead, static_cast<uint8_t>(leading.layer_class),
         PassOf(leading.direction)},
        window, ns);
  }
  if (const auto phase = PhaseOf(attribution_, segment)) {
    Add({SeriesKind::kPhase, static_cast<uint8_t>(*phase)}, window, ns);
  }
  return window;
}

void WindowSeries::AddActivity(Interval span, const Attributed& attributed) {
  size_t& at = activity_window_;
  while (at > 0 && windows_[at - 1].span.end_ns > span.begin_ns) --at;
  while (at < windows_.size() && windows_[at].span.end_ns <= span.begin_ns) {
    ++at;
  }
  for (size_t w = at; w < windows_.size(); ++w) {
    if (windows_[w].span.begin_ns >= span.end_ns) break;
    Add({SeriesKind::kKernels, static_cast<uint8_t>(attributed.layer_class),
         PassOf(attributed.direction)},
        w, CommonNs(windows_[w].span, span));
  }
}

void WindowSeries::AddGap(const Gap& gap, size_t window) {
  for (size_t i = 0; i < kIdleCauses; ++i) {
    if (gap.ns[i] == 0) continue;
    const Phase phase = PhaseOf(attribution_, gap, static_cast<IdleCause>(i));
    Add({SeriesKind::kIdle, static_cast<uint8_t>(i)}, window, gap.ns[i]);
    Add({SeriesKind::kPhase, static_cast<uint8_t>(phase)}, window, gap.ns[i]);
  }
}

void WindowSeries::Add(SeriesKey key, size_t window, int64_t ns) {
  const size_t row =
      (static_cast<size_t>(key.kind) * kIndices + key.index) * kPasses +
      static_cast<size_t>(key.pass);
  if (rows_[row] == nullptr) rows_[row] = &series_.Of(key);
  (*rows_[row])[window] += ns;
}

}  // namespace dltap::analyzer
