// SPDX-License-Identifier: Apache-2.0
#include "simgpu/base/faults.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <deque>

#include "simgpu/base/clock.h"
#include "simgpu/base/config.h"
#include "simgpu/base/scoped_faults.h"

namespace dltap::simgpu {
namespace {

constexpr const char* kPointNames[kFaultPoints] = {"launch", "memory", "record",
                                                   "external", "teardown"};

std::deque<Fault>* LoadFaults() {
  auto* faults = new std::deque<Fault>;
  std::string why;
  const auto parsed = ParseFaults(GetConfig().faults, &why);
  if (!parsed) {
    std::fprintf(stderr,
                 "dltap: simgpu: DLTAP_SIM_FAULTS: %s; no fault is injected\n",
                 why.c_str());
    return faults;
  }
  SetScopedFaults(parsed->scoped);
  for (const FaultRule& rule : parsed->rules) {
    auto fault = std::find_if(
        faults->begin(), faults->end(),
        [&](const Fault& f) { return f.subject() == rule.subject; });
    if (fault == faults->end()) {
      faults->emplace_back(rule.subject);
      fault = std::prev(faults->end());
    }
    fault->Add(rule);
  }
  for (Fault& fault : *faults) {
    for (size_t point = 0; point < kFaultPoints; ++point) {
      if (fault.subject() == kPointNames[point]) g_fault_points[point] = &fault;
    }
  }
  return faults;
}

// In virtual time the clock moves, else the caller waits.
void TakeTime(int64_t ns) {
  if (GetConfig().clock == ClockMode::kVirtual) {
    SpendHostTime(ns);
  } else {
    WaitUntil(SimNow() + ns);
  }
}

}  // namespace

constinit std::atomic<Fault*> g_fault_points[kFaultPoints]{};

bool FaultRule::IsDue(uint64_t turn) const {
  if (nth != 0) return turn == nth;
  const auto due = [this](uint64_t turns) {
    return std::floor(ratio * static_cast<double>(turns));
  };
  return due(turn) > due(turn - 1);
}

const FaultRule* Fault::Next() {
  const uint64_t turn = turns_.fetch_add(1, std::memory_order_relaxed) + 1;
  const auto rule =
      std::find_if(rules_.begin(), rules_.end(),
                   [turn](const FaultRule& r) { return r.IsDue(turn); });
  return rule == rules_.end() ? nullptr : &*rule;
}

int Fault::Fire() {
  const FaultRule* rule = Next();
  if (rule == nullptr) return 0;
  switch (rule->action) {
    case FaultAction::kReturn: return static_cast<int>(rule->value);
    case FaultAction::kSlow: TakeTime(rule->value); return 0;
    case FaultAction::kHang:
      for (;;) pause();
    default: return 0;
  }
}

Fault* FindFault(std::string_view function) {
  static std::deque<Fault>* const faults = LoadFaults();
  const auto fault =
      std::find_if(faults->begin(), faults->end(),
                   [&](const Fault& f) { return f.subject() == function; });
  return fault == faults->end() ? nullptr : &*fault;
}

}  // namespace dltap::simgpu
