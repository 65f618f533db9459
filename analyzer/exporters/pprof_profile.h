// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_EXPORTERS_PPROF_PROFILE_H_
#define DLTAP_ANALYZER_EXPORTERS_PPROF_PROFILE_H_

#include "analyzer/exporters/export_input.h"

namespace dltap::analyzer {

// Writes what ran on devices as a profile of pprof, not yet compressed: a stack
// is program > class > function called > kernel; its values are launches, CPU
// time of the calls that submitted and GPU time.
void WritePprof(const ExportInput& input, const ByteSink& sink);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_EXPORTERS_PPROF_PROFILE_H_
