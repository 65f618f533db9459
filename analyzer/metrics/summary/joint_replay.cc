// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/summary/joint_replay.h"

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "analyzer/metrics/path/replay.h"
#include "analyzer/metrics/path/what_if.h"
#include "analyzer/metrics/windows/window.h"

namespace dltap::analyzer {
namespace {

// Activities of all ranks; their graphs are held at once.
constexpr size_t kMostWork = 4'000'000;

class JointReplay {
 public:
  // Graphs, windows and processes have to outlive it.
  void Add(Replay replay, const std::vector<CollectivePart>& parts) {
    Rank& rank = ranks_.emplace_back(Rank{std::move(replay), {}});
    for (const CollectivePart& part : parts) {
      if (rank.replay.Has(part.work)) rank.parts.push_back(part);
    }
  }

  // After the last rank: finds who meets whom. False: nobody.
  bool Join() {
    std::map<size_t, size_t> here;  // ranks by collective
    for (const Rank& rank : ranks_) {
      for (const CollectivePart& part : rank.parts) ++here[part.collective];
    }
    std::map<size_t, size_t> meeting_of;
    for (Rank& rank : ranks_) {
      for (const CollectivePart& part : rank.parts) {
        if (here[part.collective] != part.ranks) continue;
        const auto [it, is_new] =
            meeting_of.try_emplace(part.collective, meetings_.size());
        if (is_new) meetings_.emplace_back();
        rank.replay.Join(meetings_[it->second], part.work, part.waited_ns);
      }
    }
    return !meetings_.empty();
  }

  // What each rank's windows take; nullopt: they wait for each other in a
  // circle, so what was matched cannot be true.
  std::optional<std::vector<int64_t>> Run(const TimeFactors& factors) {
    for (Meeting& meeting : meetings_) meeting.Reset();
    for (Rank& rank : ranks_) rank.replay.Begin();
    for (bool all_done = false; !all_done;) {
      bool any_went_on = false;
      all_done = true;
      for (Rank& rank : ranks_) {
        const size_t before = rank.replay.done();
        all_done &= rank.replay.Advance(factors);
        any_went_on |= rank.replay.done() > before;
      }
      if (!all_done && !any_went_on) return std::nullopt;
    }
    std::vector<int64_t> ns;
    for (const Rank& rank : ranks_) ns.push_back(rank.replay.WindowsNs());
    return ns;
  }

  const Replay& of(size_t rank) const { return ranks_[rank].replay; }

 private:
  struct Rank {
    Replay replay;
    std::vector<CollectivePart> parts;
  };
  std::deque<Rank> ranks_;
  std::deque<Meeting> meetings_;
};

// One of each process: two devices of a process share its host.
bool IsOnePerProcess(const std::vector<RankDevice>& devices) {
  std::set<size_t> processes;
  return std::all_of(devices.begin(), devices.end(),
                     [&processes](const RankDevice& device) {
                       return processes.insert(device.member.process).second;
                     });
}

size_t WorkOf(const TraceModel& model, const std::vector<RankDevice>& devices) {
  size_t work = 0;
  for (const RankDevice& device : devices) {
    work += model.processes[device.member.process].activities.size();
  }
  return work;
}

std::vector<Scenario> ScenariosFor(const Selection& selection,
                                   const std::vector<RankDevice>& devices) {
  if (!selection.scenarios.empty()) return selection.scenarios;
  PathSums path;
  for (const RankDevice& device : devices) path.Add(device.summary->path);
  return SuggestedScenarios(path);
}

// False: nothing has changed.
bool ReplayAll(JointReplay& replay, const std::vector<Scenario>& scenarios,
               const std::vector<RankDevice>& devices) {
  const auto usual = replay.Run({});
  if (!usual) return false;
  std::vector<WhatIfSums> sums(devices.size());
  for (size_t i = 0; i < devices.size(); ++i) {
    sums[i].windows = replay.of(i).windows();
    sums[i].measured_ns = replay.of(i).measured_ns();
    sums[i].replayed_ns = (*usual)[i];
    sums[i].unsigned_error_ns =
        std::abs(sums[i].replayed_ns - sums[i].measured_ns);
  }
  for (const Scenario& scenario : scenarios) {
    const auto changed = replay.Run(FactorsOf(scenario));
    if (!changed) return false;
    for (size_t i = 0; i < devices.size(); ++i) {
      sums[i].saved_ns[scenario] = (*usual)[i] - (*changed)[i];
    }
  }
  for (size_t i = 0; i < devices.size(); ++i) {
    devices[i].summary->what_if = std::move(sums[i]);
  }
  return true;
}

// How much of a kernel is waiting for ranks that are not replayed is not
// known, so neither is what faster communication saves.
void LeaveOutComm(const std::vector<RankDevice>& devices) {
  for (const RankDevice& device : devices) {
    std::erase_if(device.summary->what_if.saved_ns, [](const auto& saved) {
      return std::any_of(saved.first.begin(), saved.first.end(),
                         [](const Speedup& speedup) {
                           return speedup.what == Name(LayerClass::kComm);
                         });
    });
  }
}

bool TryTogether(const TraceModel& model, const Attribution& attribution,
                 const std::vector<Steps>& steps, const Selection& selection,
                 const std::vector<std::vector<CollectivePart>>& parts,
                 const std::vector<RankDevice>& devices) {
  if (devices.size() < 2 || !IsOnePerProcess(devices)) return false;
  if (WorkOf(model, devices) > kMostWork) return false;
  std::deque<HostView> hosts;
  std::deque<StepGraph> graphs;
  JointReplay replay;
  for (const RankDevice& of : devices) {
    const size_t p = of.member.process;
    const Process& process = model.processes[p];
    const ProcessAttribution& attributed = attribution.processes[p];
    const HostView& host = hosts.emplace_back(model, process, attributed,
                                              steps[p], of.member.device);
    graphs.push_back(
        GraphOf(model, process, attributed, host, GraphUse::kReplay));
    replay.Add(Replay(graphs.back(), process, attributed, of.member.device,
                      of.windows, MostReplayed(!selection.scenarios.empty())),
               parts[p]);
  }
  return replay.Join() &&
         ReplayAll(replay, ScenariosFor(selection, devices), devices);
}

}  // namespace

void ReplayTogether(const TraceModel& model, const Attribution& attribution,
                    const std::vector<Steps>& steps, const Selection& selection,
                    const std::vector<std::vector<CollectivePart>>& parts,
                    const std::vector<RankDevice>& devices) {
  std::vector<RankDevice> meeting;
  std::vector<RankDevice> alone;
  for (const RankDevice& of : devices) {
    (parts[of.member.process].empty() ? alone : meeting).push_back(of);
  }
  LeaveOutComm(alone);
  if (!TryTogether(model, attribution, steps, selection, parts, meeting)) {
    LeaveOutComm(meeting);
  }
}

}  // namespace dltap::analyzer
