// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/memory/memory_changes.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <tuple>

#include "analyzer/metrics/memory/block_devices.h"

namespace dltap::analyzer {
namespace {

constexpr size_t kNoDevice = std::numeric_limits<size_t>::max();

// Memory of another process: what is used and was never taken may be that.
bool OpensForeignMemory(const TraceModel& model, const Process& process) {
  return std::any_of(
      process.counted.begin(), process.counted.end(),
      [&](const CountedCall& counted) {
        const std::string& symbol =
            model.entry_points[counted.entry.value()].symbol;
        return counted.calls > 0 &&
               (symbol.find("IpcOpenMemHandle") != std::string::npos ||
                symbol.find("MemPoolImportPointer") != std::string::npos ||
                symbol.find("ImportFromShareableHandle") != std::string::npos);
      });
}

void AddBlock(const MemoryBlock& block, size_t member,
              std::vector<MemoryChange>& changes) {
  changes.push_back({block.begin_ns, block.bytes, member, block.thread});
  if (block.end_ns == kStillHeld) return;
  changes.push_back({block.end_ns, -block.bytes, member, block.thread});
}

class MemoryGatherer {
 public:
  MemoryGatherer(const TraceModel& model, const Attribution& attribution,
                 const Selection& selection, Interval span, MemorySummary& out)
      : model_(model),
        attribution_(attribution),
        selection_(selection),
        span_(span),
        physical_(PhysicalDevices(model)),
        out_(out) {}

  std::vector<DeviceChanges> Run() {
    for (size_t p = 0; p < model_.processes.size(); ++p) {
      if (Selects(selection_, model_.processes[p])) AddProcess(p);
    }
    std::vector<DeviceChanges> found;
    for (auto& [key, changes] : devices_) found.push_back(std::move(changes));
    return found;
  }

 private:
  // By physical device; a device that no activity names stands for itself.
  using DeviceKey = std::tuple<size_t, size_t, size_t>;

  DeviceKey KeyOf(size_t process, DeviceId device) const {
    if (!device.known()) return {kNoDevice, process, kNoDevice};
    for (size_t d = 0; d < physical_.size(); ++d) {
      for (const DeviceMember& member : physical_[d]) {
        if (member.process == process && member.device == device) {
          return {d, 0, 0};
        }
      }
    }
    return {kNoDevice, process, device.value()};
  }

  DeviceChanges& Of(size_t p, DeviceId device) {
    const auto [at, is_new] = devices_.try_emplace(KeyOf(p, device));
    DeviceChanges& changes = at->second;
    if (is_new && device.known()) {
      const Device& known = model_.processes[p].devices[device.value()];
      changes.out.ordinal = known.ordinal;
      changes.out.name = known.name;
      changes.out.uuid = known.uuid;
      changes.out.capacity_bytes = known.memory_bytes;
    }
    if (changes.members.empty() || changes.members.back().process != p) {
      changes.members.push_back({p, device});
    }
    return changes;
  }

  bool IsSelected(const Process& process, DeviceId device) const {
    if (!device.known()) return !selection_.device;
    return Selects(selection_, process.devices[device.value()]);
  }

