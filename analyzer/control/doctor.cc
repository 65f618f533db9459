// SPDX-License-Identifier: Apache-2.0
#include "analyzer/control/doctor.h"

#include <cstring>
#include <limits>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace dltap::analyzer {
namespace {

constexpr int kOldestGlibc = 34;
constexpr uint64_t kLeastOutput = uint64_t{64} << 10;  // a small trace
// Less the tap does not use (RingFile::SharedMemoryHasRoom).
constexpr uint64_t kLeastSharedMemory = uint64_t{256} << 20;

using Findings = std::vector<Finding>;

// Those of musl, uClibc and Android. glibc's has many names: ld-2.17.so,
// ld-lsb-x86-64.so.3, a distribution's own.
bool IsLoaderOfAnother(const std::string& path) {
  const std::string name = path.substr(path.rfind('/') + 1);
  return name.starts_with("ld-musl-") || name.starts_with("linker64") ||
         name.find("uClibc") != std::string::npos;
}

Finding LoadingOf(const ProgramLinkage& program) {
  const auto nothing = [&](std::string text, std::string advice) {
    return Finding{"program", Verdict::kNothing, std::move(text),
                   std::move(advice)};
  };
  const std::string& file = program.executable;
  if (file.empty()) {
    return nothing(absl::StrCat("\"", program.command, "\" was not found"),
                   "give a path, or set PATH");
  }
  if (!program.is_elf) {
    return nothing(absl::StrCat(file, " is no program that Linux loads"),
                   "name the interpreter that runs it");
  }
  if (!program.elf.is_x86_64) {
    return nothing(absl::StrCat(file, " is not built for x86-64"),
                   "dltap records x86-64 programs only");
  }
  if (!program.elf.is_dynamic) {
    return nothing(
        absl::StrCat(file, " is a static executable: nothing is preloaded"),
        "link it dynamically, at least to libc");
  }
  if (IsLoaderOfAnother(program.elf.loader)) {
    return nothing(
        absl::StrCat(file, " is linked with another C library (",
                     program.elf.loader,
                     "): with libdltap.so, which needs glibc, it does not "
                     "start"),
        "use a build for glibc");
  }
  if (program.gains_rights) {
    return nothing(
        absl::StrCat(file,
                     " is set-uid or set-gid or has capabilities: LD_PRELOAD "
                     "is ignored"),
        "run a copy without them as the user that it becomes");
  }
  const std::string by = program.is_script
                             ? absl::StrCat(program.command, " runs by ", file)
                             : file;
  return {"program", Verdict::kGood,
          absl::StrCat(by, ": dynamic, libdltap.so is loaded with it"), ""};
}

void DiagnoseRuntime(const ProgramLinkage& program, Findings& out) {
  constexpr const char* kAdvice =
      "build with -cudart shared; until then calls of libraries (cuDNN, "
      "cuBLAS, NCCL) and GPU activity are recorded, its own launches are not";
  if (program.elf.has_static_cudart) {
    out.push_back(
        {"cudart", Verdict::kLost,
         absl::StrCat(program.executable, " has the CUDA runtime linked in"),
         kAdvice});
  }
  for (const std::string& library : program.static_cudart) {
    out.push_back({"cudart", Verdict::kLost,
                   absl::StrCat(library, " has the CUDA runtime linked in"),
                   "nothing: calls of libraries and GPU activity are recorded, "
                   "its own launches by the driver only where it looks them up "
                   "by dlsym"});
  }
  if (!program.elf.run_path.empty()) {
    out.push_back({"rpath", Verdict::kNote,
                   absl::StrCat(program.elf.is_rpath ? "RPATH " : "RUNPATH ",
                                program.elf.run_path,
                                ": its libraries come from there; wrapping "
                                "does not depend on it"),
                   ""});
  }
  if (!program.frameworks.empty()) {
    out.push_back({"frameworks", Verdict::kGood,
                   absl::StrCat(absl::StrJoin(program.frameworks, ", "),
                                ", for CUDA ", program.cuda_major),
                   ""});
  }
}

void DiagnoseGpu(const MachineFacts& machine, Findings& out) {
  if (machine.is_simulated) {
    out.push_back({"driver", Verdict::kNote,
                   "DLTAP_SIM_GPU is set: a simulated GPU", ""});
    return;
  }
  if (!machine.has_driver) {
    out.push_back({"driver", Verdict::kNothing,
                   "no NVIDIA driver: nothing will run on a GPU",
                   "record on a machine with one, or simulate it: dltap run "
                   "--gpu sim:h100-sxm"});
    return;
  }
  out.push_back({"driver", Verdict::kGood,
                 machine.driver_version.empty()
                     ? "NVIDIA driver, version unknown"
                     : absl::StrCat("NVIDIA driver ", machine.driver_version),
                 ""});
  if (!machine.profiling_restricted) {
    out.push_back({"permission", Verdict::kNote,
                   "whether profiling is for administrators only cannot be "
                   "read; kernel times do not need it on drivers from 418 on",
                   ""});
  } else if (*machine.profiling_restricted && !machine.is_root) {
    out.push_back({"permission", Verdict::kNote,
                   "profiling counters are for administrators only "
                   "(NVreg_RestrictProfilingToAdminUsers=1); kernel times are "
                   "recorded all the same",
                   "if the report lacks kernels with INSUFFICIENT_PRIVILEGES, "
                   "load nvidia with NVreg_RestrictProfilingToAdminUsers=0"});
  } else {
    out.push_back({"permission", Verdict::kGood, "profiling is permitted", ""});
  }
}

void DiagnoseCupti(const MachineFacts& machine, int cuda_major, Findings& out) {
  if (machine.is_simulated) return;
  if (!machine.cupti.empty()) {
    out.push_back({"cupti", Verdict::kGood, machine.cupti, ""});
    return;
  }
  out.push_back(
      {"cupti", Verdict::kLost,
       absl::StrCat("libcupti.so",
                    cuda_major == 0 ? "" : absl::StrCat(".", cuda_major),
                    " was not found: calls without GPU times"),
       cuda_major == 13
           ? "pip install nvidia-cuda-cupti, or put the toolkit's "
             "extras/CUPTI/lib64 into LD_LIBRARY_PATH"
           : "pip install nvidia-cuda-cupti-cu12, or put the toolkit's "
             "extras/CUPTI/lib64 into LD_LIBRARY_PATH"});
}

void DiagnoseTools(const MachineFacts& machine, Findings& out) {
  for (const std::string& tool : machine.other_tools) {
    const bool takes_cupti = tool.starts_with("CUDA_INJECTION") ||
                             tool.starts_with("NSYS") ||
                             tool.starts_with("QUADD");
    out.push_back(
        {"tools", takes_cupti ? Verdict::kLost : Verdict::kNote,
         absl::StrCat(tool, takes_cupti ? ": that tool may hold CUPTI; no "
                                          "kernels are recorded meanwhile"
                                        : " stays in force beside dltap"),
         takes_cupti ? "unset it for this run" : ""});
  }
}

void DiagnoseSwitches(const MachineFacts& machine, Findings& out) {
  if (machine.is_disabled) {
    out.push_back({"disabled", Verdict::kNothing,
                   "DLTAP_DISABLE keeps libdltap.so off", "unset it"});
  }
  if (machine.is_host_level) {
    out.push_back({"level", Verdict::kLost,
                   "DLTAP_LEVEL=host: calls only, no GPU times", "unset it"});
  }
}

std::string Megabytes(uint64_t bytes) {
  return absl::StrCat(bytes >> 20, " MB");
}

void DiagnoseOutput(const MachineFacts& machine, Findings& out) {
  const uint64_t free_bytes =
      machine.free_bytes.value_or(std::numeric_limits<uint64_t>::max());
  if (machine.output_error != 0) {
    out.push_back(
        {"output", Verdict::kNothing,
         absl::StrCat(machine.output, ": ", strerror(machine.output_error)),
         "name a folder that can be written: dltap run -o, or "
         "DLTAP_OUTPUT"});
  } else if (free_bytes < kLeastOutput || !machine.takes_files) {
    out.push_back({"output", Verdict::kNothing,
                   absl::StrCat(machine.output, " is full"),
                   "make room, or write elsewhere: dltap run -o, or "
                   "DLTAP_OUTPUT"});
  } else if (free_bytes < machine.limit_bytes) {
    out.push_back({"output", Verdict::kNote,
                   absl::StrCat(machine.output, " has ", Megabytes(free_bytes),
                                " left, a process may write ",
                                Megabytes(machine.limit_bytes),
                                "; recording stops when it is full"),
                   "lower DLTAP_MAX_MB, or write elsewhere"});
  } else {
    out.push_back(
        {"output", Verdict::kGood,
         absl::StrCat(
             machine.output, ": writable",
             machine.free_bytes ? ", " + Megabytes(free_bytes) + " free" : ""),
         ""});
  }
}

void DiagnoseSharedMemory(const MachineFacts& machine, Findings& out) {
  if (machine.shared_memory_bytes < kLeastSharedMemory) {
    out.push_back(
        {"shared_memory", Verdict::kNote,
         absl::StrCat("/dev/shm has ", Megabytes(machine.shared_memory_bytes),
                      " left: buffers lie beside the trace, the "
                      "program may wait for the disk"),
         "give the container more (docker run --shm-size=1g)"});
  }
}

void DiagnoseSystem(const MachineFacts& machine, Findings& out) {
  if (machine.tap.empty()) {
    out.push_back({"libdltap", Verdict::kNothing,
                   "libdltap.so was not found beside this program",
                   "install it with this program"});
  }
  if (machine.glibc_minor < kOldestGlibc) {
    out.push_back({"glibc", Verdict::kNothing,
                   absl::StrCat("glibc 2.", machine.glibc_minor,
                                " is older than 2.", kOldestGlibc),
                   "run in a newer system or container"});
  } else {
    out.push_back({"glibc", Verdict::kGood,
                   absl::StrCat("glibc 2.", machine.glibc_minor), ""});
  }
  if (machine.has_invariant_tsc) {
    out.push_back(
        {"clock", Verdict::kGood, "invariant time stamp counter", ""});
  } else {
    out.push_back({"clock", Verdict::kNote,
                   "the time stamp counter is not invariant: time is read by "
                   "clock_gettime, at 15 ns more a call",
                   ""});
  }
}

void DiagnoseContextSwitches(const MachineFacts& machine, Findings& out) {
  const auto not_told = [&out](const char* why, std::string advice) {
    out.push_back(
        {"switches", Verdict::kNote,
         absl::StrCat("the kernel does not tell when threads sleep: ", why,
                      "; why the host is late is a mean over 25 "
                      "ms"),
         std::move(advice)});
  };
  switch (machine.no_switches) {
    case NoSwitches::kTold:
      out.push_back({"switches", Verdict::kGood,
                     "the kernel tells when threads sleep and are preempted",
                     ""});
      return;
    case NoSwitches::kFilter:
      return not_told("there is a seccomp filter",
                      "in a container, run with --security-opt "
                      "seccomp=unconfined --cap-add PERFMON");
    case NoSwitches::kLockedMemory:
      return not_told("the user may lock too little memory",
                      "raise ulimit -l to 4608 or more");
    case NoSwitches::kTimeNamespace:
      return not_told("the clock is that of a time namespace", "");
    case NoSwitches::kRefused:
      return not_told("it refuses",
                      "set kernel.perf_event_paranoid to 2 or "
                      "less, or give CAP_PERFMON");
  }
}

}  // namespace

std::vector<Finding> DiagnoseProgram(const ProgramLinkage& program) {
  return {LoadingOf(program)};
}

std::vector<Finding> Diagnose(const ProgramLinkage* program,
                              const MachineFacts& machine) {
  Findings out;
  if (program != nullptr) {
    out = DiagnoseProgram(*program);
    DiagnoseRuntime(*program, out);
  }
  DiagnoseGpu(machine, out);
  DiagnoseCupti(machine, program != nullptr ? program->cuda_major : 13, out);
  DiagnoseTools(machine, out);
  DiagnoseSwitches(machine, out);
  DiagnoseOutput(machine, out);
  DiagnoseSharedMemory(machine, out);
  DiagnoseSystem(machine, out);
  DiagnoseContextSwitches(machine, out);
  return out;
}

}  // namespace dltap::analyzer
