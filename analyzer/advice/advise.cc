// SPDX-License-Identifier: Apache-2.0
#include "analyzer/advice/advise.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "analyzer/advice/facts.h"
#include "analyzer/advice/judge.h"
#include "analyzer/advice/rules.h"

namespace dltap::analyzer {
namespace {

void Apply(const Rule& rule, const Facts& facts, std::vector<Found>& found) {
  std::vector<Advice> advice;
  rule.find(facts, advice);
  for (Advice& one : advice) {
    one.id = rule.id;
    if (one.gain_ns == 0) {
      one.gain_ns = (one.gain_low_ns + one.gain_high_ns) / 2;
    }
    found.push_back({&rule, &facts, std::move(one)});
  }
}

// The device for which the others wait; null: no single one.
const DeviceSummary* Straggler(const Summary& summary, const Figures& figures) {
  for (const Limit& limit : figures.limits) {
    if (!limit.straggler || !limit.late_step_ns) continue;
    const RankKey& key = *limit.straggler;
    for (const DeviceSummary& device : summary.devices) {
      if (device.processes.size() == 1 &&
          device.processes.front() == key.process &&
          device.ordinal == key.device) {
        return &device;
      }
    }
  }
  return nullptr;
}

// What would help the rank that the others wait for, and not everyone: they
// gain no more than it comes late.
void AdviseRank(const Facts& rank, const ProcessKey& process, double late_ns,
                std::vector<Found>& found) {
  const size_t of_program = found.size();
  for (const Rule& rule : AllRules()) {
    const bool known = std::any_of(
        found.begin(), found.begin() + of_program, [&](const Found& one) {
          return one.rule == &rule && Objection(one).empty();
        });
    if (!rule.of_a_rank || known) continue;
    const size_t first = found.size();
    Apply(rule, rank, found);
    for (size_t i = first; i < found.size(); ++i) {
      Advice& advice = found[i].advice;
      advice.process = process;
      for (double* ns : {&advice.gain_low_ns, &advice.gain_ns,
                         &advice.gain_high_ns, &advice.claimed_ns}) {
        *ns = std::min(*ns, late_ns);
      }
    }
  }
}

double LateNs(const Figures& figures) {
  double ns = 0;
  for (const Limit& limit : figures.limits) {
    ns = std::max(ns, limit.late_step_ns.value_or(0));
  }
  return ns;
}

}  // namespace

AdviceList Advise(const Summary& summary, const Figures& figures) {
  const Facts facts(summary, figures);
  std::vector<Found> found;
  if (!summary.devices.empty()) {
    for (const Rule& rule : AllRules()) Apply(rule, facts, found);
  }
  std::unique_ptr<const Facts> of_rank;
  if (const DeviceSummary* device = Straggler(summary, figures)) {
    of_rank = std::make_unique<const Facts>(summary, figures, *device);
    AdviseRank(*of_rank, device->processes.front(), LateNs(figures), found);
  }
  return Judge(std::move(found));
}

}  // namespace dltap::analyzer
