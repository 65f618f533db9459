// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_SIMGPU_DEVICE_FAULTS_H_
#define DLTAP_SHIM_SIMGPU_DEVICE_FAULTS_H_

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dltap::simgpu {

// DLTAP_SIM_FAULTS = FUNCTION:NTH:CODE[,...]: the NTH call (from 1, or "*" for
// each) of FUNCTION returns CODE and does nothing.
struct Fault {
  std::string function;
  uint64_t nth = 0;  // 0: each call
  int code = 0;
  std::atomic<uint64_t> calls{0};

  // The code when this call is the one, else 0.
  int Fire();
};

// The fault of the function, or null. Reads the environment at the first call.
Fault* FindFault(std::string_view function);

struct FaultRule {
  std::string function;
  uint64_t nth;
  int code;
  friend bool operator==(const FaultRule&, const FaultRule&) = default;
};

// nullopt when the text is not of the form above.
std::optional<std::vector<FaultRule>> ParseFaults(std::string_view text);

}  // namespace dltap::simgpu

#endif  // DLTAP_SHIM_SIMGPU_DEVICE_FAULTS_H_
