// SPDX-License-Identifier: Apache-2.0
#include "analyzer/advice/waits.h"

#include <algorithm>
#include <array>

namespace dltap::analyzer {
namespace {

constexpr double kSureShare = 0.5;

constexpr std::array kOfWaits = {IdleCause::kWait,      IdleCause::kLaunch,
                                 IdleCause::kFramework, IdleCause::kLibrary,
                                 IdleCause::kUnknown,   IdleCause::kLatency};

double ClaimIdle(const Facts& facts, Claims& claims) {
  double ns = 0;
  for (const IdleCause cause : kOfWaits) {
    ns += facts.IdleStepNs(cause);
    claims.With(cause);
  }
  return ns;
}

}  // namespace

double LeastGainOfWaits(const Facts& facts, const SignSums& idle) {
  const double ns = facts.Step(idle.ns);
  const double beside = facts.figures.program.wait_gain_ns.value_or(ns) +
                        facts.IdleStepNs(IdleCause::kWait);
  return kSureShare * std::min(ns, beside);
}

void SetGainOfWaits(const Facts& facts, double least_ns, double more_ns,
                    Advice& advice) {
  advice.gain_low_ns = least_ns;
  advice.gain_high_ns = more_ns + ClaimIdle(facts, advice.claims);
  advice.claimed_ns = advice.gain_high_ns;
}

}  // namespace dltap::analyzer
