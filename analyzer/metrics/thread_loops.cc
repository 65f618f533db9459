// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/thread_loops.h"

#include <algorithm>
#include <cstddef>
#include <map>

#include "analyzer/attribution/engine_threads.h"
#include "analyzer/metrics/loop_finder.h"

namespace dltap::analyzer {
namespace {

// Rows of one thread's work for each of its passes: one, where a loop is handed
// from thread to thread, wherever its passes are said to begin.
constexpr double kInOneRow = 1.1;

struct ThreadLoop {
  uint64_t passes = 0;  // that hold a product
  uint64_t rows = 0;    // of its calls, between those of the others
};

uint64_t PassesOf(const std::vector<CallToken>& own) {
  const auto passes = LoopSteps(own).passes;
  return static_cast<uint64_t>(
      std::ranges::count_if(passes, [&own](const TokenSpan& span) {
        return std::any_of(own.begin() + static_cast<ptrdiff_t>(span.first),
                           own.begin() + static_cast<ptrdiff_t>(span.end),
                           [](const CallToken& token) { return token.product; });
      }));
}

}  // namespace

std::vector<uint64_t> LoopsOfThreads(const Process& process,
                                     const std::vector<CallToken>& tokens) {
  if (SpreadsOneLoop(process)) return {};
  const auto thread_of = [&process](const CallToken& token) {
    return process.calls[token.call.value()].thread.value();
  };
  std::map<size_t, std::vector<CallToken>> by_thread;
  for (const CallToken& token : tokens) {
    if (token.call.known()) by_thread[thread_of(token)].push_back(token);
  }
  if (by_thread.size() < 2) return {};
  std::map<size_t, ThreadLoop> loops;
  for (const auto& [thread, own] : by_thread) {
    const uint64_t passes = PassesOf(own);
    if (passes >= kMinRepeats) loops[thread].passes = passes;
  }
  if (loops.size() < 2) return {};
  ThreadLoop* last = nullptr;
  for (const CallToken& token : tokens) {
    if (!token.call.known()) continue;
    const auto loop = loops.find(thread_of(token));
    if (loop == loops.end() || &loop->second == last) continue;
    last = &loop->second;
    ++last->rows;
  }
  const bool at_once = std::ranges::any_of(loops, [](const auto& loop) {
    return static_cast<double>(loop.second.rows) >
           kInOneRow * static_cast<double>(loop.second.passes);
  });
  std::vector<uint64_t> passes;
  for (const auto& [thread, loop] : loops) {
    if (at_once) passes.push_back(loop.passes);
  }
  return passes;
}

}  // namespace dltap::analyzer
