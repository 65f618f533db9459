// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_ADVICE_SAVING_H_
#define DLTAP_ANALYZER_ADVICE_SAVING_H_

#include <optional>
#include <span>

#include "analyzer/advice/advice.h"
#include "analyzer/advice/facts.h"
#include "analyzer/metrics/avoidable/avoidable.h"

// What rules about the GPU's own work share: from work that a framework could
// do in a quicker way to what a step would gain.
namespace dltap::analyzer {

// The part of the class's GPU time that the steps wait for: that on their
// critical path. What else it computes runs beside the host or other work, and
// saves nothing when it gets quicker.
double WaitedFor(const Facts& facts, LayerClass layer_class);
// The same of the work of several classes together.
double WaitedFor(const Facts& facts, std::span<const LayerClass> classes);
// The same of all work of a direction.
double WaitedFor(const Facts& facts, Direction direction);

// The same of all work.
double WaitedFor(const Facts& facts);

// The largest share of its memory that a device has in use; nullopt: unknown.
std::optional<double> MemoryInUse(const Facts& facts);

// What passes forward and backward compute of these classes, of a step.
double PassesNs(const Facts& facts, std::span<const LayerClass> classes);

// The advice without its words and claims: the gain at worst is that of the
// part that the step waits for.
Advice SavingOf(const Facts& facts, const AvoidableSums& work,
                double waited_for);

// At best it saves as much of `beside_ns`, too, as is not its own work; no more
// than the step.
void SaveBeside(const Facts& facts, double beside_ns, Advice& advice);

// The advice, without its words, on products that could be one: what lies
// between them, `beside_ns` of a step, is as much in parts. nullopt: they are
// less than a twentieth of the step.
std::optional<Advice> SavingOfProducts(const Facts& facts, Avoidable kind,
                                       double beside_ns);

// All work of a step, and what the device idles in it.
double WorkAndIdleNs(const Facts& facts);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_ADVICE_SAVING_H_
