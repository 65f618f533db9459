// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_CONTROL_MACHINE_FACTS_H_
#define DLTAP_ANALYZER_CONTROL_MACHINE_FACTS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/control/run_environment.h"

namespace dltap::analyzer {

// Why the tap learns nothing of context switches (shim/tap/runtime/
// switch_ring.h).
enum class NoSwitches : uint8_t {
  kTold,  // it does
  kFilter,
  kLockedMemory,
  kTimeNamespace,
  kRefused  // by the kernel
};

// What this machine and this environment offer a recording.
struct MachineFacts {
  std::string tap;             // path of libdltap.so; empty: not found
  bool has_driver = false;     // NVIDIA's kernel driver
  std::string driver_version;  // empty: unknown
  bool is_simulated = false;   // DLTAP_SIM_GPU is set
  // Profiling is for administrators only; nullopt: cannot be read.
  std::optional<bool> profiling_restricted;
  std::string cupti;  // path of libcupti.so.MAJOR; empty: not found
  bool is_root = false;
  int glibc_minor = 0;                   // 2.N
  std::vector<std::string> other_tools;  // variables that load one
  std::string output;                    // where the trace would go, absolute
  int output_error = 0;                  // errno of writing there
  std::optional<uint64_t> free_bytes;    // there; nullopt: it does not say
  bool takes_files = true;               // there; false: no more of them
  uint64_t limit_bytes = 0;              // DLTAP_MAX_MB
  uint64_t shared_memory_bytes = 0;      // free in /dev/shm
  bool has_invariant_tsc = false;
  NoSwitches no_switches = NoSwitches::kTold;
  bool is_disabled = false;    // DLTAP_DISABLE
  bool is_host_level = false;  // DLTAP_LEVEL=host
};

// Whether NVIDIA's kernel driver is there, as far as files show it.
bool HasDriver();

// `cuda_major`: whose CUPTI is wanted. `folders`: where it may lie besides the
// loader's and the toolkit's.
MachineFacts LookAtMachine(const Environment& environment, int cuda_major,
                           const std::vector<std::string>& folders);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_CONTROL_MACHINE_FACTS_H_
