// SPDX-License-Identifier: Apache-2.0
#include "analyzer/control/machine_facts.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif
#include <gnu/libc-version.h>
#include <linux/perf_event.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>

#include "analyzer/control/command_files.h"
#include "analyzer/control/install_paths.h"

namespace dltap::analyzer {
namespace {

namespace fs = std::filesystem;

// DLTAP_MAX_MB, as the tap takes it.
constexpr double kDefaultLimitMb = 2048;
constexpr double kLeastLimitMb = 0.5;
constexpr double kLargestLimitMb = 1 << 24;

// Variables by which another tool gets into a CUDA process.
constexpr std::string_view kToolVariables[] = {"CUDA_INJECTION64_PATH",
                                               "CUDA_INJECTION32_PATH",
                                               "NVTX_INJECTION64_PATH",
                                               "NVTX_INJECTION32_PATH",
                                               "LD_PRELOAD",
                                               "LD_AUDIT",
                                               "KINETO_USE_DAEMON",
                                               "KINETO_CONFIG",
                                               "NSYS_PROFILING_SESSION_ID",
                                               "QUADD_INJECTION_PROXY",
                                               "CUPTI_PROFILER_MODE",
                                               "TRITON_PROFILE_HOOK"};

std::string FirstLineAfter(const std::string& text, std::string_view key) {
  const size_t at = text.find(key);
  if (at == std::string::npos) return {};
  const size_t begin = at + key.size();
  return text.substr(begin, text.find_first_of("\n", begin) - begin);
}

// Of the kernel driver; /dev/dxg is WSL's. A container or a virtual machine may
// show the device and nothing of the driver under /proc.
constexpr const char* kDeviceNodes[] = {"/dev/nvidiactl", "/dev/nvidia0",
                                        "/dev/dxg"};

constexpr const char* kDriverVersion = "/proc/driver/nvidia/version";

void LookAtDriver(MachineFacts& out) {
  constexpr size_t kLargest = 1 << 16;
  const std::string version = ReadText(kDriverVersion, kLargest);
  out.has_driver = HasDriver();
  // "NVRM version: NVIDIA UNIX x86_64 Kernel Module  570.86.10  Sun ..."
  for (const std::string& word :
       Split(FirstLineAfter(version, "Kernel Module"), ' ')) {
    if (word.find('.') != std::string::npos) {
      out.driver_version = word;
      break;
    }
  }
  const std::string parameters =
      ReadText("/proc/driver/nvidia/params", kLargest);
  const std::string restricted =
      FirstLineAfter(parameters, "RmProfilingAdminOnly:");
  if (!restricted.empty()) {
    out.profiling_restricted = restricted.find('0') == std::string::npos;
  }
}

std::string FindCupti(const Environment& environment, int cuda_major,
                      std::vector<std::string> folders) {
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    const std::string root = VariableOf(environment, variable);
    if (!root.empty()) folders.push_back(root + "/extras/CUPTI/lib64");
  }
  for (const auto& folder :
       Split(VariableOf(environment, "LD_LIBRARY_PATH"), ':')) {
    folders.push_back(folder);
  }
  folders.insert(folders.end(), {"/usr/local/cuda/extras/CUPTI/lib64",
                                 "/usr/lib/x86_64-linux-gnu", "/usr/lib64"});
  const std::string name = "libcupti.so." + std::to_string(cuda_major);
  std::error_code error;
  for (const std::string& folder : folders) {
    const fs::path path = fs::path(folder) / name;
    if (fs::exists(path, error)) return path.string();
  }
  return {};
}

void LookAtVariables(const Environment& environment, MachineFacts& out) {
  for (const std::string_view name : kToolVariables) {
    const std::string value = VariableOf(environment, std::string(name));
    // Our own library is no other tool.
    if (value.empty() || value.find("libdltap.so") != std::string::npos) {
      continue;
    }
    out.other_tools.push_back(std::string(name) + "=" + value);
  }
}

// The folder itself, or the nearest one above it that exists.
void LookAtOutput(const Environment& environment, MachineFacts& out) {
  std::error_code error;
  const std::string wanted = VariableOf(environment, "DLTAP_OUTPUT");
  fs::path folder = fs::absolute(wanted.empty() ? "." : wanted, error);
  // %h, %p: unknown yet.
  while (folder.string().find('%') != std::string::npos ||
         !fs::exists(folder, error)) {
    if (folder == folder.parent_path()) break;
    folder = folder.parent_path();
  }
  out.output = folder.lexically_normal().string();
  if (!fs::is_directory(folder, error)) {
    out.output_error = ENOTDIR;
  } else if (access(folder.c_str(), W_OK | X_OK) != 0) {
    out.output_error = errno;
  }
  struct statvfs room = {};
  if (statvfs(folder.c_str(), &room) == 0) {
    // Some file systems count neither, as a tmpfs without limits.
    if (room.f_blocks != 0) {
      out.free_bytes = uint64_t{room.f_bavail} * room.f_frsize;
    }
    out.takes_files = room.f_files == 0 || room.f_favail > 0;
  }
  if (statvfs("/dev/shm", &room) == 0) {
    out.shared_memory_bytes = uint64_t{room.f_bavail} * room.f_frsize;
  }
  const std::string limit = VariableOf(environment, "DLTAP_MAX_MB");
  double megabytes = 0;
  std::from_chars(limit.data(), limit.data() + limit.size(), megabytes);
  if (!(megabytes >= kLeastLimitMb && megabytes <= kLargestLimitMb)) {
    megabytes = kDefaultLimitMb;
  }
  out.limit_bytes = static_cast<uint64_t>(megabytes * (1 << 20));
}

// As the tap decides it: CPUID, and whether the kernel itself trusts it.
bool HasInvariantTsc() {
#if defined(__x86_64__)
  constexpr unsigned kInvariant = 1u << 8;
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(0x80000007, &a, &b, &c, &d) == 0 || (d & kInvariant) == 0) {
    return false;
  }
#endif
  const std::string source = ReadText(
      "/sys/devices/system/clocksource/clocksource0/current_clocksource", 64);
  return source.empty() || source.starts_with("tsc") ||
         source.starts_with("kvm-clock") ||
         source.starts_with("hyperv_clocksource_tsc");
}

