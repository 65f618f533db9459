// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/collectives/local_communicators.h"

#include <algorithm>

#include "analyzer/metrics/base/call_arguments.h"

namespace dltap::analyzer {

void LocalCommunicators::Add(const TraceModel& model, const Process& process,
                             const TimePart& part) {
  std::vector<const Call*> makers;
  for (const Call& call : process.calls) {
    const EntryPoint& entry = model.entry_points[call.entry.value()];
    if (call.failed || entry.info == nullptr) continue;
    if (!part.Holds(call.begin_ns)) continue;
    if (entry.info->library != specs::Library::kNccl ||
        entry.info->kind != specs::Kind::kHandleCreate) {
      continue;
    }
    makers.push_back(&call);
  }
  std::stable_sort(
      makers.begin(), makers.end(),
      [](const Call* a, const Call* b) { return a->begin_ns < b->begin_ns; });
  for (const Call* call : makers) Add(model, process, *call);
}

// Of a split the n-th of its parent, and the color: all ranks split together.
void LocalCommunicators::Add(const TraceModel& model, const Process& process,
                             const Call& call) {
  const CallArguments of(model, process, call);
  MadeCommunicator made{call.begin_ns, "",
                        static_cast<int>(of.Get(Meaning::kDimRanks, 0)),
                        static_cast<int>(of.Get(Meaning::kDimRank, -1))};
  if (const auto clique = of.Get(Meaning::kClique)) {
    made.id = "id " + std::to_string(*clique);
  }
  const auto color = of.Get(Meaning::kDimColor);
  const auto parent_handle = of.Get(Meaning::kHandle);
  if (color && parent_handle) {
    const MadeCommunicator* parent =
        At(static_cast<uint64_t>(*parent_handle), call.begin_ns);
    if (parent != nullptr && !parent->id.empty()) {
      const int nth = splits_[parent->id]++;
      made.id = parent->id + " split " + std::to_string(nth) + " color " +
                std::to_string(*color);
    }
  }
  const auto handle = of.Get(Meaning::kCommunicator);
  if (!handle || *handle == 0) return;
  made_[static_cast<uint64_t>(*handle)].push_back(std::move(made));
}

const MadeCommunicator* LocalCommunicators::At(uint64_t handle,
                                               int64_t at_ns) const {
  const auto it = made_.find(handle);
  if (it == made_.end()) return nullptr;
  const MadeCommunicator* found = nullptr;
  for (const MadeCommunicator& made : it->second) {
    if (made.begin_ns <= at_ns) found = &made;
  }
  return found;
}

std::vector<const MadeCommunicator*> LocalCommunicators::All() const {
  std::vector<const MadeCommunicator*> out;
  for (const auto& [handle, of_handle] : made_) {
    for (const MadeCommunicator& made : of_handle) out.push_back(&made);
  }
  return out;
}

}  // namespace dltap::analyzer
