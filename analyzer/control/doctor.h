// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_CONTROL_DOCTOR_H_
#define DLTAP_ANALYZER_CONTROL_DOCTOR_H_

#include <string>
#include <vector>

#include "analyzer/control/machine_facts.h"
#include "analyzer/control/program_linkage.h"

namespace dltap::analyzer {

enum class Verdict {
  kGood,     // will be seen
  kNote,     // worth knowing; nothing is lost
  kLost,     // something will not be seen
  kNothing,  // nothing at all will be seen
};

// One thing that was looked at.
struct Finding {
  std::string subject;  // "program", "cupti", ...; stable, for --json
  Verdict verdict = Verdict::kGood;
  std::string text;
  std::string advice;  // what to do; empty where there is nothing to do
};

// What a recording of that program on that machine will see and what not.
std::vector<Finding> Diagnose(const ProgramLinkage* program,
                              const MachineFacts& machine);

// Of that, whether libdltap.so gets into the program.
std::vector<Finding> DiagnoseProgram(const ProgramLinkage& program);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_CONTROL_DOCTOR_H_
