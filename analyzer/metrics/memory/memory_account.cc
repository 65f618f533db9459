// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/memory/memory_account.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "analyzer/metrics/memory/memory_changes.h"
#include "analyzer/metrics/steps/step_at.h"

namespace dltap::analyzer {
namespace {

// Works out what the changes of one device amount to.
class DeviceDescriber {
 public:
  DeviceDescriber(const TraceModel& model, const Attribution& attribution,
                  const std::vector<Steps>& steps, Interval span,
                  DeviceChanges& of)
      : model_(model),
        attribution_(attribution),
        steps_(steps),
        span_(span),
        of_(of) {}

  DeviceMemory Run() {
    DeviceMemory& out = of_.out;
    for (const DeviceMember& member : of_.members) {
      out.processes.push_back(KeyOf(model_.processes[member.process]));
    }
    std::sort(out.processes.begin(), out.processes.end());
    out.held = Describe(of_.held);
    if (!of_.tensors.empty()) out.tensors = Describe(of_.tensors);
    if (!of_.managed.empty()) out.managed = Describe(of_.managed);
    AddFailures();
    AddOwners();
    return std::move(out);
  }

 private:
  // The level of the changes with all that steps and processes tell of it.
  MemoryLevel Describe(std::vector<MemoryChange>& changes) const {
    SortInTime(changes);
    PeakMaker maker{of_.members.front().process, {}};
    MemoryLevel level = LevelOf(changes, span_, &maker);
    const Process& process = model_.processes[maker.member];
    if (level.peak_bytes > 0) {
      level.peak_step = StepAt(steps_[maker.member], level.peak_at_ns);
      level.peak_step_use = UseOf(maker.member, level.peak_step);
      level.peak_phase = PhaseAt(process, attribution_.processes[maker.member],
                                 maker.thread, level.peak_at_ns);
    }
    for (const DeviceMember& member : of_.members) {
      const Steps& steps = steps_[member.process];
      if (steps.steps.empty()) continue;
      level.step_ends_bytes.push_back(
          LevelAtStepEnds(changes, member.process, steps));
    }
    return level;
  }

  std::optional<StepUse> UseOf(size_t p, std::optional<size_t> step) const {
    if (!step) return std::nullopt;
    return steps_[p].steps[*step].use;
  }

  std::vector<MemoryBlock> BlocksOf(const DeviceMember& of) const {
    std::vector<MemoryBlock> blocks;
    for (const auto& [process, block] : of_.blocks) {
      if (process == of.process) blocks.push_back(block);
    }
    return blocks;
  }

  // What one process owns, by instant.
  std::vector<OwnedBytes> OwnersIn(const DeviceMember& member,
                                   const std::vector<int64_t>& instants) const {
    const size_t p = member.process;
    const Process& process = model_.processes[p];
    std::vector<OwnedBytes> out(instants.size());
    if (!member.device.known()) return out;
    const std::vector<MemoryBlock> blocks = BlocksOf(member);
    if (of_.out.tensors) {
      const auto tensors = TensorOwners(model_, process, steps_[p], blocks);
      for (size_t i = 0; i < instants.size(); ++i) {
        out[i] = SharesOf(RangesAt(tensors, member.device, instants[i]), {});
      }
      return out;
    }
    const auto owned =
        OperandOwners(model_, process, attribution_.processes[p], steps_[p],
                      member.device, blocks, instants);
    for (size_t i = 0; i < instants.size(); ++i) {
      std::vector<MemoryBlock> held;
      for (const MemoryBlock& block : blocks) {
        const bool counts = !of_.out.is_least &&
                            block.begin_ns <= instants[i] &&
                            instants[i] < block.end_ns;
        if (counts) held.push_back(block);
      }
      if (held.empty() && !of_.out.is_least) continue;
      out[i] = SharesOf(owned[i], held);
    }
    return out;
  }

  // Of the last used step; a device of several processes has none.
  std::vector<int64_t> StepInstants() const {
    if (of_.out.tensors || of_.members.size() != 1) return {};
    const std::vector<Step>& steps = steps_[of_.members[0].process].steps;
    const auto last = std::find_if(
        steps.rbegin(), steps.rend(),
        [](const Step& step) { return step.use == StepUse::kUsed; });
    if (last == steps.rend()) return {};
    // Evenly over its calls: a host that runs ahead has made them all long
    // before the step ends.
    std::vector<int64_t> begins;
    for (const Call& call : model_.processes[of_.members[0].process].calls) {
      const bool is_inside =
          last->begin_ns <= call.begin_ns && call.begin_ns < last->end_ns;
      if (is_inside) begins.push_back(call.begin_ns);
    }
    std::sort(begins.begin(), begins.end());
    std::vector<int64_t> instants;
    const size_t count = std::min(kStepInstants, begins.size());
    for (size_t i = 0; i < count; ++i) {
      instants.push_back(begins[i * begins.size() / count]);
    }
    return instants;
  }

