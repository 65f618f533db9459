// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/memory.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "analyzer/metrics/block_devices.h"
#include "analyzer/metrics/memory_blocks.h"
#include "analyzer/metrics/physical_device.h"

namespace dltap::analyzer {
namespace {

constexpr size_t kNoDevice = std::numeric_limits<size_t>::max();

// All changes of one device, or of memory whose device is not known.
struct DeviceChanges {
  DeviceMemory out;
  std::vector<size_t> members;  // processes
  std::vector<MemoryChange> held;
  std::vector<MemoryChange> tensors;
  std::vector<MemoryChange> managed;
  std::vector<std::pair<size_t, MemoryBlock>> blocks;  // of members
  std::vector<std::pair<size_t, FailedAllocation>> failed;
};

void SortInTime(std::vector<MemoryChange>& changes) {
  std::stable_sort(changes.begin(), changes.end(),
                   [](const MemoryChange& a, const MemoryChange& b) {
                     return a.at_ns < b.at_ns;
                   });
}

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

class MemoryAccount {
 public:
  MemoryAccount(const TraceModel& model, const Attribution& attribution,
                const std::vector<Steps>& steps, const Selection& selection)
      : model_(model),
        attribution_(attribution),
        steps_(steps),
        selection_(selection),
        span_(selection.window.value_or(
            Interval{std::numeric_limits<int64_t>::min(),
                     std::numeric_limits<int64_t>::max()})),
        physical_(PhysicalDevices(model)) {}

