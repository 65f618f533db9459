// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_CONTROL_PROGRAM_LINKAGE_H_
#define DLTAP_ANALYZER_CONTROL_PROGRAM_LINKAGE_H_

#include <string>
#include <vector>

#include "analyzer/control/elf_linkage.h"
#include "analyzer/control/run_environment.h"

namespace dltap::analyzer {

// What a command would load, as far as its files show it. Nothing is run.
struct ProgramLinkage {
  std::string command;     // its first word
  std::string executable;  // of the process, behind "#!"; empty: not found
  bool is_script = false;
  // Another user's or group's rights, or capabilities of the file's own, come
  // with it: LD_PRELOAD is ignored.
  bool gains_rights = false;
  bool is_elf = false;
  bool is_python = false;
  ElfLinkage elf;      // of the executable
  int cuda_major = 0;  // that it is built for, 11 to 13
  // Of a Python interpreter: frameworks that are installed, those of their
  // libraries that have the runtime linked in, and where CUPTI may lie.
  std::vector<std::string> static_cudart;
  std::vector<std::string> frameworks;
  std::vector<std::string> cupti_folders;
};

ProgramLinkage LookAtProgram(const std::vector<std::string>& command,
                             const Environment& environment);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_CONTROL_PROGRAM_LINKAGE_H_
