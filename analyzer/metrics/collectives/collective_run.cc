// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/collectives/collective_run.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "analyzer/metrics/collectives/collective_records.h"

namespace dltap::analyzer {
namespace {

// All ranks run what a communicator does in one order: that of the calls where
// some have no kernel. Each of those that share a kernel counts: its peer may
// have a kernel for each.
void Number(const std::vector<CollectiveRun*>& runs, int64_t known_until_ns) {
  int64_t collectives = 0;
  std::map<Message, int64_t> messages;
  for (CollectiveRun* run : runs) {
    if (run->called_ns >= known_until_ns) continue;
    if (run->messages.empty()) {
      run->nth = collectives++;
      continue;
    }
    if (run->peers.size() == 1 && (run->only_sends() || run->only_receives())) {
      run->nth = messages[run->messages.front()];
    }
    for (const Message& message : run->messages) ++messages[message];
  }
}

void NumberAll(const TraceModel& model, CollectiveRuns& out) {
  std::vector<std::vector<CollectiveRun*>> of_local(out.locals.size());
  for (CollectiveRun& run : out.runs) of_local[run.local].push_back(&run);
  std::set<size_t> by_call;
  for (CollectiveRun& run : out.unended) {
    of_local[run.local].push_back(&run);
    by_call.insert(run.local);
  }
  for (const size_t local : by_call) {
    std::stable_sort(of_local[local].begin(), of_local[local].end(),
                     [](const CollectiveRun* a, const CollectiveRun* b) {
                       return a->called_ns < b->called_ns;
                     });
  }
  for (size_t local = 0; local < out.locals.size(); ++local) {
    const LocalCommunicator& of = out.locals[local];
    if (!of.made_ns) continue;
    Number(of_local[local],
           CallsKnownUntil(model.processes[of.process], *of.made_ns));
  }
}

// NCCL starts nothing for no elements, and copies where a rank is alone.
bool HasKernel(const CollectiveRun& run, const LocalCommunicator& local) {
  const bool is_empty = run.elements_in.value_or(0) == 0 &&
                        run.elements_out.value_or(0) == 0 &&
                        (run.elements_in || run.elements_out);
  return local.ranks != 1 && !is_empty;
}

// Takes out of `unended` those of which a missing kernel says nothing: that end
// where kernels were not recorded, or have none at all. One that is followed by
// one with an end stays: its place among them is known.
void KeepUnended(const TraceModel& model, CollectiveRuns& runs) {
  std::vector<int64_t> last_ended_ns(runs.locals.size(),
                                     std::numeric_limits<int64_t>::min());
  for (const CollectiveRun& run : runs.runs) {
    int64_t& last_ns = last_ended_ns[run.local];
    last_ns = std::max(last_ns, run.called_ns);
  }
  std::erase_if(runs.unended, [&](const CollectiveRun& run) {
    const LocalCommunicator& local = runs.locals[run.local];
    if (!HasKernel(run, local)) return true;
    return run.called_ns > last_ended_ns[run.local] &&
           !EndsAreRecordedSince(model.processes[local.process], local.device,
                                 run.called_ns);
  });
}

}  // namespace

CollectiveRuns JoinRuns(const TraceModel& model,
                        std::vector<CollectiveRuns> of_processes) {
  CollectiveRuns out;
  const auto join = [](size_t before, std::vector<CollectiveRun>& from,
                       std::vector<CollectiveRun>& into) {
    for (CollectiveRun& run : from) {
      run.local += before;
      into.push_back(std::move(run));
    }
  };
  for (CollectiveRuns& of_process : of_processes) {
    const size_t before = out.locals.size();
    std::ranges::move(of_process.locals, std::back_inserter(out.locals));
    join(before, of_process.runs, out.runs);
    join(before, of_process.unended, out.unended);
    of_process = {};
  }
  std::stable_sort(out.runs.begin(), out.runs.end(),
                   [](const CollectiveRun& a, const CollectiveRun& b) {
                     return std::tie(a.local, a.span) <
                            std::tie(b.local, b.span);
                   });
  for (size_t i = 0; i < out.runs.size(); ++i) {
    out.locals[out.runs[i].local].runs.push_back(i);
  }
  NumberAll(model, out);
  KeepUnended(model, out);
  return out;
}

}  // namespace dltap::analyzer
