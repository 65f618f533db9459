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

// The phase of what the thread submits next, or else of what it did last.
std::optional<Phase> PhaseAt(const Process& process,
                             const ProcessAttribution& attribution,
                             ThreadId thread, int64_t at_ns) {
  std::optional<size_t> next;
  std::optional<size_t> last;
  int64_t next_ns = std::numeric_limits<int64_t>::max();
  int64_t last_ns = std::numeric_limits<int64_t>::min();
  for (size_t i = 0; i < attribution.activities.size(); ++i) {
    const CallId by = attribution.activities[i].submitted_by;
    if (!by.known() || process.calls[by.value()].thread != thread) continue;
    const Call& call = process.calls[by.value()];
    if (call.end_ns >= at_ns && call.begin_ns < next_ns) {
      next_ns = call.begin_ns;
      next = i;
    } else if (call.end_ns < at_ns && call.begin_ns > last_ns) {
      last_ns = call.begin_ns;
      last = i;
    }
  }
  if (!next) next = last;
  if (!next) return std::nullopt;
  return PhaseOf(attribution.activities[*next]);
}

std::optional<size_t> StepAt(const Steps& steps, int64_t at_ns) {
  const auto after = std::upper_bound(
      steps.steps.begin(), steps.steps.end(), at_ns,
      [](int64_t ns, const Step& step) { return ns < step.begin_ns; });
  if (after == steps.steps.begin()) return std::nullopt;
  if (at_ns >= (after - 1)->end_ns) return std::nullopt;
  return static_cast<size_t>(after - 1 - steps.steps.begin());
}

// All changes of one device, or of memory whose device is not known.
struct DeviceChanges {
  DeviceMemory out;
  std::vector<size_t> members;  // processes
  std::vector<MemoryChange> held;
  std::vector<MemoryChange> tensors;
  std::vector<MemoryChange> managed;
  std::vector<std::pair<FailedAllocation, std::string>> failed;
};

void SortInTime(std::vector<MemoryChange>& changes) {
  std::stable_sort(changes.begin(), changes.end(),
                   [](const MemoryChange& a, const MemoryChange& b) {
                     return a.at_ns < b.at_ns;
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
    const bool uses_others =
        FindDevices(model_, process, attribution_.processes[p], found.blocks);
    std::vector<MemoryChange> pinned;
    for (const MemoryBlock& block : found.blocks) {
      if (block.kind == MemoryKind::kPinned) {
        AddBlock(block, p, pinned);
      } else if (IsSelected(process, block.device)) {
        DeviceChanges& changes = Of(p, block.device);
        const bool managed = block.kind == MemoryKind::kManaged;
        AddBlock(block, p, managed ? changes.managed : changes.held);
      }
    }
    if (!model_.processes[p].memory_events.empty()) return;
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
    if (found.unmatched_frees > 0 || uses_others)
      Of(p, device).out.is_least = true;
    if (found.captured > 0) Of(p, device).out.captured += found.captured;
    for (const FailedAllocation& failed : found.failed) {
      Of(p, device).failed.emplace_back(
          failed, model_.entry_points[failed.entry.value()].symbol);
    }
  }

  // Levels as a framework's allocator counts them itself.
  void AddTensors(size_t p) {
    const Process& process = model_.processes[p];
    std::vector<std::pair<int64_t, int64_t>> before(process.devices.size(),
                                                    {-1, -1});
    for (const MemoryEvent& event : process.memory_events) {
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

  // Of a device that one process uses: the ranges of one address space.
  void AddOwners(DeviceChanges& changes) {
    if (changes.members.size() != 1 || !changes.out.ordinal) return;
    const size_t p = changes.members.front();
    const Process& process = model_.processes[p];
    DeviceId device;
    for (size_t d = 0; d < process.devices.size(); ++d) {
      if (process.devices[d].ordinal == *changes.out.ordinal) {
        device = DeviceId(d);
      }
    }
    MemoryShares& shares = changes.out.owners.emplace();
    int64_t level = 0;
    if (changes.out.tensors) {
      level = changes.out.tensors->peak_bytes;
      shares = SharesAt(TensorOwners(model_, process, steps_[p],
                                     BlocksOf(model_, process).blocks),
                        device, changes.out.tensors->peak_at_ns);
    } else {
      shares = SharesAtPeak(
          OperandOwners(model_, process, attribution_.processes[p], steps_[p]),
          device);
      level = LevelOf(changes.held,
                      {std::numeric_limits<int64_t>::min(), shares.at_ns + 1},
                      nullptr)
                  .end_bytes;
    }
    const int64_t known =
        std::accumulate(shares.bytes.begin(), shares.bytes.end(), int64_t{0});
    const auto unknown = static_cast<size_t>(MemoryOwner::kUnknown);
    if (known == 0) {
      changes.out.owners.reset();
    } else if (!changes.out.is_least) {
      shares.bytes[unknown] = std::max<int64_t>(level - known, 0);
    }
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

  // With what was held at those times.
  void AddFailures(DeviceChanges& changes) const {
    DeviceMemory& out = changes.out;
    for (const auto& [failed, function] : changes.failed) {
      if (CommonNs(span_, {failed.at_ns, failed.at_ns + 1}) == 0) continue;
      out.failures.push_back(
          {failed.at_ns, failed.bytes, std::nullopt, function});
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
      failure.held_bytes = held;
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
