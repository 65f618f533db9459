// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/figures/sensitivity.h"

#include <algorithm>
#include <cmath>

#include "analyzer/metrics/base/mean_of_steps.h"
#include "analyzer/metrics/base/ratio.h"

namespace dltap::analyzer {
namespace {

// Fewer windows give no interval worth the name.
constexpr size_t kFewestWindows = 4;

// A wider interval holds both what is hidden and what is half exposed.
constexpr double kWidest = 0.5;

// A step shows no less than nothing and no more than all of a delay. What lies
// this far beyond was disturbed, as by threads that lost their CPU.
constexpr double kBeyond = 0.1;

// The slope through the origin of `longer` over `injected`, and its interval.
// Errors may differ between windows (HC3). A few windows may agree by chance:
// what the scatter of the steps lets expect is the least error.
void FitSlope(const std::vector<DelayEffect>& windows, Sensitivity& out) {
  double xx = 0;
  double xy = 0;
  for (const DelayEffect& window : windows) {
    xx += window.injected_ns() * window.injected_ns();
    xy += window.injected_ns() * window.longer_ns;
  }
  const double slope = xy / xx;
  double variance = 0;
  double expected = 0;
  for (const DelayEffect& window : windows) {
    const double x = window.injected_ns();
    expected += x * x * window.variance;
    const double error = (window.longer_ns - slope * x) / (1 - x * x / xx);
    variance += x * x * error * error;
  }
  const double half = StudentQuantile(static_cast<double>(windows.size() - 1)) *
                      std::sqrt(std::max(variance, expected)) / xx;
  const bool narrow = 2 * half < kWidest;  // false for NaN, too
  const bool possible = slope - half <= 1 + kBeyond && slope + half >= -kBeyond;
  if (!std::isfinite(slope) || !narrow || !possible) return;
  out.value = slope;
  out.low = slope - half;
  out.high = slope + half;
}

}  // namespace

Sensitivity SensitivityOf(LayerClass layer_class,
                          std::span<const DelayEffect> effects) {
  Sensitivity out;
  out.layer_class = layer_class;
  std::vector<DelayEffect> usable;
  double calls = 0;
  bool any_step = false;
  bool any_found = false;
  for (const DelayEffect& effect : effects) {
    any_step |= effect.steps > 0;
    any_found |= effect.steps_found;
    if (!effect.is_usable()) continue;
    usable.push_back(effect);
    out.steps += effect.steps;
    calls += effect.calls * static_cast<double>(effect.steps);
  }
  out.windows = usable.size();
  out.calls_per_step = Ratio(calls, static_cast<double>(out.steps));
  if (effects.empty()) {
    out.why = NotMeasured::kNoLibraryCall;
  } else if (!any_found) {
    out.why = NotMeasured::kNoSteps;
  } else if (!any_step) {
    out.why = NotMeasured::kNoWholeStep;
  } else if (usable.size() < kFewestWindows) {
    out.why = NotMeasured::kFewWindows;
  } else {
    FitSlope(usable, out);
    if (!out.value) out.why = NotMeasured::kTooNoisy;
  }
  return out;
}

std::vector<Sensitivity> SensitivitiesOf(std::vector<DelayEffect> effects,
                                         std::span<const LayerClass> other) {
  const auto of_class = [](const DelayEffect& effect) {
    return effect.layer_class;
  };
  std::ranges::stable_sort(effects, {}, of_class);
  std::vector<Sensitivity> out;
  for (size_t i = 0; i < effects.size();) {
    const LayerClass layer_class = effects[i].layer_class;
    size_t end = i;
    while (end < effects.size() && effects[end].layer_class == layer_class) {
      ++end;
    }
    out.push_back(
        SensitivityOf(layer_class, std::span(effects).subspan(i, end - i)));
    i = end;
  }
  for (const LayerClass layer_class : other) {
    if (!std::ranges::binary_search(effects, layer_class, {}, of_class)) {
      out.push_back(SensitivityOf(layer_class, {}));
    }
  }
  std::ranges::sort(out, {}, &Sensitivity::layer_class);
  return out;
}

}  // namespace dltap::analyzer
