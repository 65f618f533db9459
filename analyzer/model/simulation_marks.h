// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_MODEL_SIMULATION_MARKS_H_
#define DLTAP_ANALYZER_MODEL_SIMULATION_MARKS_H_

#include <string_view>

namespace dltap::analyzer {

// The NVTX domain of the simulated GPU (simgpu/bytes/read_marks.cc): a mark in
// it is a number that the program looked at and that nobody computed; its text
// is the place in the program's code.
constexpr std::string_view kSimulationDomain = "dltap.simulation";

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_MODEL_SIMULATION_MARKS_H_
