// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_STEPS_JOIN_PARTS_H_
#define DLTAP_ANALYZER_METRICS_STEPS_JOIN_PARTS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analyzer/attribution/attribution.h"
#include "analyzer/metrics/steps/call_signature.h"
#include "analyzer/metrics/steps/step.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// Iterations that are parts of one step, joined: those of a critic and of its
// generator. A last step that lacks parts is incomplete.
std::vector<TokenSpan> JoinParts(const TraceModel& model,
                                 const Process& process,
                                 const ProcessAttribution& attribution,
                                 const std::vector<CallToken>& tokens,
                                 const std::vector<TokenSpan>& spans);

// How many iterations each step has where the same kind of them comes again
// after `parts`: by their kinds; where that makes steps of several lengths, by
// what models they are of, if these tell steps of one length, but for one.
// Empty where there are too many kinds.
std::vector<size_t> LengthsByKinds(const std::vector<CallToken>& tokens,
                                   const std::vector<TokenSpan>& iterations,
                                   size_t parts);

// Steps made of parts, of which as many in each take an input of their own, two
// or more: a loop over batches, in which what is done takes turns. How many
// steps there are if that one is meant; 0: there is none.
uint64_t PartsWithInput(const std::vector<CallToken>& tokens,
                        const std::vector<TokenSpan>& parts,
                        const std::vector<TokenSpan>& steps);

// As JoinParts, for steps of `lengths` iterations each.
std::vector<TokenSpan> JoinedTo(const std::vector<size_t>& lengths,
                                const std::vector<CallToken>& tokens,
                                const std::vector<TokenSpan>& spans);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_STEPS_JOIN_PARTS_H_
