// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_CONTROL_NOTHING_RECORDED_H_
#define DLTAP_ANALYZER_CONTROL_NOTHING_RECORDED_H_

#include <string>

#include "analyzer/control/program_linkage.h"
#include "analyzer/control/run_environment.h"

namespace dltap::analyzer {

// A run of `dltap run` that left no trace.
struct UntracedRun {
  ProgramLinkage program;
  Environment environment;  // of the program
  int exit_code = 0;        // as of ChildResult
  bool has_gpu = false;     // a driver, or a simulated GPU
};

// Why it left none, as far as that can be told, and what to do.
std::string WhyNoTrace(const UntracedRun& run);

// Why a trace holds no call: the window of `environment` that never opened;
// empty: none is set.
std::string WhyNoCalls(const Environment& environment);

// What to do without a driver.
inline constexpr const char* kNoDriver =
    "no NVIDIA driver here, so there is no GPU work to record; simulate a GPU: "
    "dltap run --gpu sim:h100-sxm -- ...";

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_CONTROL_NOTHING_RECORDED_H_
