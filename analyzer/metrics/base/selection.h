// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_BASE_SELECTION_H_
#define DLTAP_ANALYZER_METRICS_BASE_SELECTION_H_

#include <compare>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/metrics/base/interval.h"
#include "analyzer/metrics/base/speedup.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// What part of a trace the numbers are about. Default: all that the rules for
// steps leave in. The rest stays in the accounts, as `not_selected`.
struct Selection {
  // No steps: one window per device, over the whole run or a part of it.
  bool whole_run = false;
  std::optional<Interval> window = {};
  // First and last, as they were found; also such as would be left out.
  std::optional<std::pair<size_t, size_t>> steps = {};
  // So many first steps are warm-up, and no others.
  std::optional<size_t> warm_up = {};
  std::optional<std::string> device = {};  // ordinal, or begin of the UUID
  std::optional<int> rank = {};
  std::optional<std::string> process = {};  // "pid" or "host:pid"
  // What to replay the steps with; none: what their path suggests.
  std::vector<Scenario> scenarios = {};

  auto operator<=>(const Selection&) const = default;
};

bool Selects(const Selection& selection, const Process& process);
bool Selects(const Selection& selection, const Device& device);

// Lower case, without "GPU-", "MIG-" and dashes: how UUIDs are compared.
std::string PlainUuid(std::string_view uuid);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_BASE_SELECTION_H_
