// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_BASE_SPEEDUP_H_
#define DLTAP_ANALYZER_METRICS_BASE_SPEEDUP_H_

#include <compare>
#include <string>
#include <vector>

namespace dltap::analyzer {

// What becomes faster (a class, "host", "waits"), and how many times;
// infinity: it takes no time.
struct Speedup {
  std::string what;
  double times;

  auto operator<=>(const Speedup&) const = default;
};
using Scenario = std::vector<Speedup>;  // all at once

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_BASE_SPEEDUP_H_
