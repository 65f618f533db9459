// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/steps/training_threads.h"

#include <algorithm>
#include <map>

#include "analyzer/attribution/base/engine_threads.h"
#include "analyzer/metrics/steps/step.h"

namespace dltap::analyzer {
namespace {

constexpr double kInStep = 0.8;  // of a trainer's steps: with as many products

struct Trainer {
  bool forward = false;         // since the last update
  std::vector<size_t> updates;  // tokens
};

size_t ThreadOf(const Process& process, const CallToken& token) {
  return process.calls[token.call.value()].thread.value();
}

// By thread; those that compute forward and update by turns have updates.
std::map<size_t, Trainer> TrainersOf(const Process& process,
                                     const std::vector<CallToken>& tokens) {
  std::map<size_t, Trainer> trainers;
  for (size_t i = 0; i < tokens.size(); ++i) {
    const CallToken& token = tokens[i];
    if (!token.call.known()) continue;
    Trainer& at = trainers[ThreadOf(process, token)];
    if (token.product && !token.backward) at.forward = true;
    if (!token.optimizer || !at.forward) continue;
    at.updates.push_back(i);
    at.forward = false;
  }
  std::erase_if(trainers, [](const auto& trainer) {
    return trainer.second.updates.size() < kMinRepeats;
  });
  return trainers;
}

struct Computing {
  bool forward_alone = true;
  std::map<size_t, size_t> products;  // by the trainer's step
};

// Whether a thread computes as much in each of the trainer's steps: it is a
// part of them.
bool IsPartOf(const Computing& thread, size_t steps) {
  std::map<size_t, size_t> steps_with;  // that many products
  for (const auto& [step, products] : thread.products) ++steps_with[products];
  const auto usual = std::ranges::max_element(
      steps_with, {}, [](const auto& count) { return count.second; });
  return usual == steps_with.end() || static_cast<double>(usual->second) >=
                                          kInStep * static_cast<double>(steps);
}

}  // namespace

std::vector<uint64_t> ThreadsThatTrain(const Process& process,
                                       const std::vector<CallToken>& tokens) {
  if (HasEngineThreads(process)) return {};
  const std::map<size_t, Trainer> trainers = TrainersOf(process, tokens);
  std::vector<uint64_t> at_once;
  for (const auto& [thread, trainer] : trainers) {
    const auto& own = trainer.updates;
    const bool meets =
        std::any_of(trainers.begin(), trainers.end(), [&](const auto& other) {
          const auto& others = other.second.updates;
          return other.first != thread && own.front() < others.back() &&
                 others.front() < own.back();
        });
    if (meets) at_once.push_back(own.size());
  }
  return at_once;
}

std::vector<CallToken> WithoutActors(const Process& process,
                                     std::vector<CallToken> tokens) {
  if (SpreadsOneLoop(process)) return tokens;
  const std::map<size_t, Trainer> trainers = TrainersOf(process, tokens);
  if (trainers.size() != 1) return tokens;
  const auto& [learner, trainer] = *trainers.begin();
  const std::vector<size_t>& updates = trainer.updates;
  std::map<size_t, Computing> threads;
  for (size_t i = 0, step = 0; i < tokens.size(); ++i) {
    while (step < updates.size() && updates[step] < i) ++step;
    const CallToken& token = tokens[i];
    if (!token.call.known()) continue;
    Computing& thread = threads[ThreadOf(process, token)];
    thread.forward_alone &= !token.backward && !token.update;
    if (token.product && step < updates.size()) ++thread.products[step];
  }
  std::erase_if(tokens, [&](const CallToken& token) {
    if (!token.call.known()) return false;
    const size_t thread = ThreadOf(process, token);
    const Computing& computing = threads.at(thread);
    return thread != learner && computing.forward_alone &&
           computing.products.size() >= kMinRepeats &&
           !IsPartOf(computing, updates.size());
  });
  return tokens;
}

}  // namespace dltap::analyzer
