// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_TALLIES_H_
#define DLTAP_ANALYZER_METRICS_TALLIES_H_

#include <map>
#include <string>
#include <tuple>

#include "absl/container/flat_hash_map.h"
#include "analyzer/attribution/attribution.h"
#include "analyzer/metrics/summary.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// Sums by API function, kernel and operation over the used steps.
class Tallies {
 public:
  struct Totals {
    std::map<std::string, ApiSummary> apis;
    std::map<std::pair<std::string, LayerClass>, KernelSummary> kernels;
    std::map<std::tuple<std::string, LayerClass, Direction>, OpSummary> ops;
  };

  Tallies(const TraceModel& model, const Process& process,
          const ProcessAttribution& attribution, Totals& totals)
      : model_(model),
        process_(process),
        attribution_(attribution),
        totals_(totals) {}

  // `ns` of the activity lie inside the windows; `new_work`: the first
  // activity of its work there.
  void Add(size_t activity, int64_t ns, const Efficiency& efficiency,
           bool new_work);

  // The host's side: every outermost call inside a used step.
  void AddCalls(const Steps& steps);

  static void Finish(Totals totals, Summary& summary);

 private:
  const std::string& Demangled(TextId name);

  const TraceModel& model_;
  const Process& process_;
  const ProcessAttribution& attribution_;
  Totals& totals_;
  absl::flat_hash_map<size_t, std::string> demangled_;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_TALLIES_H_
