// SPDX-License-Identifier: Apache-2.0
#include "analyzer/control/nothing_recorded.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "analyzer/control/command_files.h"
#include "analyzer/control/doctor.h"

namespace dltap::analyzer {
namespace {

constexpr int kFirstSignal = 128;

// As the tap reads its variables.
bool SaysNo(const std::string& value) {
  return value == "0" || value == "off" || value == "false" || value == "no";
}

std::string EndOf(int exit_code) {
  if (exit_code <= kFirstSignal) return absl::StrCat("code ", exit_code);
  const char* name = strsignal(exit_code - kFirstSignal);
  return absl::StrCat("signal ", exit_code - kFirstSignal, " (",
                      name == nullptr ? "unknown" : name, ")");
}

bool NamesCuda(const ProgramLinkage& program) {
  return program.elf.has_static_cudart ||
         std::any_of(program.elf.needed.begin(), program.elf.needed.end(),
                     [](const std::string& name) {
                       return absl::StartsWith(name, "libcu") ||
                              absl::StartsWith(name, "libnccl");
                     });
}

// What keeps libdltap.so out of the program, as dltap doctor says it.
std::string WhyNotLoaded(const ProgramLinkage& program) {
  for (const Finding& finding : DiagnoseProgram(program)) {
    if (finding.verdict == Verdict::kNothing) {
      return absl::StrCat(finding.text, "; ", finding.advice);
    }
  }
  return "";
}

std::string WhyNoWork(const ProgramLinkage& program) {
  if (!program.frameworks.empty() || NamesCuda(program)) {
    return "the program made no GPU work; does it move its model and data to "
           "the GPU (in PyTorch .to(\"cuda\"))?";
  }
  const std::string& file = program.executable;
  return program.is_python
             ? absl::StrCat(
                   "no framework with CUDA libraries is installed for ", file,
                   "; is it a CPU-only build, or another "
                   "environment than you meant?")
             : absl::StrCat(file,
                            " names no CUDA library, and nothing that it "
                            "started did GPU work; run the program that does");
}

}  // namespace

std::string WhyNoTrace(const UntracedRun& run) {
  if (SaysYes(VariableOf(run.environment, "DLTAP_DISABLE"))) {
    return "nothing was recorded: DLTAP_DISABLE keeps libdltap.so off; unset "
           "it";
  }
  const std::string not_loaded = WhyNotLoaded(run.program);
  if (!not_loaded.empty()) return "nothing was recorded: " + not_loaded;
  const std::string no_gpu = run.has_gpu ? "" : kNoDriver;
  if (run.exit_code != 0) {
    return absl::StrCat("nothing was recorded: the program ended with ",
                        EndOf(run.exit_code),
                        " before its first GPU work; what it says itself tells "
                        "more",
                        no_gpu.empty() ? "" : "; ", no_gpu);
  }
  return "nothing was recorded: " +
         (no_gpu.empty() ? WhyNoWork(run.program) : no_gpu);
}

std::string WhyNoCalls(const Environment& environment) {
  if (SaysNo(VariableOf(environment, "DLTAP_START"))) {
    return "nothing was recorded: DLTAP_START=off waits for cudaProfilerStart, "
           "which was not called; call torch.cuda.profiler.start(), use dltap "
           "ctl PID start, or unset it";
  }
  const std::string range = VariableOf(environment, "DLTAP_RANGE");
  if (!range.empty()) {
    return absl::StrCat(
        "nothing was recorded: no GPU work was done inside an "
        "NVTX range called \"",
        range, "\"");
  }
  const std::string delay = VariableOf(environment, "DLTAP_DELAY_S");
  if (delay.empty() || delay == "0") return "";
  return absl::StrCat("nothing was recorded: the program ended before ", delay,
                      " s after its first GPU work; give --delay less");
}

}  // namespace dltap::analyzer
