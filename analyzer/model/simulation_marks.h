// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_MODEL_SIMULATION_MARKS_H_
#define DLTAP_ANALYZER_MODEL_SIMULATION_MARKS_H_

#include <string_view>

namespace dltap::analyzer {

// The NVTX domains of the simulated GPU (simgpu/bytes/read_marks.cc): a mark in
// them is a number that the program looked at and that nobody computed; its
// text is the place in the program's code. The second one is that of a
// simulation in which such numbers are small random ones, not zeroes.
constexpr std::string_view kSimulationDomain = "dltap.simulation";
constexpr std::string_view kPlausibleDomain = "dltap.simulation.plausible";

// Process::host_clock in files that dltap exports: without it a simulation's
// costs of host calls would be read as measurements.
constexpr std::string_view kHostClockMark = "DLTAP_HOST_CLOCK";
constexpr std::string_view kFixedCostsMark = "fixed_costs";

constexpr bool IsSimulationDomain(std::string_view domain) {
  return domain == kSimulationDomain || domain == kPlausibleDomain;
}

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_MODEL_SIMULATION_MARKS_H_
