// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_MEMORY_STAYING_PLACES_H_
#define DLTAP_ANALYZER_METRICS_MEMORY_STAYING_PLACES_H_

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "analyzer/metrics/operands/made_sizes.h"
#include "analyzer/metrics/operands/operand_touches.h"
#include "analyzer/metrics/operands/written_spans.h"
#include "analyzer/metrics/steps/step.h"

namespace dltap::analyzer {

// What is cast to 16 bits has 32.
inline constexpr int64_t kMasterOfCast = 2;

inline Place PlaceOf(const Operand& operand) {
  return {operand.address, operand.bytes};
}

// Places that hold the same thing in nearly all steps.
struct StayingPlaces {
  std::set<Place> weights;
  std::set<Place> casts;                    // of weights, made anew in a step
  std::map<int64_t, size_t> casts_of_size;  // by bytes; placed or not
  std::map<int64_t, size_t> unplaced_of_size;  // weights that are no casts
  // Weights whose place is not known, only that casts are made of them or that
  // graphs of cuDNN read them.
  int64_t unplaced_weight_bytes = 0;
  std::set<Place> workspaces;
  bool is_known = false;  // false: no products in steps; not all weights
};

// Memory grows with the places of a tenth of the steps. `used`: the steps that
// tell.
StayingPlaces FindStayingPlaces(OperandTouches& touches,
                                const MadeTensors& made,
                                const std::vector<Step>& used);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_MEMORY_STAYING_PLACES_H_
