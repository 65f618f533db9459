// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_STEPS_WEIGHT_PLACES_H_
#define DLTAP_ANALYZER_METRICS_STEPS_WEIGHT_PLACES_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analyzer/attribution/base/range_index.h"
#include "analyzer/attribution/calls/meaning_cache.h"
#include "analyzer/metrics/operands/operands.h"
#include "analyzer/metrics/steps/streamed_weights.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// Where the weights of products lie, on the host if they are copied in for each
// pass. Holds references to its arguments.
class WeightPlaces {
 public:
  WeightPlaces(const TraceModel& model, const Process& process);

  // What the library calls weights, or the module (of PyTorch's, as Kineto
  // numbers them) that the call was made in has; else the first operand. 0: not
  // recorded, or it is a tensor times itself.
  uint64_t Of(CallId id);
  // Whether the library or a module tells: a first operand may be data as well.
  bool AreNamed(CallId id);
  // Whether the weights are copied in for each pass.
  bool IsStreamed(CallId id);

 private:
  std::vector<Operand> OperandsOfCall(CallId id);
  // Where the call's operand at `address` comes from, if it is copied in for
  // each pass; else `address`.
  uint64_t HomeOf(CallId id, uint64_t address);
  uint64_t NamedOf(CallId id);
  uint64_t ModuleOf(const Call& call) const;

  const TraceModel& model_;
  const Process& process_;
  MeaningCache meanings_;
  StreamedWeights streamed_;
  absl::flat_hash_map<TextId, bool> is_module_;  // by name of Python's ranges
  std::optional<RangeIndex> ranges_;             // where any is a module
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_STEPS_WEIGHT_PLACES_H_
