// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_SLICES_SLICE_LIMITS_H_
#define DLTAP_ANALYZER_METRICS_SLICES_SLICE_LIMITS_H_

#include <cstddef>
#include <cstdint>

namespace dltap::analyzer {

// How large the slices are. Smaller ones give the same numbers, as long as the
// margins hold what decides on them.
struct SliceLimits {
  uint64_t events = 400'000;  // in a slice, the margin before it left out
  uint64_t most_events = 8'000'000;  // if fewer hold no whole step
  // From the begin on; if they hold none, steps are sought slice by slice.
  uint64_t events_without_steps = 800'000;
  uint64_t head_events = 50'000;  // begin of the run, part of every slice
  size_t margin_steps = 16;       // fewer if they fill a quarter of a slice
  // Where there are CPU samples; less if it holds two passes of them.
  int64_t sample_margin_ns = 300'000'000;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_SLICES_SLICE_LIMITS_H_
