// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_ADVICE_FACTS_H_
#define DLTAP_ANALYZER_ADVICE_FACTS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "analyzer/advice/wording.h"
#include "analyzer/metrics/classes/framework.h"
#include "analyzer/metrics/figures/figures.h"
#include "opmodel/gpu_table.h"

namespace dltap::analyzer {

// What rules look at: the figures of the program, or the sums of one of its
// devices. Refers to its arguments.
class Facts {
 public:
  Facts(const Summary& summary, const Figures& figures);
  // Of one of the summary's devices: `totals`, `classes` and times of a step.
  Facts(const Summary& summary, const Figures& figures,
        const DeviceSummary& device);

  const Summary& summary;
  const Figures& figures;  // always the program's
  const Totals totals;
  const std::vector<ClassRow> classes;
  const Framework framework;
  const opmodel::GpuSpec* const gpu;  // null: unknown, or they differ
  const uint64_t steps;               // used ones, each device for itself
  const double step_ns;               // mean wall time

  // A sum over the windows, as time or count of a step.
  double Step(double sum) const { return sum / totals.per_step(); }
  double Step(int64_t sum) const { return Step(static_cast<double>(sum)); }
  double Step(uint64_t sum) const { return Step(static_cast<double>(sum)); }
  double ShareOfStep(double ns) const { return step_ns > 0 ? ns / step_ns : 0; }
  double IdleStepNs(IdleCause cause) const {
    return Step(totals.idle_ns[static_cast<size_t>(cause)]);
  }
  const SignSums& Signs(Sign sign) const { return totals.signs.of(sign); }
  // nullptr: nothing of this class ran.
  const ClassRow* RowOf(LayerClass layer_class) const;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_ADVICE_FACTS_H_
