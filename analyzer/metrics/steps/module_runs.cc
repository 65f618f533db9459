// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/steps/module_runs.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "absl/container/flat_hash_map.h"

namespace dltap::analyzer {
namespace {

struct Run {
  int64_t begin_ns;
  int64_t end_ns;
  uint32_t number;
};

// The runs of each thread, in the order of time; they don't overlap.
std::vector<std::vector<Run>> RunsByThread(const TraceModel& model,
                                           const Process& process) {
  std::vector<std::vector<Run>> runs(process.threads.size());
  absl::flat_hash_map<TextId, bool> is_run;
  uint32_t number = 0;
  for (const Range& range : process.ranges) {
    const auto [it, is_new] = is_run.try_emplace(range.name);
    if (is_new) {
      it->second = model.texts[range.name].starts_with("XlaModule:");
    }
    if (!it->second || !range.thread.known()) continue;
    runs[range.thread.value()].push_back(
        {range.begin_ns, range.end_ns, ++number});
  }
  for (std::vector<Run>& of_thread : runs) {
    std::ranges::sort(of_thread, {}, &Run::begin_ns);
  }
  return runs;
}

uint32_t RunAt(const std::vector<Run>& runs, int64_t at_ns) {
  const auto next = std::ranges::upper_bound(runs, at_ns, {}, &Run::begin_ns);
  if (next == runs.begin() || at_ns >= std::prev(next)->end_ns) return 0;
  return std::prev(next)->number;
}

// Where the forward pass of a run begins that goes backward behind it.
absl::flat_hash_map<uint32_t, size_t> BeginsOfPasses(
    const std::vector<CallToken>& tokens) {
  absl::flat_hash_map<uint32_t, size_t> begins;
  absl::flat_hash_map<uint32_t, size_t> first_forward;
  for (size_t i = 0; i < tokens.size(); ++i) {
    const CallToken& token = tokens[i];
    if (token.run == 0) continue;
    if (token.forward) first_forward.try_emplace(token.run, i);
    const auto forward = first_forward.find(token.run);
    if (token.backward && forward != first_forward.end()) {
      begins.insert(*forward);
    }
  }
  return begins;
}

// What goes backward and into an update is an iteration, also where no product
// tells its pass forward: XLA makes sums of small ones. The first of its work
// stands for them.
void TellPassesWithoutProducts(std::vector<CallToken>& tokens) {
  struct Signs {
    size_t first;  // that computes
    bool forward = false;
    bool backward = false;
    bool update = false;
  };
  absl::flat_hash_map<uint32_t, Signs> runs;
  for (size_t i = 0; i < tokens.size(); ++i) {
    const CallToken& token = tokens[i];
    if (token.run == 0 || !token.computes) continue;
    Signs& signs = runs.try_emplace(token.run, Signs{i}).first->second;
    signs.forward |= token.forward;
    signs.backward |= token.backward;
    signs.update |= token.update;
  }
  for (const auto& [run, signs] : runs) {
    if (signs.backward && signs.update && !signs.forward) {
      tokens[signs.first].forward = tokens[signs.first].product = true;
    }
  }
}

}  // namespace

void TellModuleRuns(const TraceModel& model, const Process& process,
                    std::vector<CallToken>& tokens) {
  const std::vector<std::vector<Run>> runs = RunsByThread(model, process);
  for (CallToken& token : tokens) {
    if (!token.call.known()) continue;
    const Call& call = process.calls[token.call.value()];
    if (call.thread.known()) {
      token.run = RunAt(runs[call.thread.value()], call.begin_ns);
    }
  }
  const auto begins = BeginsOfPasses(tokens);
  for (size_t i = 0; i < tokens.size(); ++i) {
    CallToken& token = tokens[i];
    const auto begin = begins.find(token.run);
    if (begin == begins.end() || i >= begin->second || token.product) continue;
    token.update = token.optimizer = token.backward = false;
  }
  TellPassesWithoutProducts(tokens);
}

}  // namespace dltap::analyzer
