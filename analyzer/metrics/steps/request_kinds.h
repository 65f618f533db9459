// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_STEPS_REQUEST_KINDS_H_
#define DLTAP_ANALYZER_METRICS_STEPS_REQUEST_KINDS_H_

#include <cstdint>
#include <vector>

#include "analyzer/metrics/steps/call_signature.h"
#include "analyzer/metrics/steps/loop_starts.h"

namespace dltap::analyzer {

// What `count` calls of one kind in a pass count where passes are compared.
double WeightOfCalls(uint32_t count);

// Whether a token copies an input to the device. A value is none, nor is what
// the host has just read, as the next token of a text.
bool TakesNewInput(const std::vector<CallToken>& tokens, size_t index);

// Requests of several kinds: inputs that are copied when the result of the one
// before has been read.
struct Requests {
  Positions begins;
  // Kinds follow each other in one order, each once: all of them are one
  // request, of which `begins` has the first.
  bool by_turns = false;
};

// Empty if nearly all are of one kind, which calls of its own tell, or fewer
// than nearly all are like another one.
Requests RequestsOfKinds(const std::vector<CallToken>& tokens);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_STEPS_REQUEST_KINDS_H_
