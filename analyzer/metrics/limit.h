// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_LIMIT_H_
#define DLTAP_ANALYZER_METRICS_LIMIT_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "analyzer/metrics/class_figures.h"
#include "analyzer/metrics/gaps.h"
#include "analyzer/metrics/totals.h"
#include "analyzer/model/layer_class.h"

namespace dltap::analyzer {

enum class LimitKind : uint8_t {
  kIdle,           // the device waits; idle_cause says for what
  kCommunication,  // kernels wait for other ranks
  kClass           // one class takes most GPU time; bound says why
};
std::string_view Name(LimitKind kind);

// What a step would be shorter without.
struct Limit {
  LimitKind kind;
  std::optional<LayerClass> layer_class;  // not of kIdle
  std::optional<IdleCause> idle_cause;    // of kIdle
  LimitedBy bound = LimitedBy::kUnknown;  // of kClass
  bool small_kernels = false;             // kClass: too small to fill the GPU
                               // kIdle: too short to hide the host's work
  bool after_waits = false;  // kIdle: most of it is after the host waited
  double share = 0;          // of the observed time; kClass: of the GPU time
  int64_t ns = 0;            // over all used steps
  double step_ns = 0;
};

// The limits worth a word, the first to work on first; so far one at most.
// Empty when nothing was observed or nothing stands out. `rows` are those of
// `totals`.
std::vector<Limit> FindLimits(const Totals& totals,
                              const std::vector<ClassRow>& rows);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_LIMIT_H_