  // Sorted: the peak, the failures that are explained, and `others`.
  static std::vector<int64_t> InstantsOf(const DeviceMemory& device,
                                         const std::vector<int64_t>& others) {
    const MemoryLevel& level = device.tensors.value_or(device.held);
    std::vector<int64_t> instants = {level.peak_at_ns};
    for (const MemoryFailure& failure : device.failures) {
      if (instants.size() > kMostExplained) break;
      if (!failure.granted_later) instants.push_back(failure.at_ns);
    }
    instants.insert(instants.end(), others.begin(), others.end());
    std::sort(instants.begin(), instants.end());
    instants.erase(std::unique(instants.begin(), instants.end()),
                   instants.end());
    return instants;
  }

  void AddOwners() {
    DeviceMemory& out = of_.out;
    const bool is_empty = out.held.peak_bytes == 0 && !out.tensors;
    if (!out.ordinal || (is_empty && out.failures.empty())) return;
    const std::vector<int64_t> of_step = StepInstants();
    const std::vector<int64_t> instants = InstantsOf(out, of_step);
    std::vector<OwnedBytes> sums(instants.size());
    for (const DeviceMember& member : of_.members) {
      const auto owned = OwnersIn(member, instants);
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
    out.blocks = GroupsAt(level.peak_at_ns);
    for (const int64_t at_ns : of_step) {
      KeepFuller({at_ns, *at(at_ns)}, out.step_owners);
    }
    for (MemoryFailure& failure : out.failures) {
      const OwnedBytes* owned = at(failure.at_ns);
      if (failure.granted_later || owned == nullptr) continue;
      const auto bytes =
          out.tensors ? failure.tensor_bytes : failure.held_bytes;
      failure.owners =
          SharesOfLevel(out, *owned, failure.at_ns, bytes.value_or(0));
      failure.blocks = GroupsAt(failure.at_ns);
    }
  }

  static int64_t Sum(const OwnedBytes& bytes) {
    return std::accumulate(bytes.begin(), bytes.end(), int64_t{0});
  }

  static void KeepFuller(const MemoryShares& shares,
                         std::optional<MemoryShares>& fullest) {
    const int64_t least = fullest ? Sum(fullest->bytes) : 0;
    if (Sum(shares.bytes) > least) fullest = shares;
  }

  // With what nobody owns; nullopt: nothing is there, or known.
  static std::optional<MemoryShares> SharesOfLevel(const DeviceMemory& device,
                                                   const OwnedBytes& owned,
                                                   int64_t at_ns,
                                                   int64_t level) {
    const int64_t known = Sum(owned);
    if (known == 0 && (level == 0 || device.is_least)) return std::nullopt;
    MemoryShares shares{at_ns, owned};
    if (!device.is_least) {
      shares.bytes[static_cast<size_t>(MemoryOwner::kUnknown)] =
          std::max<int64_t>(level - known, 0);
    }
    return shares;
  }

  // Of all processes; steps are told where there is one.
  std::vector<BlockGroup> GroupsAt(int64_t at_ns) const {
    std::vector<MemoryBlock> blocks;
    for (const auto& [process, block] : of_.blocks) blocks.push_back(block);
    const bool is_alone = of_.members.size() == 1;
    return LargestGroups(
        blocks, is_alone ? steps_[of_.members.front().process] : Steps{},
        at_ns);
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
  void AddFailures() {
    DeviceMemory& out = of_.out;
    for (const auto& [p, failed] : of_.failed) {
      if (CommonNs(span_, {failed.at_ns, failed.at_ns + 1}) == 0) continue;
      out.failures.push_back(FailureOf(p, failed));
    }
    std::sort(out.failures.begin(), out.failures.end());
    if (!out.ordinal) return;
    int64_t held = 0;
    auto change = of_.held.begin();
    for (MemoryFailure& failure : out.failures) {
      for (; change != of_.held.end() && change->at_ns <= failure.at_ns;
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
  const Interval span_;
  DeviceChanges& of_;
};

}  // namespace

MemorySummary SummariseMemory(const TraceModel& model,
                              const Attribution& attribution,
                              const std::vector<Steps>& steps,
                              const Selection& selection) {
  const Interval span =
      selection.window.value_or(Interval{std::numeric_limits<int64_t>::min(),
                                         std::numeric_limits<int64_t>::max()});
  MemorySummary out;
  for (DeviceChanges& changes :
       GatherMemory(model, attribution, selection, span, out)) {
    out.devices.push_back(
        DeviceDescriber(model, attribution, steps, span, changes).Run());
  }
  std::sort(out.devices.begin(), out.devices.end());
  std::sort(out.pinned.begin(), out.pinned.end());
  return out;
}

}  // namespace dltap::analyzer