  void AddProcess(size_t p) {
    const Process& process = model_.processes[p];
    const bool has_tensors = !process.memory_events.empty() &&
                             process.memory_events.front().reserved_bytes >= 0;
    if (has_tensors) return AddTensors(p);
    MemoryBlocks found = BlocksOf(model_, process);
    if (!found.has_addresses) {
      ++out_.without_addresses;
      return;
    }
    const bool uses_unseen =
        FindDevices(model_, process, attribution_.processes[p], found.blocks);
    const bool uses_others =
        uses_unseen && !OpensForeignMemory(model_, process);
    std::vector<MemoryChange> pinned;
    for (const MemoryBlock& block : found.blocks) {
      if (block.kind == MemoryKind::kPinned) {
        AddBlock(block, p, pinned);
      } else if (IsSelected(process, block.device)) {
        DeviceChanges& changes = Of(p, block.device);
        const bool managed = block.kind == MemoryKind::kManaged;
        AddBlock(block, p, managed ? changes.managed : changes.held);
        if (!managed) changes.blocks.emplace_back(p, block);
      }
    }
    // What is on a device that nobody knows may be on any.
    bool any_unknown = false;
    for (const MemoryBlock& block : found.blocks) {
      any_unknown |= !block.device.known() && block.kind != MemoryKind::kPinned;
    }
    for (size_t d = 0; any_unknown && d < process.devices.size(); ++d) {
      if (IsSelected(process, DeviceId(d)))
        Of(p, DeviceId(d)).out.is_least = true;
    }
    AddRest(p, found, uses_others);
    const bool lacks = found.unmatched_frees > 0 || found.from_pools;
    for (size_t d = 0; lacks && d < process.devices.size(); ++d) {
      const bool holds = devices_.contains(KeyOf(p, DeviceId(d)));
      if (holds) Of(p, DeviceId(d)).out.is_least = true;
    }
    if (pinned.empty()) return;
    SortInTime(pinned);
    out_.pinned.push_back(
        {analyzer::KeyOf(process), LevelOf(pinned, span_, nullptr)});
  }

  // What is told of the process's only device, or of none.
  void AddRest(size_t p, const MemoryBlocks& found, bool uses_others) {
    const Process& process = model_.processes[p];
    const DeviceId device =
        process.devices.size() == 1 ? DeviceId(0) : DeviceId();
    if (!IsSelected(process, device)) return;
    if (found.unmatched_frees > 0 || found.from_pools || uses_others)
      Of(p, device).out.is_least = true;
    if (found.captured > 0) Of(p, device).out.captured += found.captured;
    for (const FailedAllocation& failed : found.failed) {
      Of(p, device).failed.emplace_back(p, failed);
    }
  }

  // Levels as a framework's allocator counts them itself.
  void AddTensors(size_t p) {
    const Process& process = model_.processes[p];
    std::vector<std::pair<int64_t, int64_t>> before(process.devices.size(),
                                                    {-1, -1});
    const MemoryBlocks found = BlocksOf(model_, process);
    for (const MemoryBlock& block : found.blocks) {
      if (!block.device.known() || !IsSelected(process, block.device)) continue;
      Of(p, block.device).blocks.emplace_back(p, block);
    }
    for (const FailedAllocation& failed : found.failed) {
      if (!failed.device.known() || !IsSelected(process, failed.device)) {
        continue;
      }
      Of(p, failed.device).failed.emplace_back(p, failed);
    }
    for (const MemoryEvent& event : process.memory_events) {
      if (event.refused) continue;
      if (!event.device.known() || !IsSelected(process, event.device)) continue;
      DeviceChanges& changes = Of(p, event.device);
      auto& [allocated, reserved] = before[event.device.value()];
      if (allocated < 0) allocated = reserved = 0;
      const auto add = [&](int64_t now, int64_t& level, auto& list) {
        if (now != level) {
          list.push_back({event.at_ns, now - level, p, event.thread});
        }
        level = now;
      };
      add(event.allocated_bytes, allocated, changes.tensors);
      add(event.reserved_bytes, reserved, changes.held);
    }
  }

  const TraceModel& model_;
  const Attribution& attribution_;
  const Selection& selection_;
  const Interval span_;
  const std::vector<PhysicalDevice> physical_;
  std::map<DeviceKey, DeviceChanges> devices_;
  MemorySummary& out_;
};

}  // namespace

void SortInTime(std::vector<MemoryChange>& changes) {
  std::stable_sort(changes.begin(), changes.end(),
                   [](const MemoryChange& a, const MemoryChange& b) {
                     return a.at_ns < b.at_ns;
                   });
}

std::vector<DeviceChanges> GatherMemory(const TraceModel& model,
                                        const Attribution& attribution,
                                        const Selection& selection,
                                        Interval span, MemorySummary& out) {
  return MemoryGatherer(model, attribution, selection, span, out).Run();
}

}  // namespace dltap::analyzer
