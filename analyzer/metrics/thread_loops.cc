// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/thread_loops.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>

#include "analyzer/attribution/engine_threads.h"
#include "analyzer/metrics/loop_finder.h"
#include "analyzer/metrics/median.h"

namespace dltap::analyzer {
namespace {

// Rows of one thread's work for each of its passes: one, where a loop is handed
// from thread to thread, wherever its passes are said to begin.
constexpr double kInOneRow = 1.1;
// Of the rows of a thread that takes turns with others are equally long.
constexpr double kInTurn = 0.8;

struct ThreadLoop {
  uint64_t passes = 0;        // that hold a product
  std::vector<int64_t> rows;  // lengths, of its calls between the others' ones
  std::set<uint32_t> products;
};

bool RunsInRows(const ThreadLoop& loop) {
  return static_cast<double>(loop.rows.size()) <=
         kInOneRow * static_cast<double>(loop.passes);
}

bool TakesTurns(const ThreadLoop& loop) {
  const auto usual = std::ranges::count(loop.rows, Median(loop.rows));
  return static_cast<double>(usual) >=
         kInTurn * static_cast<double>(loop.rows.size());
}

uint64_t PassesOf(const std::vector<CallToken>& own) {
  const auto passes = LoopSteps(own).passes;
  const auto is_product = [](const CallToken& token) { return token.product; };
  return static_cast<uint64_t>(
      std::ranges::count_if(passes, [&](const TokenSpan& span) {
        return std::any_of(own.begin() + static_cast<ptrdiff_t>(span.first),
                           own.begin() + static_cast<ptrdiff_t>(span.end),
                           is_product);
      }));
}

}  // namespace

std::vector<uint64_t> LoopsOfThreads(const TraceModel& model,
                                     const Process& process,
                                     std::vector<CallToken> tokens) {
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
  TellWeightsApart(model, process, tokens);
  ThreadLoop* last = nullptr;
  for (const CallToken& token : tokens) {
    if (!token.call.known()) continue;
    const auto loop = loops.find(thread_of(token));
    if (loop == loops.end()) continue;
    if (token.product) loop->second.products.insert(token.signature);
    if (&loop->second != last) loop->second.rows.push_back(0);
    last = &loop->second;
    ++last->rows.back();
  }
  // Several threads of one model may take what a loop hands out as they like.
  const bool differ = std::ranges::any_of(loops, [&loops](const auto& loop) {
    return loop.second.products != loops.begin()->second.products;
  });
  const bool at_once = std::ranges::any_of(loops, [differ](const auto& loop) {
    return !RunsInRows(loop.second) || (differ && !TakesTurns(loop.second));
  });
  std::vector<uint64_t> passes;
  for (const auto& [thread, loop] : loops) {
    if (at_once) passes.push_back(loop.passes);
  }
  return passes;
}

}  // namespace dltap::analyzer
