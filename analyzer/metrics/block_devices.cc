// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/block_devices.h"

#include <algorithm>
#include <map>

namespace dltap::analyzer {
namespace {

bool IsAddress(Meaning meaning) {
  return meaning >= Meaning::kPointerA && meaning <= Meaning::kPointerWorkspace;
}

// Counts, block by block, on which device calls used it.
class DeviceVotes {
 public:
  DeviceVotes(const TraceModel& model, const Process& process,
              std::vector<MemoryBlock>& blocks)
      : model_(model),
        process_(process),
        blocks_(blocks),
        votes_(blocks.size(), std::vector<uint64_t>(process.devices.size())) {
    for (size_t i = 0; i < blocks.size(); ++i) {
      if (blocks[i].address == 0) continue;
      by_address_.emplace(blocks[i].address, i);
      longest_ = std::max(longest_, blocks[i].bytes);
    }
  }

  void AddCall(const Call& call, DeviceId device) {
    const EntryPoint& entry = model_.entry_points[call.entry.value()];
    for (size_t i = 0; i < entry.args.size(); ++i) {
      if (!IsAddress(entry.args[i].meaning)) continue;
      const auto value = IntArg(entry, process_, call, i);
      if (value && *value != 0) AddAddress(*value, call.begin_ns, device);
    }
  }

  void Decide() const {
    for (size_t i = 0; i < blocks_.size(); ++i) {
      const auto most = std::max_element(votes_[i].begin(), votes_[i].end());
      if (blocks_[i].device.known() || *most == 0) continue;
      blocks_[i].device =
          DeviceId(static_cast<size_t>(most - votes_[i].begin()));
    }
  }

 private:
  // Blocks that hold the address at that time; one, but for lost records.
  void AddAddress(uint64_t address, int64_t at_ns, DeviceId device) {
    auto at = by_address_.upper_bound(address);
    while (at != by_address_.begin()) {
      --at;
      if (at->first + static_cast<uint64_t>(longest_) <= address) break;
      const MemoryBlock& block = blocks_[at->second];
      const bool holds =
          address < block.address + static_cast<uint64_t>(block.bytes) &&
          block.begin_ns <= at_ns && at_ns <= block.end_ns;
      if (!holds) continue;
      ++votes_[at->second][device.value()];
      break;
    }
  }

  const TraceModel& model_;
  const Process& process_;
  std::vector<MemoryBlock>& blocks_;
  std::multimap<uint64_t, size_t> by_address_;
  int64_t longest_ = 0;
  std::vector<std::vector<uint64_t>> votes_;  // by block, by device
};

}  // namespace

void FindDevices(const TraceModel& model, const Process& process,
                 const ProcessAttribution& attribution,
                 std::vector<MemoryBlock>& blocks) {
  if (process.devices.size() == 1) {
    for (MemoryBlock& block : blocks) block.device = DeviceId(0);
    return;
  }
  DeviceVotes votes(model, process, blocks);
  CallId last;  // the kernels of a call mostly stand side by side
  for (size_t i = 0; i < process.activities.size(); ++i) {
    const Attributed& attributed = attribution.activities[i];
    const Activity& activity = process.activities[i];
    if (!attributed.owner.known() || attributed.owner == last) continue;
    if (attributed.layer_class == LayerClass::kCopyP2p ||
        activity.copy == CopyKind::kPeer) {
      continue;
    }
    last = attributed.owner;
    votes.AddCall(process.calls[last.value()], activity.device);
  }
  votes.Decide();
}

}  // namespace dltap::analyzer
