// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_STEPS_WEIGHT_PLACES_H_
#define DLTAP_ANALYZER_METRICS_STEPS_WEIGHT_PLACES_H_

#include <cstdint>

#include "analyzer/attribution/calls/meaning_cache.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// Where the weights of products lie. Holds references to its arguments.
class WeightPlaces {
 public:
  WeightPlaces(const TraceModel& model, const Process& process)
      : model_(model), process_(process), meanings_(model, process) {}

  // What the library calls weights, else the first operand; 0: not recorded, or
  // it is a tensor times itself.
  uint64_t Of(CallId id);
  // Whether the library calls them so: a first operand may be data as well.
  bool AreNamed(CallId id);

 private:
  uint64_t NamedOf(CallId id);

  const TraceModel& model_;
  const Process& process_;
  MeaningCache meanings_;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_STEPS_WEIGHT_PLACES_H_
