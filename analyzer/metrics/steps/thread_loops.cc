// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/steps/thread_loops.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <map>
#include <set>

#include "analyzer/attribution/base/engine_threads.h"
#include "analyzer/metrics/base/median.h"
#include "analyzer/metrics/steps/loop_finder.h"

namespace dltap::analyzer {
namespace {

// Rows of one thread's work for each of its passes: one, where a loop is handed
// from thread to thread, wherever its passes are said to begin.
constexpr double kInOneRow = 1.1;
// Of the rows of a thread that takes turns with others are equally long.
constexpr double kInTurn = 0.8;

struct ThreadLoop {
  uint64_t passes = 0;        // that hold a product
  uint64_t fed = 0;           // of these, that copy to the device
  int64_t begin_ns = 0;       // of the first
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

using ThreadLoops = std::map<size_t, ThreadLoop>;

// Most passes bring their own batch to the device.
bool FeedsItself(const ThreadLoop& loop) { return 2 * loop.fed > loop.passes; }

ThreadLoop PassesOf(const std::vector<CallToken>& own) {
  ThreadLoop loop;
  for (const TokenSpan& span : LoopSteps(own).passes) {
    const auto first = own.begin() + static_cast<ptrdiff_t>(span.first);
    const auto end = own.begin() + static_cast<ptrdiff_t>(span.end);
    const auto any = [&](bool CallToken::*what) {
      return std::any_of(
          first, end, [what](const CallToken& token) { return token.*what; });
    };
    if (!any(&CallToken::product)) continue;
    if (loop.passes == 0) loop.begin_ns = first->begin_ns;
    ++loop.passes;
    loop.fed += any(&CallToken::h2d) ? 1 : 0;
  }
  return loop;
}

// Leaves the loops that do not wait for another thread's: who copies nothing to
// the device while others do has its batches from them, as the stages of a
// pipeline, replicas, or what follows an augmentation on the GPU.
void KeepThoseOfTheirOwn(
    const std::map<size_t, std::vector<CallToken>>& by_thread,
    ThreadLoops& loops) {
  const auto feeds_itself = [](const auto& loop) {
    return FeedsItself(loop.second);
  };
  if (std::ranges::any_of(loops, feeds_itself)) {
    std::erase_if(loops, std::not_fn(feeds_itself));
    return;
  }
  int64_t begin_ns = std::numeric_limits<int64_t>::max();
  for (const auto& [thread, loop] : loops) {
    begin_ns = std::min(begin_ns, loop.begin_ns);
  }
  const bool are_fed = std::ranges::any_of(by_thread, [&](const auto& thread) {
    const auto feeds = std::ranges::count_if(
        thread.second, [begin_ns](const CallToken& token) {
          return token.h2d && token.begin_ns >= begin_ns;
        });
    return !loops.contains(thread.first) &&
           static_cast<size_t>(feeds) >= kMinRepeats;
  });
  if (are_fed) loops.clear();
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
  ThreadLoops loops;
  for (const auto& [thread, own] : by_thread) {
    const ThreadLoop loop = PassesOf(own);
    if (loop.passes >= kMinRepeats) loops[thread] = loop;
  }
  KeepThoseOfTheirOwn(by_thread, loops);
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
