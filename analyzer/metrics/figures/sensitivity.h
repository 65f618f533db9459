// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_FIGURES_SENSITIVITY_H_
#define DLTAP_ANALYZER_METRICS_FIGURES_SENSITIVITY_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analyzer/metrics/windows/delays.h"
#include "analyzer/model/layer_class.h"

namespace dltap::analyzer {

// Why a class has no sensitivity.
enum class NotMeasured : uint8_t {
  kMeasured,
  kNoLibraryCall,  // nothing to delay: a framework launches its kernels
  kNoSteps,        // the program has none that were found
  kNoWholeStep,    // no step lies within one window
  kFewWindows,
  kTooNoisy  // the interval would be too wide to tell hidden from exposed
};

// How much longer a step gets for each ns of host time that is put before the
// library calls of a class: 0 hidden, 1 exposed; METRICS.md "Sensitivity".
struct Sensitivity {
  LayerClass layer_class = LayerClass::kUnattributed;
  std::optional<double> value;
  std::optional<double> low;  // 95 % interval
  std::optional<double> high;
  NotMeasured why = NotMeasured::kMeasured;
  uint64_t windows = 0;  // used
  uint64_t steps = 0;    // in them
  std::optional<double> calls_per_step;
};

// Of one class, from its windows.
Sensitivity SensitivityOf(LayerClass layer_class,
                          std::span<const DelayEffect> effects);

// Of every class in `effects`, and of `other` classes, in which nothing was
// delayed. Sorted by class.
std::vector<Sensitivity> SensitivitiesOf(std::vector<DelayEffect> effects,
                                         std::span<const LayerClass> other);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_FIGURES_SENSITIVITY_H_