  MemorySummary Run() {
    for (size_t p = 0; p < model_.processes.size(); ++p) {
      if (Selects(selection_, model_.processes[p])) AddProcess(p);
    }
    for (auto& [key, changes] : devices_) Finish(changes);
    std::sort(out_.devices.begin(), out_.devices.end());
    std::sort(out_.pinned.begin(), out_.pinned.end());
    return std::move(out_);
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
    if (changes.members.empty() || changes.members.back() != p) {
      changes.members.push_back(p);
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

  // The level of the changes with all that steps and processes tell of it.
  MemoryLevel Describe(const DeviceChanges& of,
                       std::vector<MemoryChange>& changes) const {
    SortInTime(changes);
    PeakMaker maker{of.members.front(), {}};
    MemoryLevel level = LevelOf(changes, span_, &maker);
    const Process& process = model_.processes[maker.member];
    if (level.peak_bytes > 0) {
      level.peak_step = StepAt(steps_[maker.member], level.peak_at_ns);
      level.peak_step_use = UseOf(maker.member, level.peak_step);
      level.peak_phase = PhaseAt(process, attribution_.processes[maker.member],
                                 maker.thread, level.peak_at_ns);
    }
    for (const size_t member : of.members) {
      if (steps_[member].steps.empty()) continue;
      level.step_ends_bytes.push_back(
          LevelAtStepEnds(changes, member, steps_[member]));
    }
    return level;
  }

  std::optional<StepUse> UseOf(size_t p, std::optional<size_t> step) const {
    if (!step) return std::nullopt;
    return steps_[p].steps[*step].use;
  }

  // The device of a process that is this physical one.
  DeviceId DeviceOf(size_t p, const DeviceChanges& changes) const {
    const Process& process = model_.processes[p];
    for (size_t d = 0; d < process.devices.size(); ++d) {
      const auto found = devices_.find(KeyOf(p, DeviceId(d)));
      if (found != devices_.end() && &found->second == &changes) {
        return DeviceId(d);
      }
    }
    return {};
  }

  static std::vector<MemoryBlock> BlocksOfMember(const DeviceChanges& changes,
                                                 size_t p) {
    std::vector<MemoryBlock> blocks;
    for (const auto& [member, block] : changes.blocks) {
      if (member == p) blocks.push_back(block);
    }
    return blocks;
  }

  // What one process owns, by instant.
  std::vector<OwnedBytes> OwnersIn(size_t p, const DeviceChanges& changes,
                                   const std::vector<int64_t>& instants) const {
    const Process& process = model_.processes[p];
    const DeviceId device = DeviceOf(p, changes);
    std::vector<OwnedBytes> out(instants.size());
    if (!device.known()) return out;
    const std::vector<MemoryBlock> blocks = BlocksOfMember(changes, p);
    if (changes.out.tensors) {
      const auto tensors = TensorOwners(model_, process, steps_[p], blocks);
      for (size_t i = 0; i < instants.size(); ++i) {
        out[i] = SharesOf(RangesAt(tensors, device, instants[i]), {});
      }
      return out;
    }
    const auto owned = OperandOwners(model_, process, attribution_.processes[p],
                                     steps_[p], device, blocks, instants);
    for (size_t i = 0; i < instants.size(); ++i) {
      std::vector<MemoryBlock> held;
      for (const MemoryBlock& block : blocks) {
        const bool counts = !changes.out.is_least &&
                            block.begin_ns <= instants[i] &&
                            instants[i] < block.end_ns;
        if (counts) held.push_back(block);
      }
      if (held.empty() && !changes.out.is_least) continue;
      out[i] = SharesOf(owned[i], held);
    }
    return out;
  }

  // Sorted: the peak, and the failures that are explained.
  static std::vector<int64_t> InstantsOf(const DeviceMemory& device) {
    const MemoryLevel& level = device.tensors.value_or(device.held);
    std::vector<int64_t> instants = {level.peak_at_ns};
    for (const MemoryFailure& failure : device.failures) {
      if (instants.size() > kMostExplained) break;
      if (!failure.granted_later) instants.push_back(failure.at_ns);
    }
    std::sort(instants.begin(), instants.end());
    instants.erase(std::unique(instants.begin(), instants.end()),
                   instants.end());
    return instants;
  }

  void AddOwners(DeviceChanges& changes) const {
    DeviceMemory& out = changes.out;
    const bool is_empty = out.held.peak_bytes == 0 && !out.tensors;
    if (!out.ordinal || (is_empty && out.failures.empty())) return;
    const std::vector<int64_t> instants = InstantsOf(out);
    std::vector<OwnedBytes> sums(instants.size());
    for (const size_t member : changes.members) {
      const auto owned = OwnersIn(member, changes, instants);
      for (size_t i = 0; i < instants.size(); ++i) {
        for (size_t o = 0; o < kMemoryOwners; ++o) sums[i][o] += owned[i][o];
      }
    }
    const auto at = [&](int64_t at_ns) -> const OwnedBytes* {
      const auto found =
          std::lower_bound(instants.begin(), instants.end(), at_ns);
      if (found == instants.end() || *found != at_ns) return nullptr;
      return &sums[static_cast<size_t>(found - instants.begin())];
    };
    const MemoryLevel& level = out.tensors.value_or(out.held);
    out.owners = SharesOfLevel(out, *at(level.peak_at_ns), level.peak_at_ns,
                               level.peak_bytes);
    out.blocks = GroupsAt(changes, level.peak_at_ns);
    for (MemoryFailure& failure : out.failures) {
      const OwnedBytes* owned = at(failure.at_ns);
      if (failure.granted_later || owned == nullptr) continue;
      const auto bytes =
          out.tensors ? failure.tensor_bytes : failure.held_bytes;
      failure.owners =
          SharesOfLevel(out, *owned, failure.at_ns, bytes.value_or(0));
      failure.blocks = GroupsAt(changes, failure.at_ns);
    }
  }

  // With what nobody owns; nullopt: nothing is there, or known.
  static std::optional<MemoryShares> SharesOfLevel(const DeviceMemory& device,
                                                   const OwnedBytes& owned,
                                                   int64_t at_ns,
                                                   int64_t level) {
    const int64_t known =
        std::accumulate(owned.begin(), owned.end(), int64_t{0});
    if (known == 0 && (level == 0 || device.is_least)) return std::nullopt;
    MemoryShares shares{at_ns, owned};
    if (!device.is_least) {
      shares.bytes[static_cast<size_t>(MemoryOwner::kUnknown)] =
          std::max<int64_t>(level - known, 0);
    }
    return shares;
  }

  // Of all processes; steps are told where there is one.
  std::vector<BlockGroup> GroupsAt(const DeviceChanges& changes,
                                   int64_t at_ns) const {
    std::vector<MemoryBlock> blocks;
    for (const auto& [member, block] : changes.blocks) {
      blocks.push_back(block);
    }
    const bool is_alone = changes.members.size() == 1;
    return LargestGroups(
        blocks, is_alone ? steps_[changes.members.front()] : Steps{}, at_ns);
  }

  void Finish(DeviceChanges& changes) {
    DeviceMemory& out = changes.out;
    for (const size_t member : changes.members) {
      out.processes.push_back(analyzer::KeyOf(model_.processes[member]));
    }
    std::sort(out.processes.begin(), out.processes.end());
    out.held = Describe(changes, changes.held);
    if (!changes.tensors.empty()) {
      out.tensors = Describe(changes, changes.tensors);
    }
    if (!changes.managed.empty()) {
      out.managed = Describe(changes, changes.managed);
    }
    AddFailures(changes);
    AddOwners(changes);
    out_.devices.push_back(std::move(out));
  }

  MemoryFailure FailureOf(size_t p, const FailedAllocation& failed) const {
    MemoryFailure out;
    out.at_ns = failed.at_ns;
    out.bytes = failed.bytes;
    out.held_bytes = failed.held_bytes;
    out.tensor_bytes = failed.tensor_bytes;
    if (failed.held_bytes && failed.tensor_bytes) {
      out.unused_bytes = *failed.held_bytes - *failed.tensor_bytes;
    }
    out.free_bytes = failed.free_bytes;
    out.granted_later = failed.granted_later;
    if (failed.entry.known()) {
      out.function = model_.entry_points[failed.entry.value()].symbol;
    }
    out.step = StepAt(steps_[p], failed.at_ns);
    out.step_use = UseOf(p, out.step);
    out.phase = PhaseAt(model_.processes[p], attribution_.processes[p],
                        failed.thread, failed.at_ns);
    return out;
  }

  // With what was held at those times.
  void AddFailures(DeviceChanges& changes) const {
    DeviceMemory& out = changes.out;
    for (const auto& [p, failed] : changes.failed) {
      if (CommonNs(span_, {failed.at_ns, failed.at_ns + 1}) == 0) continue;
      out.failures.push_back(FailureOf(p, failed));
    }
    std::sort(out.failures.begin(), out.failures.end());
    if (!out.ordinal) return;
    int64_t held = 0;
    auto change = changes.held.begin();
    for (MemoryFailure& failure : out.failures) {
      for (; change != changes.held.end() && change->at_ns <= failure.at_ns;
           ++change) {
        held += change->bytes;
      }
      if (!failure.held_bytes) failure.held_bytes = held;
      if (out.capacity_bytes > 0) {
        failure.free_most_bytes =
            std::max<int64_t>(out.capacity_bytes - *failure.held_bytes, 0);
      }
    }
  }

  const TraceModel& model_;
  const Attribution& attribution_;
  const std::vector<Steps>& steps_;
  const Selection& selection_;
  const Interval span_;
  const std::vector<PhysicalDevice> physical_;
  std::map<DeviceKey, DeviceChanges> devices_;
  MemorySummary out_;
};

}  // namespace

void MemorySummary::Add(const MemorySummary& other) {
  const auto join = [](auto& into, const auto& from) {
    const auto middle = static_cast<ptrdiff_t>(into.size());
    into.insert(into.end(), from.begin(), from.end());
    std::inplace_merge(into.begin(), into.begin() + middle, into.end());
  };
  join(devices, other.devices);
  join(pinned, other.pinned);
  without_addresses += other.without_addresses;
}

MemorySummary SummariseMemory(const TraceModel& model,
                              const Attribution& attribution,
                              const std::vector<Steps>& steps,
                              const Selection& selection) {
  return MemoryAccount(model, attribution, steps, selection).Run();
}

}  // namespace dltap::analyzer
