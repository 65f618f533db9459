// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_BASE_FAULTS_H_
#define DLTAP_SIMGPU_BASE_FAULTS_H_

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "simgpu/base/fault_rules.h"

namespace dltap::simgpu {

// All rules of one subject.
class Fault {
 public:
  explicit Fault(std::string subject) : subject_(std::move(subject)) {}

  const std::string& subject() const { return subject_; }
  void Add(const FaultRule& rule) { rules_.push_back(rule); }

  // Counts one event; the rule that it is due for, else null.
  const FaultRule* Next();

  // Counts one call of a function: takes its time, or never returns. The code
  // that the call must fail with; 0: none.
  int Fire();

 private:
  const std::string subject_;
  std::vector<FaultRule> rules_;
  std::atomic<uint64_t> turns_{0};
};

// The rules of a function; null: there are none. Reads the environment at the
// first call.
Fault* FindFault(std::string_view function);

// The same for "launch", "memory" and the other points. Null until FindFault()
// was called, which every program's first call into these libraries does.
enum class FaultPoint : uint8_t {
  kLaunch,
  kMemory,
  kRecord,    // of device work
  kExternal,  // record of an external correlation id
  kTeardown,  // a call of CUPTI after the driver's exit handler
};
constexpr size_t kFaultPoints = 5;
extern std::atomic<Fault*> g_fault_points[kFaultPoints];
inline Fault* FaultAt(FaultPoint point) {
  return g_fault_points[static_cast<size_t>(point)].load(
      std::memory_order_relaxed);
}

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_BASE_FAULTS_H_
