// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/memory/block_devices.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "shim/specs/entry_point.h"

namespace dltap::analyzer {
namespace {

bool IsAddress(Meaning meaning) {
  return (meaning >= Meaning::kPointerA &&
          meaning <= Meaning::kPointerWorkspace) ||
         (meaning >= Meaning::kPointerReserve &&
          meaning <= Meaning::kPointerNodeExtra);
}

// Counts, block by block, on which device calls used it.
class DeviceVotes {
 public:
  DeviceVotes(const TraceModel& model, const Process& process)
      : model_(model), process_(process) {}

  void AddCall(const Call& call, DeviceId device) {
    const EntryPoint& entry = model_.entry_points[call.entry.value()];
    // The addresses of copies may be the host's.
    const bool is_library = entry.info != nullptr && entry.info->layer_class &&
                            !IsCopyOrMemset(*entry.info->layer_class);
    for (size_t i = 0; i < entry.args.size(); ++i) {
      if (!IsAddress(entry.args[i].meaning)) continue;
      const auto value = IntArg(entry, process_, call, i);
      if (value.value_or(0) == 0) continue;
      uses_.push_back(
          {call.begin_ns, static_cast<uint64_t>(*value), device, is_library});
    }
  }

  // Sets the devices of blocks, which come in time. Whether a library call
  // uses what is in none.
  bool Decide(std::vector<MemoryBlock>& blocks) {
    std::sort(uses_.begin(), uses_.end(),
              [](const Use& a, const Use& b) { return a.at_ns < b.at_ns; });
    std::vector<std::map<DeviceId, uint64_t>> votes(blocks.size());
    bool uses_others = false;
    size_t next = 0;
    for (const Use& use : uses_) {
      for (; next < blocks.size() && blocks[next].begin_ns <= use.at_ns;
           ++next) {
        Place(blocks, next);
      }
      const auto block = BlockAt(blocks, use);
      if (block) ++votes[*block][use.device];
      uses_others |= !block && use.is_library;
    }
    for (size_t i = 0; i < blocks.size(); ++i) {
      if (blocks[i].device.known() || votes[i].empty()) continue;
      blocks[i].device = std::max_element(votes[i].begin(), votes[i].end(),
                                          [](const auto& a, const auto& b) {
                                            return a.second < b.second;
                                          })
                             ->first;
    }
    return uses_others;
  }

 private:
  struct Use {
    int64_t at_ns;
    uint64_t address;
    DeviceId device;
    bool is_library;
  };

  // What was at its addresses before is gone.
  void Place(const std::vector<MemoryBlock>& blocks, size_t i) {
    const uint64_t begin = blocks[i].address;
    if (begin == 0) return;
    const uint64_t end = begin + static_cast<uint64_t>(blocks[i].bytes);
    placed_.erase(placed_.lower_bound(begin), placed_.lower_bound(end));
    placed_[begin] = i;
  }

  std::optional<size_t> BlockAt(const std::vector<MemoryBlock>& blocks,
                                const Use& use) const {
    const auto after = placed_.upper_bound(use.address);
    if (after == placed_.begin()) return std::nullopt;
    const size_t i = std::prev(after)->second;
    const MemoryBlock& block = blocks[i];
    const uint64_t end = block.address + static_cast<uint64_t>(block.bytes);
    if (use.address >= end || use.at_ns > block.end_ns) return std::nullopt;
    return i;
  }

  const TraceModel& model_;
  const Process& process_;
  std::vector<Use> uses_;
  std::map<uint64_t, size_t> placed_;  // the newest blocks, by address
};

// The devices to which threads submitted, in time.
class ThreadDevices {
 public:
  ThreadDevices(const Process& process, const ProcessAttribution& attribution)
      : of_thread_(process.threads.size()) {
    for (size_t i = 0; i < process.activities.size(); ++i) {
      const CallId by = attribution.activities[i].submitted_by;
      if (!by.known()) continue;
      const Call& call = process.calls[by.value()];
      of_thread_[call.thread.value()].emplace_back(
          call.begin_ns, process.activities[i].device);
    }
    for (auto& submissions : of_thread_) {
      std::sort(submissions.begin(), submissions.end());
    }
  }

  // None where what comes before and after goes to two devices.
  DeviceId Around(ThreadId thread, int64_t at_ns) const {
    const auto& submissions = of_thread_[thread.value()];
    const auto after = std::lower_bound(submissions.begin(), submissions.end(),
                                        std::pair(at_ns, DeviceId(0)));
    if (after == submissions.begin() || after == submissions.end()) return {};
    const DeviceId device = (after - 1)->second;
    return device == after->second ? device : DeviceId();
  }

 private:
  std::vector<std::vector<std::pair<int64_t, DeviceId>>> of_thread_;
};

}  // namespace

bool FindDevices(const TraceModel& model, const Process& process,
                 const ProcessAttribution& attribution,
                 std::vector<MemoryBlock>& blocks) {
  DeviceVotes votes(model, process);
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
  if (process.devices.size() == 1) {
    for (MemoryBlock& block : blocks) block.device = DeviceId(0);
  }
  const bool uses_others = votes.Decide(blocks);
  if (process.devices.size() < 2) return uses_others;
  const ThreadDevices threads(process, attribution);
  for (MemoryBlock& block : blocks) {
    if (block.device.known() || !block.thread.known()) continue;
    block.device = threads.Around(block.thread, block.begin_ns);
  }
  return uses_others;
}

}  // namespace dltap::analyzer
