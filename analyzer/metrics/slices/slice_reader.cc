// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/slices/slice_reader.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

namespace dltap::analyzer {
namespace {

constexpr int64_t kBeforeCaptureNs = 5'000'000;
// Samples this far apart are of two passes over the threads, whichever of them
// had submitted work in between.
constexpr int64_t kPassApartNs = 80'000'000;
constexpr int kMarginPasses = 2;

// Disjoint and in time, as EventSource wants them; the last stays the last.
void Join(std::vector<TimePart>& parts) {
  std::stable_sort(parts.begin(), parts.end(),
                   [](const TimePart& a, const TimePart& b) {
                     return a.begin_ns < b.begin_ns;
                   });
  std::vector<TimePart> joined;
  for (const TimePart& part : parts) {
    if (!joined.empty() && part.begin_ns <= joined.back().end_ns) {
      joined.back().end_ns = std::max(joined.back().end_ns, part.end_ns);
    } else {
      joined.push_back(part);
    }
  }
  parts = std::move(joined);
}

}  // namespace

void SliceReader::Read(const TimePart& span) {
  std::vector<TimePart> parts = {span};
  if (span.begin_ns != kBeginOfTime) {
    parts.push_back(
        {kBeginOfTime, TimeAfter(kBeginOfTime, limits_.head_events)});
    for (const TimePart& capture : totals().captures) {
      if (capture.begin_ns >= span.begin_ns) continue;
      parts.push_back({capture.begin_ns - kBeforeCaptureNs, capture.end_ns});
    }
    Join(parts);
  }
  events_.reset();  // its memory is what the next one comes to
  Process read = source_.Read(index_, parts);
  ProcessAttribution attribution = Attribute(model(), read, options_);
  events_ = std::make_shared<SliceEvents>(model(), std::move(read),
                                          std::move(attribution));
  const int64_t run_end_ns = process().end_ns;
  if (progress_ && span.end_ns != kEndOfTime && run_end_ns > 0) {
    progress_(static_cast<double>(span.end_ns) /
              static_cast<double>(run_end_ns));
  }
}

int64_t SliceReader::SampledUntil(int64_t at_ns) const {
  if (!process().has_cpu_samples) return at_ns;
  const auto& samples = process().cpu_samples;
  int64_t pass_ns = at_ns;
  for (int passes = 0; passes < kMarginPasses; ++passes) {
    const int64_t next_ns = pass_ns + (passes > 0 ? kPassApartNs : 0);
    const auto next =
        std::ranges::lower_bound(samples, next_ns, {}, &CpuSample::at_ns);
    if (next == samples.end()) return at_ns + limits_.sample_margin_ns;
    pass_ns = next->at_ns;
  }
  return std::min(pass_ns + 1, at_ns + limits_.sample_margin_ns);
}

int64_t SliceReader::SampledSince(int64_t at_ns) const {
  if (!process().has_cpu_samples) return at_ns;
  const auto& samples = process().cpu_samples;
  int64_t pass_ns = at_ns;
  for (int passes = 0; passes < kMarginPasses; ++passes) {
    const int64_t last_ns = pass_ns - (passes > 0 ? kPassApartNs : 0);
    const auto after =
        std::ranges::upper_bound(samples, last_ns, {}, &CpuSample::at_ns);
    if (after == samples.begin()) return at_ns - limits_.sample_margin_ns;
    pass_ns = std::prev(after)->at_ns;
  }
  return std::max(pass_ns, at_ns - limits_.sample_margin_ns);
}

}  // namespace dltap::analyzer