// The number behind that name in /proc/thread-self/status; nullopt: none.
std::optional<uint64_t> StatusField(std::string_view name, int base) {
  std::ifstream status("/proc/thread-self/status");
  for (std::string line; std::getline(status, line);) {
    if (!line.starts_with(name)) continue;
    return std::strtoull(line.c_str() + name.size(), nullptr, base);
  }
  return std::nullopt;
}

bool LocksLittleMemory() {
  constexpr uint64_t kIpcLock = uint64_t{1} << 14;
  const uint64_t rings = 16 * 9 * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  rlimit limit{};
  return (StatusField("CapEff:", 16).value_or(0) & kIpcLock) == 0 &&
         (getrlimit(RLIMIT_MEMLOCK, &limit) != 0 || limit.rlim_cur / 8 < rings);
}

bool HasOtherTime() {
  std::ifstream offsets("/proc/self/timens_offsets");
  std::string clock;
  int64_t seconds = 0;
  int64_t ns = 0;
  return offsets >> clock >> seconds >> ns && (seconds != 0 || ns != 0);
}

// As MapSwitches() of the tap, of this thread. 0, or errno.
int AskForSwitches() {
  perf_event_attr wanted = {};
  wanted.size = sizeof(wanted);
  wanted.type = PERF_TYPE_SOFTWARE;
  wanted.config = PERF_COUNT_SW_DUMMY;
  wanted.context_switch = 1;
  wanted.exclude_kernel = 1;
  wanted.exclude_hv = 1;
  const auto event = static_cast<int>(
      syscall(SYS_perf_event_open, &wanted, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
  if (event < 0) return errno;
  close(event);
  return 0;
}

// MayAskForSwitches() of the tap says why it does not ask.
NoSwitches WhyNoSwitches() {
  if (StatusField("Seccomp:", 10).value_or(1) != 0) return NoSwitches::kFilter;
  if (LocksLittleMemory()) return NoSwitches::kLockedMemory;
  if (HasOtherTime()) return NoSwitches::kTimeNamespace;
  return AskForSwitches() == 0 ? NoSwitches::kTold : NoSwitches::kRefused;
}

}  // namespace

bool HasDriver() {
  return access(kDriverVersion, F_OK) == 0 ||
         std::any_of(std::begin(kDeviceNodes), std::end(kDeviceNodes),
                     [](const char* node) { return access(node, F_OK) == 0; });
}

MachineFacts LookAtMachine(const Environment& environment, int cuda_major,
                           const std::vector<std::string>& folders) {
  MachineFacts out;
  out.tap = InstallPaths::OfThisProgram().Tap().value_or("");
  LookAtDriver(out);
  out.is_simulated = !VariableOf(environment, "DLTAP_SIM_GPU").empty();
  out.cupti = FindCupti(environment, cuda_major, folders);
  out.is_root = geteuid() == 0;
  const std::vector<std::string> version = Split(gnu_get_libc_version(), '.');
  if (version.size() > 1) out.glibc_minor = std::atoi(version[1].c_str());
  LookAtVariables(environment, out);
  LookAtOutput(environment, out);
  out.is_disabled = SaysYes(VariableOf(environment, "DLTAP_DISABLE"));
  out.is_host_level = VariableOf(environment, "DLTAP_LEVEL") == "host";
  out.has_invariant_tsc = HasInvariantTsc();
  out.no_switches = WhyNoSwitches();
  return out;
}

}  // namespace dltap::analyzer
