// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_STEPS_STEP_PARTS_H_
#define DLTAP_ANALYZER_METRICS_STEPS_STEP_PARTS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analyzer/metrics/steps/call_signature.h"
#include "analyzer/metrics/steps/step.h"

namespace dltap::analyzer {

inline constexpr size_t kMostParts = 64;  // of a step

// Whether equal iterations always stand in long rows (eight or more), if the
// kind changes from one to the next in `changes`: loops that take turns (a task
// is learned, then its weights' worth is measured), not parts of a step.
bool AreLoopsByTurns(const std::vector<bool>& changes);

// What tells the parts of a step from each other: products or updates; updates
// alone, where all train one model and how often it runs is the data's.
enum class PartsDiffer : uint8_t { kAnyhow, kInUpdates };

// After how many iterations the same kind of iteration comes again: 6 where
// five train a critic and the sixth a generator, 1 where all are alike or
// where what is unlike does not recur evenly. Only the products tell kinds
// apart: a loss that is printed now and then makes no other kind. `in_order`:
// the calls are in the program's order, so that passes forward and backward are
// told by it, and what one of them does is compared; else, what all do.
size_t PartsPerStep(const std::vector<CallToken>& tokens,
                    const std::vector<TokenSpan>& iterations,
                    bool in_order = true,
                    PartsDiffer in = PartsDiffer::kAnyhow);

// The kind of each iteration by its gradients, for a pass forward that only
// shows what is learnt makes no other kind. Empty where there are too many.
std::vector<uint32_t> KindsByGradients(
    const std::vector<CallToken>& tokens,
    const std::vector<TokenSpan>& iterations);

// That, or by all products where gradients are alike.
std::vector<uint32_t> KindsOf(const std::vector<CallToken>& tokens,
                              const std::vector<TokenSpan>& iterations);

// By gradients, those of one kind that differ in few of them: a model that does
// less now and then. Empty where all are of one, or there are too many.
std::vector<uint32_t> KindsOfModels(const std::vector<CallToken>& tokens,
                                    const std::vector<TokenSpan>& iterations);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_STEPS_STEP_PARTS_H_
