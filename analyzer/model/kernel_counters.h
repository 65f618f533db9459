// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_MODEL_KERNEL_COUNTERS_H_
#define DLTAP_ANALYZER_MODEL_KERNEL_COUNTERS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

// What a counter tool measured of single kernels. It replays each kernel alone,
// so there is no time line: this is no trace, and stands beside TraceModel.
namespace dltap::analyzer {

// One launch.
struct KernelCounters {
  std::string kernel;  // demangled, as the tool prints it
  std::optional<double> cycles;
  std::optional<double> duration_ns;
  // By the vendor's name of the reason ("long_scoreboard"), in one unit within
  // a launch: only their proportions mean something. Empty: not measured.
  std::map<std::string, double> stalls;
};

struct CounterTable {
  std::string file;
  std::vector<KernelCounters> launches;  // in the order of the file
  uint64_t unreadable_values = 0;        // "n/a", "(nan)", of an unknown unit
  uint64_t cut_at = 0;  // byte where the line begins that breaks off; 0: none
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_MODEL_KERNEL_COUNTERS_H_
