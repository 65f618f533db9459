// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_EXPORTERS_PROCESS_ACCOUNT_H_
#define DLTAP_ANALYZER_EXPORTERS_PROCESS_ACCOUNT_H_

#include <map>
#include <vector>

#include "analyzer/exporters/export_input.h"
#include "analyzer/exporters/gap_list.h"
#include "analyzer/metrics/classes/work_sums.h"
#include "analyzer/metrics/devices/step_accounts.h"
#include "analyzer/metrics/idle/seen_frames.h"

namespace dltap::analyzer {

// What several tables of a data set say of one process, found once.
struct ProcessAccount {
  std::vector<std::vector<StepAccount>> steps;  // by device
  GapList gaps;                                 // of the used steps
  std::map<ClassKey, WorkSum> classes;
  std::vector<SeenFrames> seen_frames;  // by device, in the used steps
};

ProcessAccount MakeProcessAccount(const ExportInput& input, size_t p);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_EXPORTERS_PROCESS_ACCOUNT_H_
