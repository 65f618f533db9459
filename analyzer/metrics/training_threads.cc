// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/training_threads.h"

#include <algorithm>
#include <map>

#include "analyzer/attribution/engine_threads.h"
#include "analyzer/metrics/step.h"

namespace dltap::analyzer {
std::vector<uint64_t> ThreadsThatTrain(const Process& process,
                                       const std::vector<CallToken>& tokens) {
  if (HasEngineThreads(process)) return {};
  struct Trainer {
    bool forward = false;  // since the last update
    size_t updates = 0;
    size_t first = 0;  // update
    size_t last = 0;
  };
  std::map<size_t, Trainer> trainers;  // by thread
  for (size_t i = 0; i < tokens.size(); ++i) {
    const CallToken& token = tokens[i];
    if (!token.call.known()) continue;
    Trainer& at = trainers[process.calls[token.call.value()].thread.value()];
    if (token.product && !token.backward) at.forward = true;
    if (!token.optimizer || !at.forward) continue;
    if (at.updates++ == 0) at.first = i;
    at.last = i;
    at.forward = false;
  }
  std::vector<uint64_t> at_once;
  for (const auto& [thread, a] : trainers) {
    const bool meets =
        std::any_of(trainers.begin(), trainers.end(), [&](const auto& other) {
          const Trainer& b = other.second;
          return other.first != thread && b.updates >= kMinRepeats &&
                 a.first < b.last && b.first < a.last;
        });
    if (a.updates >= kMinRepeats && meets) at_once.push_back(a.updates);
  }
  return at_once;
}

}  // namespace dltap::analyzer
