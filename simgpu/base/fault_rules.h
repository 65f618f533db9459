// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_BASE_FAULT_RULES_H_
#define DLTAP_SIMGPU_BASE_FAULT_RULES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simgpu/base/scoped_fault_rules.h"

namespace dltap::simgpu {

// DLTAP_SIM_FAULTS = SUBJECT:WHICH:WHAT[,...], or a name that stands for such
// rules, or a ScopedFault. The grammar is in simgpu/USING.md.
enum class FaultAction : uint8_t {
  kReturn,    // value: the code that a function, or a failed kernel, gives
  kSlow,      // value: ns that a call takes longer
  kHang,      // a call never returns
  kFull,      // there is no memory left
  kDrop,      // an activity record is lost
  kDelay,     // value: ns that it comes late
  kTwice,     // it comes again
  kZeroTime,  // it has no times
  kNoEnd,     // it has no end
  kUnseen,    // it is never made, and nobody counts it
  kStolen,    // another client's callbacks replace those that are registered
  kAbort,     // the process ends there
};

struct FaultRule {
  // A function, or a point of FaultPoint: "launch", "memory" and so on.
  std::string subject;
  uint64_t nth = 0;  // from 1; 0: by ratio
  double ratio = 1;  // of all, spread evenly
  FaultAction action = FaultAction::kReturn;
  int64_t value = 0;

  // Whether the `turn`th event (from 1) is meant.
  bool IsDue(uint64_t turn) const;
  friend bool operator==(const FaultRule&, const FaultRule&) = default;
};

struct FaultList {
  std::vector<FaultRule> rules;
  std::vector<ScopedFault> scoped;
};

// nullopt: `why` names the rule that is not of the form above.
std::optional<FaultList> ParseFaults(std::string_view text, std::string* why);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_BASE_FAULT_RULES_H_
